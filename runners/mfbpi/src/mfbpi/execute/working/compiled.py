"""A place for numba's compiled code where an installation offers none.

numba keeps it beside the source, else in the user's cache directory; where neither can be written
to (a read-only installation, no home) every process compiles anew, and what is decorated by numba's
own ``cache=True`` fails to load. Then a private temporary directory serves this process and its
workers.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import os
import pkgutil
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from mfbpi.notices import note
from mfbpi_core.errors import UsageError
from mfbpi_core.plugins.registry import Registry

#: Where numba keeps compiled code, if it is set; read when numba is imported.
VARIABLE = "NUMBA_CACHE_DIR"


def find_place(registry: Registry) -> None:
    """See to it that numba has a place, before it is imported; say so if it is a temporary one.

    Raises:
        UsageError: when there is none at all.
    """
    if os.environ.get(VARIABLE) or _user_cache_is_writable():
        return
    if all(map(_is_writable, _source_folders(registry))):
        return
    try:
        place = tempfile.mkdtemp(prefix="mfbpi-numba-")  # for its owner alone
    except OSError as error:
        raise UsageError(
            "numba has no place for compiled code: neither beside the source, nor in the home "
            f"directory, nor a temporary one ({error}); set {VARIABLE} to a directory that can be "
            "written to"
        ) from error
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    os.environ[VARIABLE] = place
    note(
        "the installation and the home directory are read-only: compiled code is kept until the "
        f"end of this command only; set {VARIABLE} to a directory, and it is kept for good"
    )


def _user_cache_is_writable() -> bool:
    """Whether numba can use the user's cache directory, which it creates if need be."""
    if os.name != "posix":
        return True
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - which does not fail without a home
    if sys.platform == "darwin":
        place = home / "Library/Caches"
    else:
        place = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return place.is_absolute() and _is_writable(place / "numba")


def _is_writable(folder: Path) -> bool:
    """Whether files can be created in a folder, which may have to be created itself."""
    for existing in (folder, *folder.parents):
        if os.path.lexists(existing):  # which, unlike Path.exists, never raises
            return existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)
    return False


def _source_folders(registry: Registry) -> Iterator[Path]:
    """Where numba would keep the compiled code of each package, beside its source."""
    for folder in {*_folders(_modules(registry))}:
        yield folder / "__pycache__"


def _modules(registry: Registry) -> Iterator[str]:
    """Packages that may compile: all of ours, and those of other plugins."""
    yield from (m.name for m in pkgutil.iter_modules() if m.name.startswith("mfbpi_"))
    for plugin in registry.plugins:
        yield plugin.spec.factory.partition(":")[0].partition(".")[0]


def _folders(modules: Iterable[str]) -> Iterator[Path]:
    for module in modules:
        with contextlib.suppress(ImportError, ValueError):
            found = importlib.util.find_spec(module)
            if found is not None and found.origin is not None:
                yield Path(found.origin).parent
