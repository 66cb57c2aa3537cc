"""The manifest of a directory: the settings of its results, and how many there will be."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mfbpi.plan.settings import compact, parse_seeds
from mfbpi.results.storage import files
from mfbpi.results.storage.directory import MANIFEST, pretty, unwritable
from mfbpi.results.storage.table import SCHEMA_VERSION
from mfbpi_core.errors import UsageError

#: Differences spelled out in a message; beyond, they are counted.
_SHOWN = 5

#: What may differ from one run to the next: further seeds are no other settings.
_GROWING = ("seeds", "tasks")

Manifest = Mapping[str, Any]


def read(directory: Path) -> dict[str, Any]:
    """The manifest of a directory, empty where there is none; that of an older version too.

    Raises:
        UsageError: when it cannot be read.
    """
    for path in (directory / MANIFEST, directory / "run.json"):
        try:
            loaded = json.loads(files.read_regular(path))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError, RecursionError) as error:
            raise UsageError(f"{path} cannot be read ({error}); choose another `out`") from error
        if not _is_manifest(loaded):
            raise UsageError(f"{path} is not a manifest of mfbpi; choose another `out`")
        return loaded
    return {}


def _is_manifest(loaded: Any) -> bool:
    if not isinstance(loaded, dict):
        return False
    parts = [loaded.get(name, {}) for name in ("agents", "environments", "seeds")]
    return all(isinstance(part, dict) for part in parts) and all(
        map(_are_seeds, parts[-1].values())
    )


def _are_seeds(given: Any) -> bool:
    try:
        return isinstance(given, str) and bool(parse_seeds(given))
    except UsageError:
        return False


def check(directory: Path, now: Manifest) -> None:
    """Refuse a directory whose results were made with other settings.

    One label stands for one configuration, and one configuration has one label, so that nothing is
    counted twice; further agents, environments and seeds may be added.

    Raises:
        UsageError: naming the settings or the labels that differ, with both values.
    """
    if directory.exists() and not directory.is_dir():
        raise UsageError(f"{directory} is a file; give a directory with `out`")
    before = read(directory)
    refuse_differences(directory, before, {**now, "schema_version": SCHEMA_VERSION})
    renamed = [*_renamed(before, now, "environments"), *_renamed(before, now, "agents")]
    if renamed:
        raise UsageError(
            f"{directory} holds the same under another label: {renamed[0]}; choose another "
            "directory with `out`"
        )


def refuse_differences(directory: Path, before: Manifest, now: Manifest) -> None:
    """Refuse results made with other settings, by what was recorded with them.

    Raises:
        UsageError: naming the settings that differ, with both values.
    """
    differences = list(_differences(before, now))
    if differences:
        more = len(differences) - _SHOWN
        listing = "; ".join(differences[:_SHOWN]) + (f"; and {more} more" if more > 0 else "")
        raise UsageError(
            f"{directory} holds results of other settings: {listing}; "
            "choose another directory with `out`"
        )


def _renamed(before: Manifest, now: Manifest, kind: str) -> Iterator[str]:
    """What is called otherwise there, with the same parameters; agents within one environment."""
    known = {
        (label.partition(" on ")[2], json.dumps(described, sort_keys=True)): label
        for label, described in before.get(kind, {}).items()
        if label not in now[kind]
    }
    for label, described in now[kind].items():
        key = label.partition(" on ")[2], json.dumps(described, sort_keys=True)
        if label not in before.get(kind, {}) and key in known:
            yield f"{known[key]!r} there and {label!r} here"


def record(directory: Path, now: Manifest) -> None:
    """Write the manifest, joined with the one that is there; call :func:`check` before.

    Raises:
        UsageError: when the directory cannot be written to.
    """
    before = read(directory)
    joined = {
        "schema_version": SCHEMA_VERSION,
        **now,
        **{key: {**before.get(key, {}), **now[key]} for key in ("agents", "environments")},
        **_joined_seeds(before.get("seeds", {}), now["seeds"]),
    }
    try:
        files.atomic_write(directory / MANIFEST, pretty(joined))
    except OSError as error:
        raise unwritable(directory, error) from error


def planned(directory: Path) -> int | None:
    """How many tasks the runs of a directory have; None where it does not say."""
    try:
        tasks = read(directory).get("tasks")
    except UsageError:
        return None
    return tasks if type(tasks) is int and tasks > 0 else None


def _joined_seeds(before: Mapping[str, str], now: Mapping[str, str]) -> dict[str, Any]:
    """The seeds of each agent in each environment, of all runs so far, and their number."""
    seeds = {
        pair: {seed for one in (before, now) if pair in one for seed in parse_seeds(one[pair])}
        for pair in {**before, **now}
    }
    return {
        "seeds": {pair: compact(own) for pair, own in seeds.items()},
        "tasks": sum(map(len, seeds.values())),
    }


def _differences(before: Manifest, now: Manifest, prefix: str = "") -> Iterator[str]:
    """Settings present on both sides with different values."""
    for key in sorted(before.keys() & now.keys()):
        name, old, new = f"{prefix}{key}", before[key], now[key]
        if name in _GROWING:
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            yield from _differences(old, new, f"{name}.")
            # Labels may be added; a label's parameters may not.
            one_sided = sorted(old.keys() ^ new.keys()) if prefix else []
            yield from (f"{name}.{inner} is on one side only" for inner in one_sided)
        elif old != new:
            yield f"{name} is {json.dumps(old)} there and {json.dumps(new)} here"
