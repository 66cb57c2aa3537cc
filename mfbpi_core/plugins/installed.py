"""The entry points that are installed, with who provides them; what is half removed is named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, EntryPoint, distributions, entry_points
from pathlib import PurePath

import attrs

from mfbpi_core.errors import PluginError
from mfbpi_core.text import said

_UNKNOWN = "unknown"


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
    try:
        points = entry_points(group=group)
    except Exception:  # one unreadable file hides all the others
        yield from _one_by_one(group)
    else:
        yield from map(_origin, points)


def _one_by_one(group: str) -> Iterator[Origin | Unusable]:
    seen: set[str] = set()
    for each in distributions():
        name, version = _names(each)
        if name in seen:  # the first on the path is the one that is imported
            continue
        seen.add(name)
        try:
            yield from map(_origin, each.entry_points.select(group=group))
        except Exception as error:
            reason = f"its entry_points.txt cannot be read ({type(error).__name__}: {said(error)})"
            yield _half_removed(name, version, reason)


def _origin(point: EntryPoint) -> Origin | Unusable:
    if point.dist is None:
        return Origin(point=point, distribution=_UNKNOWN, version=_UNKNOWN)
    try:
        told = point.dist.metadata  # parsed anew each time that it is asked for
        name, version = told["Name"], told["Version"]
    except Exception:  # without a METADATA file, importlib raises whatever comes
        name, version = None, None
    if name and version:
        return Origin(point=point, distribution=name, version=version)
    name, version = _names(point.dist)
    return _half_removed(name, version, "it has entry points, but no METADATA that names it")


def _names(distribution: Distribution) -> tuple[str, str]:
    """Name and version by the folder, such as ``mfbpi_x-1.0.dist-info``."""
    folder = PurePath(str(getattr(distribution, "_path", _UNKNOWN))).stem
    name, _, version = folder.partition("-")
    return name.replace("_", "-"), version or _UNKNOWN


def _half_removed(name: str, version: str, reason: str) -> Unusable:
    error = PluginError(
        f"{reason}: it seems half removed; `pip install --force-reinstall {name}`, or delete its "
        ".dist-info folder"
    )
    return Unusable(distribution=name, version=version, error=error)
