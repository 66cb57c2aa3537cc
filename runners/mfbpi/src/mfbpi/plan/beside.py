"""Modules of the user's that a class without packaging draws on: what they hold is part of it.

These are modules that lie neither with Python nor with what is installed, and those that they
import in turn; ours are left out, for results name their versions. A package counts with all its
files. What is found in other ways than by an import, such as a file that is opened, is not seen.
"""

from __future__ import annotations

import ast
import importlib.util
import os
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path

from mfbpi.plan import stale, whose

#: Bytes from which on files that are no code are not read: a package may lie beside data sets.
_LARGE = 2**20

#: Functions that import what their first argument names.
_IMPORTING = {"import_module", "__import__"}


def contents(modules: Iterable[str], *, to_run: bool = True) -> Iterator[bytes]:
    """What the user's own among some modules hold, and those that they import.

    Args:
        modules: names, of which the outermost package counts, all of it.
        to_run: whether this process is about to run them.

    Raises:
        UsageError: when one that is to be run was edited after this process had imported it: what
            runs here would be another than in a new process.
    """
    left, seen = sorted({name.partition(".")[0] for name in modules if name}), set[str]()
    while left:
        name = left.pop()
        if name in seen:
            continue
        seen.add(name)
        held = dict(_held(name))
        if to_run:
            stale.refuse(name, held.values())
        for shown, content in held.items():
            yield f"{name} {shown} {len(content)} ".encode() + content
            if shown.endswith(".py"):
                left.extend(sorted(imported(content) - seen))


def refuse_edited(modules: Iterable[str]) -> None:
    """Refuse what :func:`contents` refuses, where what they hold is told otherwise."""
    deque(contents(modules), maxlen=0)


def imported(source: bytes) -> set[str]:
    """The outermost names of all that a source imports; none where it is no Python.

    Where it imports what a variable names, any of its texts may be that.
    """
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, MemoryError, RecursionError):  # of one that is too deep
        return set()
    named = [name for node in nodes for name in _named(node)]
    texts = map(_text, nodes) if None in named else ()
    return {name.partition(".")[0] for name in (*named, *texts) if name is not None}


def _named(node: ast.AST) -> Iterator[str | None]:
    """What a statement or a call imports; None where a variable says."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module is not None and not node.level:
        yield node.module
    elif isinstance(node, ast.Call) and node.args:
        called, given = node.func, node.args[0]
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if name in _IMPORTING:
            yield _text(given)


def _text(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return None


def _held(name: str) -> Iterator[tuple[str, bytes]]:
    """What the files of a module of the user's hold, by what they are called in it."""
    if not name.isidentifier() or whose.is_ours(name) or whose.was_installed(name):
        return
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):  # such as a module that was made by hand
        return
    if spec is None:
        return
    places = [Path(place) for place in spec.submodule_search_locations or ()]
    folders = [place for place in places if not whose.is_installed(place)]
    files = [(file, folder) for folder in folders for file in files_below(folder)]
    if not places and spec.origin is not None:
        files = [(Path(spec.origin), Path(spec.origin).parent)]
    for file, folder in sorted(files):
        if file.is_file() and not whose.is_installed(file):  # a pipe would not end
            try:
                yield str(file.relative_to(folder)), _told(file)
            except OSError:  # gone since: importing it will tell
                continue


def _told(file: Path) -> bytes:
    """What a file holds; of a large one that is no code, its size and when it was written."""
    about = file.stat()
    if file.suffix == ".py" or about.st_size <= _LARGE:
        return file.read_bytes()
    return f"{about.st_size} {about.st_mtime_ns}".encode()


def files_below(folder: Path) -> Iterator[Path]:
    """All files of a package, behind links too, but what Python, numba and editors keep."""
    seen: set[str] = set()
    for place, folders, files in os.walk(folder, followlinks=True):
        real = os.path.realpath(place)
        if real in seen or is_between(Path(place).relative_to(folder).parts):
            folders.clear()  # a link to a folder around it, or what tools keep
            continue
        seen.add(real)
        yield from (Path(place, name) for name in files if not is_between((name,)))


def is_between(parts: Iterable[str]) -> bool:
    """Whether it is what Python, numba and editors keep in between."""
    return any(
        part == "__pycache__" or part.startswith((".", "#")) or part.endswith(("~", ".pyc"))
        for part in parts
    )
