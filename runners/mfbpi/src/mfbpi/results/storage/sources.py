"""A digest of what is installed from a folder, where a version says little.

Who works on a plugin edits it under one version (``pip install -e``). Results from before and after
an edit are those of two programs.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

#: Digits that are shown, of 64.
_DIGITS = 8

#: Where plugins announce themselves.
_GROUP = "mfbpi"


def suffix(distribution: str) -> str:
    """What follows the version, ``+src.`` and a digest of all files; nothing if from an index.

    Args:
        distribution: its name.
    """
    try:
        found = metadata.distribution(distribution)
        if found.read_text("direct_url.json") is None:
            return ""
        digest = hashlib.sha256()
        for folder in sorted(_folders(found)):
            for file in sorted(_files(folder)):
                digest.update(f"{file.relative_to(folder.parent)}\0".encode() + file.read_bytes())
    except Exception:  # not installed, half removed, or edited this very moment
        return ""
    return f"+src.{digest.hexdigest()[:_DIGITS]}"


def _folders(found: metadata.Distribution) -> Iterator[Path]:
    """The package of a distribution, or its module."""
    points = found.entry_points.select(group=_GROUP)
    named = {point.value.partition(":")[0].partition(".")[0] for point in points}
    for module in named or {found.name.replace("-", "_")}:
        with contextlib.suppress(ImportError, ValueError):
            spec = importlib.util.find_spec(module)
            if spec is not None and spec.submodule_search_locations is not None:
                yield from map(Path, spec.submodule_search_locations)
            elif spec is not None and spec.origin is not None:
                yield Path(spec.origin)


def _files(place: Path) -> Iterator[Path]:
    """All files of a package but what Python and numba keep in between."""
    if place.is_file():
        yield place
        return
    for file in place.rglob("*"):
        if file.is_file() and "__pycache__" not in file.parts:
            yield file
