"""The functions of ``import mfbpi``, by concept; they are called as attributes of :mod:`mfbpi`."""
