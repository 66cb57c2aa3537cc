"""The workers of a run, each an actor that has one task at a time.

Tasks are handed out as workers become free, so that neither they nor their outcomes pile up in
the cluster, however many there are. An outcome is yielded as soon as it has reached the driver.
"""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import attrs
import ray
from ray.exceptions import RayError, RayTaskError

from mfbpi_core import Outcome
from mfbpi_core.contracts.executor import Work
from mfbpi_core.errors import ExecutorError
from mfbpi_core.printed import LabelledLines
from mfbpi_executor_ray import cluster
from mfbpi_executor_ray.config import Config
from mfbpi_executor_ray.worker import Worker

#: Times that a task is tried again because its node was lost, before that is held against it.
_LOST_NODES = 20

#: Workers that may in a row not start, beyond twice those that there are to be.
_SPARE_STARTS = 3

#: An actor of Ray, or what it will answer; Ray's types say neither.
Handle: TypeAlias = Any


@attrs.define(eq=False)
class Attempt:
    """A task, and what has become of it so far.

    Attributes:
        work: the task.
        deaths: how often its worker has died.
        losses: how often its node was lost.
    """

    work: Work
    deaths: int = 0
    losses: int = 0


@attrs.define(eq=False)
class Seat:
    """A worker.

    Attributes:
        actor: Ray's handle on it.
        node: where it is; empty until it has begun.
        attempt: what it runs, or None.
        deadline: when that must have ended, on the clock of :func:`time.monotonic`.
    """

    actor: Handle
    node: str = ""
    attempt: Attempt | None = None
    deadline: float = math.inf


@attrs.define
class Crew:
    """Runs tasks on a cluster to which one is connected.

    Attributes:
        pickled_run: the function.
        expected: the programs that every worker must have.
        config: the executor's parameters.
        size: how many workers there are to be.
        limit_s: most seconds for a task, or None.
    """

    pickled_run: bytes
    expected: Mapping[str, str]
    config: Config
    size: int
    limit_s: float | None
    _waiting: deque[Attempt] = attrs.field(factory=deque)
    _seats: dict[Handle, Seat] = attrs.field(factory=dict)  # by what they are to answer
    _free: list[Seat] = attrs.field(factory=list)
    _failed_starts: int = 0

    def outcomes(self, tasks: Sequence[Work]) -> Iterator[Outcome]:
        """Run the tasks; closing the iterator kills the workers."""
        self._waiting.extend(Attempt(task) for task in tasks)
        try:
            while self._waiting or self._working:
                self._employ()
                answered, _ = ray.wait(list(self._seats), num_returns=1, timeout=self._patience())
                for reference in answered:
                    yield from self._hear(reference)
                yield from self._stop_late()
        finally:
            for seat in (*self._seats.values(), *self._free):
                _kill(seat)

    @property
    def _working(self) -> list[Handle]:
        return [reference for reference, seat in self._seats.items() if seat.attempt is not None]

    def _employ(self) -> None:
        """Give each free worker a task, and start as many as are needed and may be."""
        while self._free and self._waiting:
            seat = self._free.pop()
            seat.attempt = self._waiting.popleft()
            if self.limit_s is not None:
                seat.deadline = time.monotonic() + self.limit_s * seat.attempt.work.n_tasks
            self._seats[seat.actor.attempt.remote(seat.attempt.work.to_json())] = seat
        starting = len(self._seats) - len(self._working)
        room = self.size - len(self._seats) - len(self._free)
        for _ in range(min(room, len(self._waiting) - starting)):
            seat = Seat(self._actor())
            self._seats[seat.actor.begin.remote()] = seat

    def _actor(self) -> Handle:
        kind = ray.remote(Worker).options(
            num_cpus=self.config.cpus_per_task,
            num_gpus=self.config.gpus_per_task,
            max_restarts=0,
            max_task_retries=0,
        )
        threads = max(1, int(self.config.cpus_per_task))
        return kind.remote(self.pickled_run, dict(self.expected), threads)

    def _patience(self) -> float | None:
        """Seconds to wait for an answer."""
        first = min((seat.deadline for seat in self._seats.values()), default=math.inf)
        return None if math.isinf(first) else max(0.0, first - time.monotonic())

    def _hear(self, reference: Handle) -> Iterator[Outcome]:
        """What a worker has answered, or what it means that it cannot."""
        seat = self._seats.pop(reference)
        try:
            answer = ray.get(reference)
        except RayTaskError as error:  # of the worker's own code: begun wrongly, or a bug
            if seat.attempt is None:
                self._not_begun(seat, str(error))
            else:
                yield from self._lost(seat, str(error).strip().splitlines()[-1])
        except RayError as error:
            if seat.attempt is None:
                self._not_begun(seat, str(error))
            else:
                yield from self._lost(seat, " ".join(str(error).split())[:300])
        else:
            yield from self._take(seat, answer)

    def _take(self, seat: Seat, answer: Any) -> Iterator[Outcome]:
        attempt = seat.attempt
        if attempt is None:
            seat.node, differing = answer
            if differing:  # a node that has joined since
                _kill(seat)
                cluster.refuse(f"a node ({seat.node[:8]})", differing)
            self._failed_starts = 0
        else:
            outcome, printed = answer
            seat.attempt, seat.deadline = None, math.inf
            _show(attempt.work.label, printed)
            yield _failed(attempt.work, outcome) if isinstance(outcome, str) else outcome
        self._free.append(seat)

    def _not_begun(self, seat: Seat, why: str) -> None:
        """A worker that has not begun is no task's fault; too many are the cluster's."""
        _kill(seat)
        self._failed_starts += 1
        if self._failed_starts > 2 * self.size + _SPARE_STARTS:
            last = why.strip().splitlines()[-1] if why.strip() else "no cause is given"
            raise ExecutorError(f"no worker can be started on the Ray cluster: {last}")

    def _lost(self, seat: Seat, why: str) -> Iterator[Outcome]:
        """Have the task tried again elsewhere, unless it has cost too many workers."""
        attempt = seat.attempt
        assert attempt is not None
        _kill(seat)
        if seat.node in cluster.living_nodes():
            attempt.deaths += 1
        else:
            attempt.losses += 1
        if attempt.deaths > self.config.retries or attempt.losses > _LOST_NODES:
            tried = attempt.deaths + attempt.losses
            yield _failed(attempt.work, f"its worker died, {tried} times in all: {why}")
        else:
            self._waiting.appendleft(attempt)

    def _stop_late(self) -> Iterator[Outcome]:
        """Kill the workers of tasks over the limit."""
        now = time.monotonic()
        for reference, seat in list(self._seats.items()):
            if seat.attempt is not None and seat.deadline <= now:
                del self._seats[reference]
                _kill(seat)
                yield _failed(seat.attempt.work, self._too_late(seat.attempt.work))

    def _too_late(self, work: Work) -> str:
        assert self.limit_s is not None
        together = f", {work.n_tasks} tasks together" if work.n_tasks > 1 else ""
        return f"timed out after {self.limit_s * work.n_tasks:g} s{together}"


def _kill(seat: Seat) -> None:
    with contextlib.suppress(RayError, ValueError):
        ray.kill(seat.actor)


def _failed(work: Work, error: str) -> Outcome:
    return Outcome(task_id=work.task_id, status="failed", error=error)


def _show(label: str, printed: bytes) -> None:
    """Pass on what a task has printed, each line after its label."""
    if printed:
        lines = LabelledLines(label, sys.stderr)
        lines.write(printed)
        lines.finish()
