"""How functions are compiled, and whether they can be."""

from __future__ import annotations

from typing import Any

import mfbpi_lib_compiled

try:
    import numba
except ImportError:  # pragma: no cover - depends on the installation
    numba = None  # type: ignore[assignment]


def available() -> bool:
    """Whether this installation can compile, and NUMBA_DISABLE_JIT does not forbid it."""
    return numba is not None and not getattr(numba.config, "DISABLE_JIT", False)


def compiled(function: Any) -> Any:
    """Compile on the first call and keep the machine code on disk; without numba, nothing.

    Divisions by zero give infinities, as numpy's do: without a test in every loop, loops over
    numbers become vector instructions. An index that is a sum is tested in the same way, for it may
    count from the end: inner loops go over a slice.
    """
    if not available():  # pragma: no cover - depends on the installation
        return function
    return mfbpi_lib_compiled.compiled(function, error_model="numpy", nogil=True)


def leaf(function: Any) -> Any:
    """The same for what an inner loop calls: written into its caller.

    A call that hands on a tuple of arrays counts references to each, at some ten nanoseconds.
    """
    if not available():  # pragma: no cover - depends on the installation
        return function
    return mfbpi_lib_compiled.compiled(function, error_model="numpy", nogil=True, forceinline=True)
