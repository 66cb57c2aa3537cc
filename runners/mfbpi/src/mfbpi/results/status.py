"""How far the runs of a directory have come, as anyone can see who can read it."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator

import attrs

from mfbpi.results.failures import Failure, failures_in
from mfbpi.results.state import State
from mfbpi.results.storage import files, manifest
from mfbpi.results.storage.directory import DRIVER, RUNNING, Store
from mfbpi.results.storage.places import Place, parse
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.errors import UsageError

#: A driver that has told nothing for so many of its intervals has ended without a word.
_SILENT = 4


@attrs.frozen(kw_only=True)
class Running:
    """A task that is running, or several together; short ones are not told of one by one.

    Attributes:
        label: what people call it.
        step: how far it is.
        horizon: where it ends.
        steps_per_s: how fast it goes.
        heard_s: seconds since it told so.
    """

    label: str
    step: int
    horizon: int
    steps_per_s: float
    heard_s: float

    @property
    def left_s(self) -> float | None:
        """Seconds that it still needs; None where that cannot be told."""
        if self.steps_per_s <= 0.0:
            return None
        return max(0.0, (self.horizon - self.step) / self.steps_per_s - self.heard_s)


@attrs.frozen(kw_only=True)
class Status:
    """How far the runs of a directory have come.

    Attributes:
        directory: the directory.
        planned: how many tasks there will be; None where it does not say.
        done: how many are done.
        failed: those that have failed.
        running: those that run long enough to tell how far they are.
        at_once: how many run at the same time now, long or short.
        per_s: outcomes a second, of all processes that write there.
        shards: sentences on shards that have not begun or not ended.
        silent: processes that have ended without a word, such as one that was killed.
    """

    directory: Place
    planned: int | None
    done: int
    failed: tuple[Failure, ...]
    running: tuple[Running, ...]
    at_once: int
    per_s: float
    shards: tuple[str, ...]
    silent: int

    @property
    def waiting(self) -> int:
        """Tasks without an outcome, as far as is known."""
        return max(0, (self.planned or 0) - self.done - len(self.failed))

    @property
    def left_s(self) -> float | None:
        """Seconds until all have outcomes; None where that cannot be told."""
        return self.waiting / self.per_s if self.per_s > 0.0 and self.planned else None

    @property
    def is_going_on(self) -> bool:
        """Whether some process is at work."""
        return self.at_once > 0


def status(directory: str | Place) -> Status:
    """Look how far the runs of a directory have come, while they go on or later.

    Raises:
        UsageError: when it holds no runs.

    Example:
        >>> import mfbpi
        >>> ended = mfbpi.run(
        ...     "uniform", "riverswim", seeds=range(2), steps=200, out="results/looked_at",
        ...     executor="serial",
        ... )
        >>> mfbpi.status("results/looked_at").done
        2
    """
    place = parse(directory)
    store = Store(place)
    done = {path.stem for path in store.rows()}
    planned = manifest.planned(place)
    if not done and planned is None:
        raise UsageError(f"{place} holds no runs; give a directory that `mfbpi run` writes to")
    drivers = list(_drivers(place))
    living = [state for state in drivers if _is_alive(state)]
    failed = tuple(each for each in failures_in(place) if each.task.task_id not in done)
    return Status(
        directory=place,
        planned=planned,
        done=len(done),
        failed=failed,
        running=tuple(_running(place)) if living else (),
        at_once=sum(min(state.at_once, max(0, state.waiting)) for state in living),
        per_s=sum(state.per_s for state in living),
        shards=tuple(manifest.unfinished(place)),
        silent=len(drivers) - len(living),
    )


def _is_alive(state: State) -> bool:
    return time.time() - state.written < _SILENT * max(state.every_s, 1.0)


def _drivers(directory: Place) -> Iterator[State]:
    """What each process that carries out a plan has told."""
    for content in _told(directory, f"{DRIVER}*.json"):
        if content.keys() == attrs.fields_dict(State).keys() and all(
            map(_is_number, content.values())
        ):
            yield State(**content)


def _running(directory: Place) -> Iterator[Running]:
    """What each worker has told of a long run."""
    now = time.time()
    found = []
    for content in _told(directory, "*-*.json"):
        numbers = {name: content.get(name) for name in ("step", "horizon", "steps_per_s")}
        label, written = content.get("label"), content.get("written")
        if (
            isinstance(label, str)
            and _is_number(written)
            and all(map(_is_number, numbers.values()))
        ):
            told: JsonObject = {**numbers, "heard_s": max(0.0, now - float(written or 0.0))}
            found.append(Running(label=label, **told))
    yield from sorted(found, key=lambda each: each.label)


def _told(directory: Place, pattern: str) -> Iterator[JsonObject]:
    """The content of small files of a folder; of one that is gone or no such file, nothing."""
    found: list[Place] = list((directory / RUNNING).glob(pattern))
    for path in sorted(found, key=lambda each: each.name):
        try:
            content = json.loads(files.read_regular(path))
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(content, dict):
            yield content


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) and value >= 0
