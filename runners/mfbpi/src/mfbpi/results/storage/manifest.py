"""The manifest of a directory: the settings of its results, and how many there will be."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from mfbpi.plan.settings import compact, parse_seeds
from mfbpi.plan.sharding import Shard
from mfbpi.results.storage import files
from mfbpi.results.storage.directory import MANIFEST, pretty, unwritable
from mfbpi.results.storage.places import Place
from mfbpi.results.storage.table import SCHEMA_VERSION
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.errors import UsageError

#: Names of manifests.
_NAMES = re.compile(r"_run(-(?P<index>[0-9]{1,6})-of-(?P<count>[0-9]{1,6}))?\.json")

#: That of an older version.
_OLD = "run.json"

#: Shards named in a message; beyond, they are counted.
_SHOWN_SHARDS = 20

#: Differences spelled out in a message; beyond, they are counted.
_SHOWN = 5

#: What may differ from one run to the next: further seeds are no other settings.
_GROWING = ("seeds", "tasks")

Manifest = Mapping[str, Any]


def read(directory: Place) -> JsonObject:
    """What the manifests of a directory say together; empty where there is none.

    Raises:
        UsageError: when one cannot be read.
    """
    joined: JsonObject = {}
    for each in _all(directory).values():
        joined = _join(joined, each) if joined else each
    return joined


def _all(directory: Place) -> dict[Place, JsonObject]:
    """Each manifest: that of runs that are not sharded, those of shards, that of older versions."""
    try:
        there = [path.name for path in directory.iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return {}
    names = sorted(filter(_NAMES.fullmatch, there))
    if not names and _OLD in there:
        names = [_OLD]
    found = {directory / name: _read(directory / name) for name in names}
    return {path: content for path, content in found.items() if content}


def _read(path: Place) -> JsonObject:
    try:
        loaded = json.loads(files.read_regular(path))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{path} cannot be read ({error}); choose another `out`") from error
    if not _is_manifest(loaded):
        raise UsageError(f"{path} is not a manifest of mfbpi; choose another `out`")
    return loaded


def path_of(directory: Place, shard: Shard | None) -> Place:
    """Where the manifest of a run is, or of one of its shards."""
    return directory / (MANIFEST if shard is None else f"_run-{shard.tag}.json")


def _is_manifest(loaded: object) -> bool:
    if not isinstance(loaded, dict):
        return False
    parts = [loaded.get(name, {}) for name in ("agents", "environments", "shard", "seeds")]
    return all(isinstance(part, dict) for part in parts) and all(
        map(_are_seeds, parts[-1].values())
    )


def _are_seeds(given: object) -> bool:
    try:
        return isinstance(given, str) and bool(parse_seeds(given))
    except UsageError:
        return False


def check(directory: Place, now: Manifest) -> None:
    """Refuse a directory whose results were made with other settings.

    One label stands for one configuration, and one configuration has one label, so that nothing is
    counted twice; further agents, environments and seeds may be added.

    Raises:
        UsageError: naming the settings or the labels that differ, with both values.
    """
    refuse_file(directory)
    before = read(directory)
    refuse_differences(directory, before, {**now, "schema_version": SCHEMA_VERSION})
    renamed = [*_renamed(before, now, "environments"), *_renamed(before, now, "agents")]
    if renamed:
        raise UsageError(
            f"{directory} holds the same under another label: {renamed[0]}; choose another "
            "directory with `out`"
        )


def refuse_file(directory: Place) -> None:
    """Refuse a file in place of a directory; raises :class:`UsageError`."""
    if directory.exists() and not directory.is_dir():
        raise UsageError(f"{directory} is a file; give a directory with `out`")


def forget(directory: Place) -> None:
    """Remove all manifests of a directory, where what they tell of is no longer there.

    Raises:
        OSError: when they cannot be removed.
    """
    for path in _all(directory):
        files.remove(path)


def refuse_differences(directory: Place, before: Manifest, now: Manifest) -> None:
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


def record(
    directory: Place, now: Manifest, shard: Shard | None = None, n_tasks: int | None = None
) -> None:
    """Write the manifest, joined with the one that is there; call :func:`check` before.

    Args:
        directory: where.
        now: the settings, as :meth:`mfbpi.plan.grid.TaskPlan.manifest` tells them.
        shard: the part of the tasks that is run, which has a manifest of its own.
        n_tasks: how many tasks that part has.

    Raises:
        UsageError: when the directory cannot be written to, or another shard has begun with other
            settings meanwhile.
    """
    path = path_of(directory, shard)
    before = _read(path)
    joined = _join(before, {"schema_version": SCHEMA_VERSION, **now})
    if shard is not None:
        joined["shard"] = {**attrs.asdict(shard), "tasks": n_tasks, "finished": False}
    _write(path, joined)
    try:
        check(directory, now)
    except UsageError:
        if before:
            _write(path, before)
        else:
            path.unlink(missing_ok=True)
        raise


def finish(directory: Place, shard: Shard) -> None:
    """Note that every task of a shard has an outcome; raises :class:`UsageError` if it cannot."""
    path = path_of(directory, shard)
    content = _read(path)
    _write(path, {**content, "shard": {**content.get("shard", {}), "finished": True}})


def unfinished(directory: Place) -> list[str]:
    """Sentences on the shards that have not begun, or not ended, where there are any."""
    ended: dict[Shard, bool] = {}
    for path, content in _all(directory).items():
        named = _NAMES.fullmatch(path.name)
        if named and named["count"]:
            shard = Shard(int(named["index"]), int(named["count"]))
            ended[shard] = bool(dict(content.get("shard") or {}).get("finished"))
    every = (Shard(index, count) for count in {s.count for s in ended} for index in range(count))
    missing = [shard for shard in every if shard not in ended]
    open_ones = [shard for shard, finished in ended.items() if not finished]
    return [
        f"{_listed(shards)} {what}"
        for what, shards in (("not begun", missing), ("not ended", open_ones))
        if shards
    ]


def _listed(shards: Sequence[Shard]) -> str:
    shown = [str(shard) for shard in sorted(shards, key=lambda s: (s.count, s.index))]
    more = len(shown) - _SHOWN_SHARDS
    names = ", ".join(shown[:_SHOWN_SHARDS]) + (f" and {more} more" if more > 0 else "")
    return f"shards {names} have" if len(shown) > 1 else f"shard {names} has"


def _write(path: Place, content: Manifest) -> None:
    try:
        files.atomic_write(path, pretty(content))
    except OSError as error:
        raise unwritable(path.parent, error) from error


def _join(before: Manifest, now: Manifest) -> JsonObject:
    """Two manifests of the same settings as one: agents, environments and seeds of both."""
    parts = ("agents", "environments")
    return {
        **now,
        **{key: {**before.get(key, {}), **now.get(key, {})} for key in parts},
        **_joined_seeds(before.get("seeds", {}), now.get("seeds", {})),
    }


def planned(directory: Place) -> int | None:
    """How many tasks the runs of a directory have; None where it does not say."""
    try:
        tasks = read(directory).get("tasks")
    except UsageError:
        return None
    return tasks if type(tasks) is int and tasks > 0 else None


def _joined_seeds(before: Mapping[str, str], now: Mapping[str, str]) -> JsonObject:
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
