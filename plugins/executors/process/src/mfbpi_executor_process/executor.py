"""Runs tasks in spawned processes of this machine, several at a time.

Processes are spawned, never forked, so that a worker starts with fresh libraries, generators and
threads. Each computes with one thread: the tasks are the parallelism. A worker holds one task at a
time, and an outcome is yielded as soon as it is taken, so that memory does not grow with the tasks.
"""

from __future__ import annotations

import os
import pickle
from collections import deque
from collections.abc import Generator, Sequence
from multiprocessing import connection
from typing import Any

from mfbpi_core import Executor, Outcome
from mfbpi_core.errors import ConfigError, PluginError
from mfbpi_core.executor import RunTask, Work
from mfbpi_executor_process.isolation import interruptions_held_back
from mfbpi_executor_process.worker import READY, Worker


class Process(Executor):
    """Runs tasks in ``jobs`` processes, by default one for each core this process may use.

    Raises:
        ConfigError: when ``jobs`` is less than 1.
    """

    def __init__(self, jobs: int | None, config: Any) -> None:
        super().__init__(jobs, config)
        if jobs is not None and jobs < 1:
            raise ConfigError(f"jobs is {jobs}; expected 1 or more processes")

    def map(self, run: RunTask, tasks: Sequence[Work]) -> Generator[Outcome, None, None]:
        """Run the tasks and yield their outcomes as they end.

        Workers start at the first ``next()``. They are killed when the iterator is closed, or
        when an exception such as that of Ctrl-C passes through it; the caller closes it in any
        case, for instance with ``contextlib.closing``.

        Raises:
            PluginError: when ``run`` cannot be pickled by its name.
        """
        return _Crew(_pickled(run), tasks, self.jobs or available_cores()).outcomes()


def available_cores() -> int:
    """Number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _pickled(run: RunTask) -> bytes:
    try:
        return pickle.dumps(run)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise PluginError(
            f"{run!r} cannot be sent to worker processes ({error}); expected a function that can "
            "be imported by its name, not a lambda or a local function (the serial executor "
            "takes any)"
        ) from error


class _Crew:
    """The workers of one call of ``map``, and the tasks that wait for them."""

    def __init__(self, pickled_run: bytes, tasks: Sequence[Work], jobs: int) -> None:
        self._run = pickled_run
        self._waiting = deque(tasks)
        self._jobs = jobs
        self._workers: list[Worker] = []

    def outcomes(self) -> Generator[Outcome, None, None]:
        """Run everything; on leaving, however that happens, no worker is left."""
        try:
            for _ in range(min(self._jobs, len(self._waiting))):
                self._hire()
            while self._workers:
                for worker in self._with_news():
                    yield from self._handle(worker, worker.receive())
        finally:
            self._dismiss(list(self._workers))

    def _hire(self) -> None:
        # An exception between the start and the append would lose track of the process.
        with interruptions_held_back():
            self._workers.append(Worker(self._run))

    def _dismiss(self, workers: list[Worker]) -> None:
        """End workers at once, whatever they are doing, and wait until they are gone."""
        with interruptions_held_back():
            for worker in workers:
                worker.kill()
            for worker in workers:
                worker.close()
                self._workers.remove(worker)

    def _with_news(self) -> list[Worker]:
        """Wait until some workers have sent something or have ended."""
        ends = [end for w in self._workers for end in (w.connection, w.sentinel)]
        ready = connection.wait(ends)
        return [w for w in self._workers if w.connection in ready or w.sentinel in ready]

    def _handle(self, worker: Worker, message: Any) -> list[Outcome]:
        """Act on a worker's message, or on its death (None), and return what has ended."""
        if message is None:
            return self._bury(worker)
        if not worker.ready and message != READY:
            raise PluginError(f"worker processes cannot load the function to run: {message}")
        worker.ready = True
        task, worker.task = worker.task, None
        # The worker goes on before its outcome is dealt with, which may take a while.
        if self._waiting:
            worker.send(self._waiting.popleft())
        else:
            self._dismiss([worker])
        if task is None:
            return []
        return [message if isinstance(message, Outcome) else _failed(task, message)]

    def _bury(self, worker: Worker) -> list[Outcome]:
        """Deal with a dead worker: its task has failed; another takes its place if needed.

        One that never was ready is not replaced, lest processes that cannot start follow one
        another for ever; without any worker left, the tasks that wait have failed too.
        """
        end = worker.end_of_life()
        self._dismiss([worker])
        lost = [] if worker.task is None else [worker.task]
        failed = [_failed(task, f"the worker process of this task {end}") for task in lost]
        if worker.ready and self._waiting:
            self._hire()
        if not self._workers:
            failed += [_failed(task, _NO_WORKER.format(end=end)) for task in self._waiting]
            self._waiting.clear()
        return failed


_NO_WORKER = (
    "no worker process could start: the last one {end}; its own message is above. (A script that "
    "runs tasks in processes must do so below `if __name__ == '__main__':`)"
)


def _failed(task: Work, error: str) -> Outcome:
    return Outcome(task_id=task.task_id, status="failed", error=error)
