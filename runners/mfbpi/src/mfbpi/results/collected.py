"""All the results of directories, each task once, in an order that nobody's haste decides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs
import pyarrow as pa

from mfbpi.notices import note, warn
from mfbpi.results import alike
from mfbpi.results.failures import failures_in
from mfbpi.results.storage import manifest, table
from mfbpi.results.storage import reading as results
from mfbpi.results.storage.directory import MANIFEST, Store
from mfbpi.results.storage.places import Place
from mfbpi.results.storage.reading import Result
from mfbpi_core.errors import UsageError


@attrs.frozen(kw_only=True, eq=False)
class Found:
    """The results of a directory, and how many there will be; None where that is not said."""

    results: list[Result]
    planned: int | None

    @classmethod
    def read(cls, directory: Place) -> Found:
        """Read what is there, and say what is not.

        Raises:
            UsageError: when nothing is there.
        """
        store = Store(directory)
        problems: list[str] = []
        found = list(results.read_all(store.rows(), problems))
        for problem in problems:
            warn(problem)
        if not found:
            raise UsageError(nothing_in(directory))
        planned = manifest.planned(directory)
        say(directory, len(found), planned, len(store.errors()))
        return cls(results=found, planned=planned)


def nothing_in(directory: Place) -> str:
    """What to say of a directory without results: it may not be there, or its runs have failed."""
    failed = sorted(failures_in(directory), key=lambda each: each.task.seed)
    if failed:
        first = failed[0]
        return (
            f"{directory} holds no results: what has ended has failed ({len(failed)} tasks); "
            f"{first.task.label}: {first.cause}"
        )
    return (
        f"{directory} holds no results{_absent(directory)}; give a directory that `mfbpi run` wrote"
    )


def _absent(directory: Place) -> str:
    try:
        return "" if directory.exists() else " (there is no such directory)"
    except OSError:  # which says nothing about it
        return ""


def say(directory: Place, n_found: int, planned: int | None, failed: int) -> None:
    """Say what of a directory is not there."""
    if failed:
        warn(f"{directory}: {failed} tasks failed and are not in the table")
    if planned is None:
        warn(f"{directory} does not say how many tasks it should have: some may be missing")
    elif n_found < planned:
        shards = "".join(f"; {sentence}" for sentence in manifest.unfinished(directory))
        warn(f"{directory} has {n_found} of {planned} tasks; the others are not done{shards}")
    elif n_found > planned:
        warn(f"{directory} has {n_found} tasks, more than the {planned} of its {MANIFEST}")


def total_planned(found: Iterable[tuple[int, int | None]], repeated: int) -> int | None:
    """How many tasks there will be in all; None where a directory does not say, or is wrong.

    Args:
        found: of each directory, how many tasks it has, and how many it will have.
        repeated: how many of them are in several directories.
    """
    total = 0
    for n_found, planned in found:
        if planned is None or planned < n_found:
            return None
        total += planned
    return total - repeated


def once_each(found: Sequence[Result]) -> list[Result]:
    """Each task once, the first of its results, by agent, environment and seed."""
    once = {result.task.task_id: result for result in reversed(found)}
    repeated = len(found) - len(once)
    if repeated:
        warn(f"{repeated} tasks are in several directories; each is in the table once")
    message = results.mixed_versions(results.versions_of(each.origin) for each in once.values())
    if message:
        note(message)
    for sentence in alike.mixed([each.task for each in once.values()]):
        note(sentence)
    return sorted(once.values(), key=_place)


def collected(found: Sequence[Result]) -> pa.Table:
    """The tables of these results in one, in an order that does not depend on who wrote first."""
    return table.concatenate([result.content for result in sorted(found, key=_place)])


def _place(result: Result) -> tuple[str, str, int, str]:
    task = result.task
    return (task.agent.shown, task.environment.shown, task.seed, task.task_id)
