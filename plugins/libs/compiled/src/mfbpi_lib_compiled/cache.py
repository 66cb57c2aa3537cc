"""A cache of numba's that outlives damage, and notices what changed in other files."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache

from mfbpi_lib_compiled.sources import stamp


class Kept(FunctionCache):
    """Machine code of a function on disk, where numba keeps it and in its format.

    Unlike numba's own, it is made anew

    - when a file changed that the function's file imports; see :mod:`mfbpi_lib_compiled.sources`;
    - when it cannot be read: it was cut off, or it names a type whose module is gone.

    Where it cannot be written, on a full disk, a warning says so and the process goes on.

    Args:
        function: the function.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        source = function.__code__.co_filename
        if Path(source).is_file():  # and not a cell of a notebook
            file = self._cache_file
            file._source_stamp = file._source_stamp, stamp(source)

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Kept | None:
        """The cache of a function; None where there is no place for one."""
        try:
            return cls(function)
        except (RuntimeError, OSError):
            return None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What is kept for a signature; None if there is nothing that can be used."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled for a signature."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            warnings.warn(
                f"compiled code cannot be kept in {self.cache_path} ({error}): it is compiled "
                "again in the next process; make room, or set NUMBA_CACHE_DIR",
                RuntimeWarning,
                stacklevel=2,
            )
