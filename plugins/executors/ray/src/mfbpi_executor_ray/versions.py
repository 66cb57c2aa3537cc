"""Which programs a machine has: numbers are only comparable where they are the same."""

from __future__ import annotations

import platform
import re
from collections.abc import Mapping
from importlib import metadata

#: Differences that a message names; beyond, they are counted.
_SHOWN = 5


def here() -> dict[str, str]:
    """Distribution to version: all of mfbpi's, its plugins, and what these require."""
    ours = {}
    required: set[str] = set()
    for distribution in metadata.distributions():
        name = _canonical(distribution.name or "")
        plugs_in = any(point.group == "mfbpi" for point in distribution.entry_points)
        if name.startswith("mfbpi") or plugs_in:
            ours[name] = distribution.version
            lines = distribution.requires or ()
            required |= {_name(line) for line in lines if "extra ==" not in line}
    found = {name: _version(name) for name in required - ours.keys()}
    return {"python": platform.python_version(), **ours, **found}


def differences(expected: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    """What is not the same, such as ``"numpy 2.0 here and 2.1 there"``."""
    return [
        f"{name} {expected.get(name, 'missing')} here and {found.get(name, 'missing')} there"
        for name in sorted(expected.keys() | found.keys())
        if expected.get(name) != found.get(name)
    ]


def listed(differing: list[str]) -> str:
    """Some of them, and how many more."""
    more = len(differing) - _SHOWN
    return "; ".join(differing[:_SHOWN]) + (f"; and {more} more" if more > 0 else "")


def _name(requirement: str) -> str:
    return _canonical(re.split(r"[<>=~!\[; (]", requirement)[0])


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "missing"
