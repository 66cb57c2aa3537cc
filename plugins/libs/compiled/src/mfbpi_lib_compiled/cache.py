"""A cache of machine code that finds it by what it was made from, and outlives damage."""

from __future__ import annotations

import contextlib
import glob
import hashlib
import os
import pickle
import tempfile
import warnings
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, _Cache, _cache_log
from numba.core.serialize import dumps

from mfbpi_lib_compiled.content import digest

#: How many files of functions of one name are left: versions, types and processors.
MOST = 64

#: Characters of the name of a function in the name of a file, which may have 255.
_LONGEST = 100

#: Says what numba's own cache says, under NUMBA_DEBUG_CACHE.
_log: Any = _cache_log


class Kept(_Cache):
    """Machine code of a function on disk, in the folder that numba would take.

    Each piece is a file of its own, named by all that it was made from (see
    :mod:`mfbpi_lib_compiled.content`) and starting with its own digest: neither a kill nor a full
    disk, nor two processes at once leave anything that could be taken for something else. What
    cannot be read is made anew. Where nothing can be written, a warning says so and the process
    goes on.

    Args:
        dispatcher: the function, as numba compiles it.
    """

    def __init__(self, dispatcher: Any) -> None:
        self._dispatcher = dispatcher
        self._impl = CompileResultCacheImpl(dispatcher.py_func)
        self._folder = Path(self._impl.locator.get_cache_path())
        function = dispatcher.py_func
        own = f"{function.__module__}.{function.__qualname__}".replace(os.sep, ".")
        self._name = own.replace("<", "").replace(">", "")[-_LONGEST:]
        self._enabled = True
        self._asked: dict[Any, Path] = {}

    @classmethod
    def of(cls, dispatcher: Any) -> Kept | None:
        """The cache of a function; None where there is no place for it."""
        try:
            return cls(dispatcher)
        except (RuntimeError, OSError):
            return None

    @property
    def cache_path(self) -> str:
        """The folder."""
        return str(self._folder)

    def enable(self) -> None:
        """Read and write from now on."""
        self._enabled = True

    def disable(self) -> None:
        """Neither read nor write."""
        self._enabled = False

    def flush(self) -> None:
        """Remove what is kept, of all versions."""
        for file in self._files():
            with contextlib.suppress(OSError):
                file.unlink()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What is kept for a signature; None if there is nothing that can be used."""
        if not self._enabled:
            return None
        target_context.refresh()
        self._asked.pop(sig, None)
        try:
            file = self._asked[sig] = self._file(sig, target_context.codegen())
            found = self._impl.rebuild(target_context, _unpack(file))
        except Exception:  # not there, damaged, or it names a type whose module is gone
            return None
        _log("[cache] data loaded from %r", str(file))
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled for a signature."""
        if not self._enabled or not self._impl.check_cachable(data):
            return
        file = self._asked.pop(sig, None)
        if file is None:  # nobody can tell what it is made from
            return
        try:
            self._impl.locator.ensure_cache_path()
            _write(file, _pack(file, self._impl.reduce(data)))
            _log("[cache] data saved to %r", str(file))
            self._forget_oldest()
        except Exception as error:
            with contextlib.suppress(RuntimeWarning):  # where warnings are errors
                warnings.warn(
                    f"compiled code cannot be kept in {self.cache_path} ({error}): it is compiled "
                    "again in the next process; make room, or set NUMBA_CACHE_DIR",
                    RuntimeWarning,
                    stacklevel=2,
                )

    def _file(self, sig: Any, codegen: Any) -> Path:
        content = digest(self._dispatcher, sig, codegen.magic_tuple())
        return self._folder / f"{self._name}.{content[:32]}.nbc"

    def _files(self) -> list[Path]:
        return list(self._folder.glob(f"{glob.escape(self._name)}.*.nbc"))

    def _forget_oldest(self) -> None:
        files = self._files()
        if len(files) > MOST:
            files.sort(key=lambda file: file.stat().st_mtime)
            for file in files[:-MOST]:
                file.unlink(missing_ok=True)


def _pack(file: Path, content: Any) -> bytes:
    data: bytes = dumps(content)
    return _digest(file, data) + data


def _unpack(file: Path) -> Any:
    """What a file holds. Machine code that was changed would not raise, but crash.

    Raises:
        ValueError: when it is not what was packed for this file.
    """
    packed = file.read_bytes()
    found, data = packed[:32], packed[32:]
    if found != _digest(file, data):
        raise ValueError(f"{file} is damaged")
    return pickle.loads(data)


def _digest(file: Path, data: bytes) -> bytes:
    return hashlib.sha256(file.name.encode() + data).digest()


def _write(file: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    number, name = tempfile.mkstemp(prefix=f"{file.name[:-4]}.", suffix=".nbc", dir=file.parent)
    try:
        with os.fdopen(number, "wb") as opened:
            opened.write(data)
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
