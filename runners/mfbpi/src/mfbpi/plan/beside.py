"""Modules of the user's that a class without packaging draws on: what they hold is part of it.

These are modules that lie neither with Python nor with what is installed, and those that they
import in turn; ours are left out, for results name their versions.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

#: Where Python and what is installed lie.
_INSTALLED = tuple(
    Path(sysconfig.get_path(name)).resolve()
    for name in ("stdlib", "platstdlib", "purelib", "platlib")
)


def contents(modules: Iterable[str]) -> Iterator[bytes]:
    """The sources of the user's own among some modules, and of those that they import.

    Args:
        modules: names, of which the outermost package counts, all of it.
    """
    left, seen = sorted({name.partition(".")[0] for name in modules}), set[str]()
    while left:
        name = left.pop()
        if name in seen:
            continue
        seen.add(name)
        for file in _sources(name):
            with contextlib.suppress(OSError):  # gone since: importing it will tell
                content = file.read_bytes()
                yield f"{name}/{file.name} {len(content)} ".encode() + content
                left.extend(sorted(imported(content) - seen))


def imported(source: bytes) -> set[str]:
    """The outermost names of all that a source imports; none where it is no Python."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError):
        return set()
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [
        node.module
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module is not None and not node.level
    ]
    return {name.partition(".")[0] for name in names}


def _sources(name: str) -> list[Path]:
    """The files of a module of the user's; none of another's."""
    if name.startswith("mfbpi"):
        return []
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):  # such as a module that was made by hand
        return []
    if spec is None:
        return []
    folders = [Path(place) for place in spec.submodule_search_locations or ()]
    files = [file for folder in folders for file in folder.rglob("*.py")]
    if not folders and spec.origin is not None and spec.origin.endswith(".py"):
        files = [Path(spec.origin)]
    return sorted(file for file in files if not _is_installed(file))


def _is_installed(file: Path) -> bool:
    return any(file.resolve().is_relative_to(place) for place in _INSTALLED)
