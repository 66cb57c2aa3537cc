"""Digests of what has no version that says enough: files, modules, and installs from a folder.

Who works on a plugin edits it under one version (``pip install -e``). Results from before and after
an edit are those of two programs; so are those of two models in files of one name.

What a result says of itself may be anybody's: a file or module that it names is looked at only
where the parameters of its task name the same (:func:`is_asked_for`), and is else left out of what
is compared. Never is a module imported for it, nor a file read that is no plain one, or larger
than :data:`MOST`.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib import metadata
from pathlib import Path

from mfbpi.plan import beside

#: Digits that are shown, of 64.
_DIGITS = 8

#: Bytes that are read for one digest, at most: 4 GiB.
MOST = 4 << 30

#: Bytes that are read at once.
_BLOCK = 1 << 20

#: Where files are the kernel's, whose content may be without end, except that on which folders lie.
_KERNEL, _MEMORY = ("/proc/", "/sys/", "/dev/"), "/dev/shm/"

#: Without O_NONBLOCK, opening a pipe would wait for its other end.
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

#: Where plugins announce themselves.
_GROUP = "mfbpi"

#: How names of modules begin, in :func:`named`; those of files are their paths.
_MODULE = "module "

#: A file, and what it is called wherever its folder lies.
_Named = tuple[str, Path]

#: What stands for the digest of what is not there, or cannot be read.
_UNREADABLE = "unreadable"


def suffix(distribution: str) -> str:
    """What follows the version, ``+src.`` and a digest of all files; nothing if from an index.

    Args:
        distribution: its name.
    """
    try:
        found = metadata.distribution(distribution)
        origin = found.read_text("direct_url.json")
        if origin is None:
            return ""
        editable = json.loads(origin).get("dir_info", {}).get("editable", False)
        return f"+src.{_digest(_edited(found) if editable else _copied(found))}"
    except Exception:  # not installed, or half removed
        return ""


def named(part: Path | str) -> str:
    """What a part of an environment is called in results.

    Args:
        part: a file, or the name of a module, of which the outermost package counts.
    """
    return str(part) if isinstance(part, Path) else _MODULE + part.partition(".")[0]


def content(name: str) -> str:
    """What such a part holds now: of a module that is installed the version, else a digest.

    The digest of a module covers the modules of the user's that it imports in turn.

    Args:
        name: as :func:`named` calls it. Nothing is imported, whatever a file says.
    """
    if not name.startswith(_MODULE):
        return _digest([("", Path(name))])
    module = name.removeprefix(_MODULE)
    if not module.isidentifier():  # to find "a.b", Python would import a
        return _UNREADABLE
    owners = metadata.packages_distributions().get(module, ())
    try:
        versions = [metadata.version(owner) + suffix(owner) for owner in sorted(set(owners))]
    except Exception:  # half removed
        return _UNREADABLE
    return ", ".join(versions) or f"src.{_with_imported(module)}"


def _with_imported(module: str) -> str:
    """Digits for all files of a module, and for the sources of the user's that it imports."""
    own = _digest(_of_module(module))
    if own == _UNREADABLE:
        return own
    digest = hashlib.sha256(own.encode())
    for source in beside.contents([module], to_run=False):
        digest.update(source)
    return digest.hexdigest()[:_DIGITS]


def is_asked_for(name: str, config: object) -> bool:
    """Whether parameters name a part, so that looking at it is the wish of who gave them.

    Args:
        name: as :func:`named` calls it: a file that they name or that lies in a folder that they
            name; a module that they begin with, or that this process has imported anyway.
        config: the parameters, as plain data.
    """
    texts = [text for text in _texts(config) if text]
    if name.startswith(_MODULE):
        module = name.removeprefix(_MODULE)
        return module in sys.modules or any(module == _outermost(text) for text in texts)
    try:
        file = Path(os.path.realpath(name))
        return any(file.is_relative_to(os.path.realpath(text)) for text in texts)
    except (OSError, ValueError):  # no name of a file
        return False


def _texts(data: object) -> Iterator[str]:
    """All texts in plain data, but for keys."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping | list | tuple):
        for inner in data.values() if isinstance(data, Mapping) else data:
            yield from _texts(inner)


def _outermost(text: str) -> str:
    """Of ``MODULE:NAME``, the outermost package."""
    return text.partition(":")[0].partition(".")[0]


def _digest(parts: Iterable[_Named]) -> str:
    """Digits that stand for the names of some files and what is in them."""
    digest, left = hashlib.sha256(), MOST
    try:
        for name, file in sorted(parts):
            held, size = _held(file, left)
            left -= size
            digest.update(f"{len(name)} {name} {held} ".encode())
    except (OSError, ValueError):  # edited or removed this very moment, or no name of a file
        return _UNREADABLE
    return digest.hexdigest()[:_DIGITS]


def _held(file: Path, most: int) -> tuple[str, int]:
    """Digest and size of a plain file, read up to the size that it says it has.

    Raises:
        OSError: when it is no plain file, the kernel's, larger, or of another size than it says.
    """
    place = Path(os.path.realpath(file))
    if str(place).startswith(_KERNEL) and not str(place).startswith(_MEMORY):
        raise OSError("it is the kernel's")
    size = _size(place.stat(), most)  # before it is opened, which moves some devices
    digest, found = hashlib.sha256(), 0
    if size:
        with open(place, "rb", opener=lambda name, _flags: os.open(name, _READ)) as opened:
            _size(os.fstat(opened.fileno()), most)
            while found <= size and (block := opened.read(_BLOCK)):
                digest.update(block)
                found += len(block)
    if found != size:
        raise OSError("it has another size than it says")
    return digest.hexdigest(), size


def _size(status: os.stat_result, most: int) -> int:
    if not stat.S_ISREG(status.st_mode) or status.st_size > most:
        raise OSError("it is no plain file of a size to be read")
    return status.st_size


def _edited(found: metadata.Distribution) -> Iterator[_Named]:
    """The packages and modules of a distribution, where they are edited."""
    points = found.entry_points.select(group=_GROUP)
    announced = {point.value.partition(":")[0].partition(".")[0] for point in points}
    told = (found.read_text("top_level.txt") or "").split()  # setuptools tells all of them
    for module in announced.union(told) or {found.name.replace("-", "_")}:
        yield from _of_module(module)


def _copied(found: metadata.Distribution) -> Iterator[_Named]:
    """The files that were copied out of a folder, as the distribution lists them."""
    for file in found.files or ():
        if not file.parts[0].endswith(".dist-info") and not beside.is_between(file.parts):
            yield str(file), Path(str(found.locate_file(file)))


def _of_module(name: str) -> Iterator[_Named]:
    """The files of a module, or of the package around it, which is not imported."""
    module = name.partition(".")[0]
    if not module.isidentifier():
        return
    try:
        spec = importlib.util.find_spec(module)
    except Exception:  # made by hand, or whatever a finder of others raises
        return
    if spec is not None and spec.submodule_search_locations is not None:
        for folder in spec.submodule_search_locations:
            above = Path(folder).parent
            files = beside.files_below(Path(folder))
            yield from ((str(file.relative_to(above)), file) for file in files)
    elif spec is not None and spec.has_location and spec.origin is not None:
        yield Path(spec.origin).name, Path(spec.origin)
