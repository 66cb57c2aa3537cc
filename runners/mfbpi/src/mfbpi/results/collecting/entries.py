"""The results of directories before their rows are read: what puts them in order, each once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from mfbpi.notices import note, warn
from mfbpi.results.collected import nothing_in
from mfbpi.results.storage import reading
from mfbpi.results.storage.ahead import ahead
from mfbpi.results.storage.directory import Store
from mfbpi.results.storage.places import Place
from mfbpi.results.storage.reading import ResultError, Versions
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.data.task import Task
from mfbpi_core.errors import UsageError

#: Tasks whose whole provenance goes into the metadata of one table; that of more would fill memory.
MOST_ORIGINS = 1_000


@attrs.frozen(order=True)
class Entry:
    """A result, in the order of agent, environment and seed, which nobody's haste decides.

    Attributes:
        agent: label of its agent.
        env: label of its environment.
        seed: its seed.
        task_id: its task.
        directory: number of its directory.
        about: what a table of runs says of it.
    """

    agent: str
    env: str
    seed: int
    task_id: str
    directory: int
    about: tuple[Any, ...] = attrs.field(order=False)


@attrs.define
class Entries:
    """The results of some directories, each task once.

    Attributes:
        stores: the directories.
        listed: the results, in order.
        repeated: how many more there are of the same tasks.
        configs: each configuration once, as JSON, by its number in :attr:`Entry.about`.
        versions: what the results were made with, and how many were.
        origins: the provenance of each task, unless there are too many.
        problems: what is wrong with files that are left out, by number of their directory.
    """

    stores: Sequence[Store]
    listed: list[Entry] = attrs.field(factory=list)
    repeated: int = 0
    configs: dict[str, int] = attrs.field(factory=dict)
    versions: Counter[Versions] = attrs.field(factory=Counter)
    origins: JsonObject = attrs.field(factory=dict)
    left_out: Counter[int] = attrs.field(factory=Counter)

    @classmethod
    def of(cls, directories: Iterable[Place]) -> Entries:
        """Look at every file.

        Raises:
            UsageError: when a directory has no results.
        """
        found = cls([Store(directory) for directory in directories])
        seen: set[str] = set()
        for number, store in enumerate(found.stores):
            before = len(found.listed) + found.repeated
            looks = ahead(
                lambda path: reading.attempt(reading.look, path), store.rows(), store.directory
            )
            for look in looks:
                found._take(look, number, seen)
            if len(found.listed) + found.repeated == before:
                raise UsageError(nothing_in(store.directory))
        found.listed.sort()
        found._say()
        return found

    def _take(
        self, look: tuple[Task, int, JsonObject] | ResultError, number: int, seen: set[str]
    ) -> None:
        if isinstance(look, ResultError):
            self.leave_out(number, look)
            return
        task, n_rows, origin = look
        if task.task_id in seen:
            self.repeated += 1
            return
        seen.add(task.task_id)
        self.versions[reading.versions_of(origin)] += 1
        if len(seen) <= MOST_ORIGINS:
            self.origins[task.task_id] = origin
        about = (*self.about(task), n_rows, *_durations(origin))
        self.listed.append(
            Entry(task.agent.shown, task.environment.shown, task.seed, task.task_id, number, about)
        )

    def about(self, task: Task) -> tuple[Any, ...]:
        """Numbers of its configurations, its horizon, episodes, interval and discount."""
        numbers = [
            self.configs.setdefault(json.dumps(config, sort_keys=True), len(self.configs))
            for config in (task.agent.config, task.environment.config)
        ]
        return (*numbers, task.horizon, task.episodes, task.eval_every, task.discount)

    def leave_out(self, number: int, error: ResultError) -> None:
        """Note that a file of a directory is none of a result."""
        warn(f"{error}; it is left out")
        self.left_out[number] += 1

    def path(self, entry: Entry) -> Place:
        """The file of its rows."""
        return self.stores[entry.directory].path(entry.task_id)

    def _say(self) -> None:
        if self.repeated:
            warn(f"{self.repeated} tasks are in several directories; each is in the table once")
        message = reading.mixed_versions(self.versions.elements())
        if message:
            note(message)


def _durations(origin: JsonObject) -> tuple[float | None, ...]:
    """Seconds of learning, of metrics and in all; and how many seeds ran together."""
    told = origin.get("durations")
    told = told if isinstance(told, dict) else {}
    names = ("learning_s", "metrics_s", "total_s")
    replicas = origin.get("replicas")
    return (
        *(_number(told.get(name)) for name in names),
        replicas if type(replicas) is int else None,
    )


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)
