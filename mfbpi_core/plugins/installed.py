"""The entry points that are installed, with who provides them; what is half removed is named."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import Distribution, EntryPoint, PackageMetadata, distributions

import attrs

from mfbpi_core.errors import PluginError
from mfbpi_core.text import said

_UNKNOWN = "unknown"

#: Lines of a METADATA file.
_STATED = re.compile(r"^(Name|Version): *(\S+)", re.MULTILINE)


@attrs.frozen(kw_only=True)
class Origin:
    """An entry point, and the name and version of the distribution that it belongs to."""

    point: EntryPoint
    distribution: str
    version: str


@attrs.frozen(kw_only=True)
class Unusable:
    """A distribution whose entry points cannot be used, and why."""

    distribution: str
    version: str
    error: PluginError


def origins(group: str, found: Iterable[EntryPoint] | None = None) -> list[Origin | Unusable]:
    """Every entry point of a group, by distribution and name.

    Args:
        group: the group.
        found: the entry points; those installed if None.
    """
    known = list(_installed(group)) if found is None else [_origin(point) for point in found]
    return sorted(known, key=_place)


def _place(origin: Origin | Unusable) -> tuple[str, str]:
    return (origin.distribution, origin.point.name if isinstance(origin, Origin) else "")


def _installed(group: str) -> Iterator[Origin | Unusable]:
    """One distribution after the other: one unreadable file must not hide all the others."""
    seen: set[str] = set()
    for each in distributions():
        name, version = _names(each)
        if name in seen:  # the first on the path is the one that is imported
            continue
        seen.add(name)
        try:
            yield from map(_origin, _points(each, group))
        except Exception as error:
            reason = f"its entry_points.txt cannot be read ({type(error).__name__}: {said(error)})"
            yield _half_removed(name, version, reason)


def _points(distribution: Distribution, group: str) -> Iterable[EntryPoint]:
    """Its entry points of a group; what has none, as nearly all have, is not parsed."""
    written = distribution.read_text("entry_points.txt")
    if not written or f"[{group}]" not in written:
        return ()
    return distribution.entry_points.select(group=group)


def _origin(point: EntryPoint) -> Origin | Unusable:
    if point.dist is None:
        return Origin(point=point, distribution=_UNKNOWN, version=_UNKNOWN)
    try:
        told = _told(point.dist)
        name, version = told["Name"], told["Version"]
    except Exception:  # without a METADATA file, importlib raises whatever comes
        name, version = None, None
    if name and version:
        return Origin(point=point, distribution=name, version=version)
    name, version = _names(point.dist)
    return _half_removed(name, version, "it has entry points, but no METADATA that names it")


def _told(distribution: Distribution) -> Mapping[str, str] | PackageMetadata:
    """Name and version as it states them; its metadata as a whole is much slower to parse."""
    header, _, _ = (distribution.read_text("METADATA") or "").partition("\n\n")
    return dict(_STATED.findall(header)) or distribution.metadata


def _names(distribution: Distribution) -> tuple[str, str]:
    """Name and version by the folder, such as ``mfbpi_x-1.0.dist-info``."""
    folder = os.path.basename(str(getattr(distribution, "_path", _UNKNOWN)))  # noqa: PTH119
    name, _, version = os.path.splitext(folder)[0].partition("-")  # noqa: PTH122 - of hundreds
    return name.replace("_", "-"), version or _UNKNOWN


def _half_removed(name: str, version: str, reason: str) -> Unusable:
    error = PluginError(
        f"{reason}: it seems half removed; `pip install --force-reinstall {name}`, or delete its "
        ".dist-info folder"
    )
    return Unusable(distribution=name, version=version, error=error)
