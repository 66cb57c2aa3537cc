"""What a compiled function was made from: its file, and what that imports of ours.

numba writes functions and constants of other files into the machine code, but looks at the file of
the function alone: with another version of a library, it would go on with the old one's rules.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import os
import time
from collections.abc import Iterator
from pathlib import Path

#: Packages of others are looked at in the folder of the importing file alone, but for these.
OURS = "mfbpi_"

#: Nothing of it is compiled: what its modules hold counts, and not what they import.
CORE = "mfbpi_core"

#: Where everything that is installed lies side by side.
_INSTALLED = {"site-packages", "dist-packages"}

_INIT = "__init__.py"

#: When this process began to import what it compiles.
_BEGUN = time.time()


class ChangedError(Exception):
    """A file was written while this process ran: what is in memory may be what it was before."""


def stamp(file: str) -> str:
    """A digest of a source file and of all those that its compiled functions can be made from.

    These are what its statements import, wherever they stand, and what that imports, of its own
    package, of modules beside it if it is not among those installed, and of packages whose name
    starts with :data:`OURS`.

    Raises:
        ChangedError: when one of them was written since this process began.
        SyntaxError: when one of them is no source.
    """
    found: dict[Path, bytes] = {}
    waiting = [Path(os.path.abspath(file))]  # noqa: PTH100 - resolve would follow links
    while waiting:
        each = waiting.pop()
        if each not in found:
            if _BEGUN < each.stat().st_mtime <= time.time():  # a clock elsewhere may be ahead
                raise ChangedError(each)
            found[each], imported = _read(each)
            waiting += imported
    return hashlib.sha256(b"".join(sorted(found.values()))).hexdigest()


@functools.cache
def _read(file: Path) -> tuple[bytes, tuple[Path, ...]]:
    """A digest of a file and its name, and the files that it imports."""
    content, root = file.read_bytes(), _root(file.parent)
    name = file.relative_to(root).as_posix().encode(errors="surrogateescape")
    digest = hashlib.sha256(name + b"\0" + content).digest()
    if (root / CORE) in file.parents:
        return digest, ()
    imported = {each for name in _names(content) for each in _files(name, file)}
    packages = {folder / _INIT for folder in file.parents if root in folder.parents}
    return digest, tuple(imported | packages)


@functools.cache
def _root(folder: Path) -> Path:
    """The folder that the top-level package of what lies in a folder lies in, or the folder."""
    inside = (folder / _INIT).exists() and folder != folder.parent
    return _root(folder.parent) if inside else folder


def _names(content: bytes) -> Iterator[str]:
    """Modules that a source imports, or what may be one, with a dot for each level."""
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            dot = "." if node.module else ""
            yield from (f"{module}{dot}{alias.name}" for alias in node.names)


def _files(name: str, file: Path) -> Iterator[Path]:
    """The files of a module, and of the packages that it is in, if they are looked at."""
    parts = name.lstrip(".").split(".")
    level = len(name) - len(name.lstrip("."))
    folder = file.parents[level - 1] if level else _folder(parts[0], file)
    if folder is None:
        return
    for part in parts:
        yield from filter(_is_file, (folder / f"{part}.py", folder / part / _INIT))
        folder /= part


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long for one
        return False


def _folder(top: str, file: Path) -> Path | None:
    """Where a top-level module lies, if it is one of those looked at."""
    root = _root(file.parent)
    own = file.relative_to(root).parts[0].removesuffix(".py")
    beside = root.name not in _INSTALLED and (_is_file(root / f"{top}.py") or (root / top).is_dir())
    if top == own or beside:
        return root
    return _installed(top) if top.startswith(OURS) else None


@functools.cache
def _installed(top: str) -> Path | None:
    """The folder that a package or a module of ours is installed in."""
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return None
    if spec is None or not spec.origin:
        return None
    return Path(spec.origin).parents[1 if spec.submodule_search_locations else 0]
