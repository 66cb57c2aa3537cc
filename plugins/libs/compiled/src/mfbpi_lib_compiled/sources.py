"""What a compiled function was made from: its file, and what that imports of ours.

numba writes functions and constants of other files into the machine code, but looks at the file of
the function alone: with another version of a library, it would go on with the old one's rules.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

#: Packages of others are looked at in the folder of the importing file alone, but for these.
OURS = "mfbpi_"

#: Nothing of it is compiled: what its modules hold counts, and not what they import.
CORE = "mfbpi_core"

#: Where everything that is installed lies side by side.
_INSTALLED = {"site-packages", "dist-packages"}

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]*(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]*))",
    re.MULTILINE,
)
_NAME = re.compile(r"\.*[\w.]+")


def stamp(file: str) -> str:
    """A digest of a source file and of all those that its compiled functions can be made from.

    These are what it imports, and what that imports, of its own package, of packages beside it if
    it is not among those installed, and of packages whose name starts with :data:`OURS`.
    """
    found, waiting = {}, [Path(file)]
    while waiting:
        each = waiting.pop()
        if each not in found:
            found[each], imported = _read(each)
            waiting += imported
    whole = hashlib.sha256()
    for digest in sorted(found.values()):
        whole.update(digest)
    return whole.hexdigest()


@functools.cache
def _read(file: Path) -> tuple[bytes, tuple[Path, ...]]:
    """A digest of a file, and the files that it imports."""
    content = file.read_bytes()
    root = _root(file)
    inside_core = (root / CORE) in file.parents
    text = content.decode(errors="replace")
    imported = () if inside_core else tuple(_imported(text, file, root))
    return hashlib.sha256(content).digest(), imported


def _root(file: Path) -> Path:
    """The folder that a file's top-level package, or the file itself, lies in."""
    folder = file.parent
    while (folder / "__init__.py").exists():
        folder = folder.parent
    return folder


def _imported(text: str, file: Path, root: Path) -> Iterator[Path]:
    for match in _IMPORT.finditer(text):
        module, names, modules = match.groups()
        if module is None:
            for name in modules.split(","):
                yield from _files(name.split("#")[0].split(" as ")[0].strip(), file, root)
            continue
        yield from _files(module, file, root)
        dot = "" if module.endswith(".") else "."
        for name in re.findall(r"[\w]+", re.sub(r"#[^\n]*|\bas\s+\w+", "", names)):
            yield from _files(f"{module}{dot}{name}", file, root)


def _files(module: str, file: Path, root: Path) -> Iterator[Path]:
    """The file of a module, if it is one of those looked at."""
    name = module.lstrip(".")
    parts = name.split(".") if name else []
    level = len(module) - len(name)
    if level:
        folder = file.parents[level - 1] if level <= len(file.parents) else None
    else:
        folder = _folder(parts[0], file, root) if parts else None
    if folder is not None:
        place = folder.joinpath(*parts)
        for candidate in (place.with_suffix(".py") if parts else place, place / "__init__.py"):
            if candidate.is_file():
                yield candidate


def _folder(top: str, file: Path, root: Path) -> Path | None:
    """Where a top-level package that is looked at lies."""
    own = file.relative_to(root).parts[0].removesuffix(".py")
    if top == own or (root.name not in _INSTALLED and _lies_in(root, top)):
        return root
    return _installed(top) if top.startswith(OURS) else None


def _lies_in(root: Path, top: str) -> bool:
    return (root / f"{top}.py").is_file() or (root / top / "__init__.py").is_file()


@functools.cache
def _installed(top: str) -> Path | None:
    """Where a package of ours is installed."""
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return None
    return Path(spec.origin).parents[1] if spec is not None and spec.origin else None
