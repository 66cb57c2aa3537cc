"""The compiled path of the CPU: an update that goes member by member, in numba.

torch works on all members at once, and its tensors of some 20 x 256 x 50 numbers leave the
caches between one call and the next. Here a member's forward pass, targets, derivative, backward
pass and step of Adam follow each other while its numbers are near. What does not count is left
out, exactly: transitions that a mask hides, cells that occur twice, rows without a derivative.

Weights, moments and tables are those of :mod:`mfbpi_lib_torch.networks`, seen as arrays, so that
a saved state does not depend on the path.
"""
