"""Compiled functions, kept on disk for as long as nothing that they were made from has changed."""

from __future__ import annotations

from functools import partial
from typing import Any

__all__ = ["compiled"]


def compiled(function: Any = None, **options: Any) -> Any:
    """Decorate as ``numba.njit(cache=True)``, with :class:`mfbpi_lib_compiled.cache.Kept` as cache.

    Where there is no place for it, the function is compiled in every process. It has no entrance
    from C, which ``numba.cfunc`` is for and nothing here would use: compiling one takes time.

    Args:
        function: what to compile on its first call; without it, what takes a function.
        options: of ``numba.njit``.

    Raises:
        TypeError: for a signature, as ``numba.njit`` takes one.
    """
    if function is None:
        return partial(compiled, **options)
    if not callable(function) or isinstance(function, type):
        raise TypeError(
            f"compiled got {function!r}; expected a function: it is compiled for the types that "
            "it is called with"
        )
    import numba

    from mfbpi_lib_compiled.cache import Kept

    made = numba.njit(**{"no_cfunc_wrapper": True, **options})(function)
    if made is not function:  # as it is under NUMBA_DISABLE_JIT
        cache = Kept.of(made)
        if cache is not None:
            made._cache = cache
    return made
