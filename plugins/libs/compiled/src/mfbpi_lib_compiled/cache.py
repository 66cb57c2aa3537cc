"""A cache of numba's that outlives damage, and notices what changed in other files."""

from __future__ import annotations

import contextlib
import glob
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile

from mfbpi_lib_compiled.sources import ChangedError, stamp


class Kept(FunctionCache):
    """Machine code of a function on disk, where numba keeps it and in its format.

    Unlike numba's own, it is made anew

    - when a file changed that the function's file imports; see :mod:`mfbpi_lib_compiled.sources`.
      Files are named by that, so that no code is ever found by another version's index;
    - when it cannot be read: it was cut off, or it names a type whose module is gone.

    Where it cannot be written, on a full disk, a warning says so and the process goes on.

    Args:
        function: the function.
        sources: what its sources are, in hexadecimal digits.
    """

    def __init__(self, function: Callable[..., Any], sources: str) -> None:
        super().__init__(function)
        self._base = self._impl.filename_base
        self._name_of_ours = f"{self._base}.{sources[:16]}"
        self._cache_file = IndexDataCacheFile(self.cache_path, self._name_of_ours, sources)

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Kept | None:
        """The cache of a function; None where nothing can be kept.

        There may be no place for it, no file that the function stands in, such as in a cell of a
        notebook, or one that was written after it was imported.
        """
        source = function.__code__.co_filename
        try:
            return cls(function, stamp(source)) if Path(source).is_file() else None
        except (RuntimeError, OSError, SyntaxError, ChangedError):
            return None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What is kept for a signature; None if there is nothing that can be used."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # damaged pickles raise nearly anything
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled for a signature, and nothing of other versions."""
        try:
            super().save_overload(sig, data)
            self._forget_others()
        except Exception as error:  # a damaged index too, where none can be written
            warnings.warn(
                f"compiled code cannot be kept in {self.cache_path} ({error}): it is compiled "
                "again in the next process; make room, or set NUMBA_CACHE_DIR",
                RuntimeWarning,
                stacklevel=2,
            )

    def _forget_others(self) -> None:
        for old in Path(self.cache_path).glob(f"{glob.escape(self._base)}.*"):
            if not old.name.startswith(self._name_of_ours):
                with contextlib.suppress(OSError):
                    old.unlink()
