"""Compiled functions, kept on disk for as long as nothing that they were made from has changed."""

from __future__ import annotations

from functools import partial
from typing import Any

__all__ = ["compiled", "kept"]


def compiled(function: Any = None, **options: Any) -> Any:
    """Decorate as ``numba.njit(cache=True)`` does, with the cache of :func:`kept`.

    Args:
        function: what to compile on its first call; without it, what takes a function.
        options: of ``numba.njit``.
    """
    if function is None:
        return partial(compiled, **options)
    import numba

    return kept(numba.njit(**options)(function))


def kept(dispatcher: Any) -> Any:
    """Keep what numba compiles; see :class:`mfbpi_lib_compiled.cache.Kept`.

    Where there is no place for it, it is compiled in every process.

    Args:
        dispatcher: what ``numba.njit`` returned, without ``cache``; returned.
    """
    if not hasattr(dispatcher, "py_func"):  # under NUMBA_DISABLE_JIT it is the function itself
        return dispatcher
    from mfbpi_lib_compiled.cache import Kept

    cache = Kept.of(dispatcher.py_func)
    if cache is not None:
        dispatcher._cache = cache
    return dispatcher
