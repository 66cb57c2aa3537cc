"""The workers of one call of ``map``, and the tasks that wait for them."""

from __future__ import annotations

import math
import os
import time
from collections import deque
from collections.abc import Generator, Sequence
from multiprocessing import connection
from typing import Any

from mfbpi_core import Outcome
from mfbpi_core.contracts.executor import Work
from mfbpi_core.errors import ExecutorError, PluginError
from mfbpi_executor_process.isolation import interruptions_held_back, is_importing_main, names_main
from mfbpi_executor_process.worker import DEAD, NOTHING, READY, TAKEN, Worker, end_in_words

#: Exit code of a worker whose main module starts workers when it is imported.
_NO_GUARD = 113

#: So many workers more than twice the jobs may fail to start, one after the other.
_SPARE_STARTS = 3

#: The system takes no longer waits, such as infinite ones.
_LONGEST_WAIT_S = 86_400.0


class Crew:
    """Workers that share tasks.

    Args:
        pickled_run: the function that runs a task.
        tasks: what to run.
        jobs: number of workers.
        limit_s: most seconds for a task, or None.
    """

    def __init__(
        self, pickled_run: bytes, tasks: Sequence[Work], jobs: int, limit_s: float | None
    ) -> None:
        self._run = pickled_run
        self._needs_main = names_main(pickled_run)
        self._waiting = deque(tasks)
        self._jobs = jobs
        self._limit_s = limit_s
        self._workers: list[Worker] = []
        #: Workers in a row that ended without having taken a task, and how the last one did.
        self._failed_starts = 0
        self._last_end = ""

    def outcomes(self) -> Generator[Outcome, None, None]:
        """Run everything; on leaving, however that happens, no worker is left.

        Raises:
            ExecutorError: when no worker can be started.
            PluginError: when the workers cannot load the function.
        """
        if is_importing_main():
            os._exit(_NO_GUARD)
        try:
            self._hire()
            while self._workers:
                for worker in self._with_news():
                    yield from self._handle(worker, worker.receive())
                for worker in self._overdue():
                    yield from self._bury(worker, _timed_out(worker.task, self._limit_s))
                self._hire()
        finally:
            self._dismiss(list(self._workers))

    def _hire(self) -> None:
        """Start workers for the tasks that wait, as long as starting them does not fail.

        Where others are at work, these go on alone, and starting is tried again once one of them
        takes a task.

        Raises:
            ExecutorError: when there is no worker and none can be started.
        """
        while self._wanted() > 0 and self._failed_starts < 2 * self._jobs + _SPARE_STARTS:
            try:
                # An exception between the start and the append would lose track of the process.
                with interruptions_held_back():
                    self._workers.append(Worker(self._run, self._needs_main))
            except OSError as error:
                self._note_failed_start(f"could not be started ({error.strerror or error})")
        if self._waiting and not self._workers:
            raise ExecutorError(
                f"no worker process can start: {self._failed_starts} in a row ended before they "
                f"took a task; the last one {self._last_end}"
            )

    def _wanted(self) -> int:
        free = sum(worker.task is None for worker in self._workers)
        return min(self._jobs - len(self._workers), len(self._waiting) - free)

    def _note_failed_start(self, end: str) -> None:
        self._failed_starts += 1
        self._last_end = end

    def _dismiss(self, workers: list[Worker]) -> None:
        """End workers at once, whatever they are doing, and wait until they are gone."""
        with interruptions_held_back():
            for worker in workers:
                worker.kill()
            for worker in workers:
                worker.close()
                self._workers.remove(worker)

    def _with_news(self) -> list[Worker]:
        """Wait until some workers have sent or printed something, have ended, or must end."""
        deadlines = [w.deadline for w in self._workers if w.deadline is not None]
        timeout = max(0.0, min(deadlines, default=math.inf) - time.monotonic())
        ends = [end for w in self._workers for end in w.ends]
        ready = set(connection.wait(ends, min(timeout, _LONGEST_WAIT_S)))
        return [w for w in self._workers if not ready.isdisjoint(w.ends)]

    def _overdue(self) -> list[Worker]:
        now = time.monotonic()
        return [w for w in self._workers if w.deadline is not None and w.deadline <= now]

    def _handle(self, worker: Worker, message: Any) -> list[Outcome]:
        """Act on a worker's message, or on its death, and return what has ended."""
        if message == NOTHING:
            return []
        if message == DEAD:
            return self._bury_dead(worker)
        if message == TAKEN:
            self._failed_starts = 0
            worker.begin(_limit(worker.task, self._limit_s))
            return []
        if not worker.ready and message != READY:
            raise PluginError(f"worker processes cannot load the function to run: {message}")
        worker.ready = True
        task = worker.finish()
        # The worker goes on before its outcome is dealt with, which may take a while.
        if self._waiting:
            worker.send(self._waiting.popleft())
        else:
            self._dismiss([worker])
        if task is None:
            return []
        return [message if isinstance(message, Outcome) else _failed(task, message)]

    def _bury_dead(self, worker: Worker) -> list[Outcome]:
        """Deal with a dead worker: the task that it had taken has failed, and no other."""
        code = worker.exit_code()
        if code == _NO_GUARD and not worker.ready:
            raise ExecutorError(_NEEDS_GUARD)
        end = end_in_words(code)
        if not worker.taken:
            self._note_failed_start(end)
        return self._bury(worker, f"the worker process of this task {end}")

    def _bury(self, worker: Worker, error: str) -> list[Outcome]:
        """Part with a worker; a task that it has not taken waits for another one."""
        task, taken = worker.task, worker.taken
        self._dismiss([worker])
        if task is None:
            return []
        if taken:
            return [_failed(task, error)]
        self._waiting.appendleft(task)
        return []


_NEEDS_GUARD = (
    "worker processes import the script that defines the function to run, and it starts workers "
    "when it is imported; put that part below `if __name__ == '__main__':`"
)


def _limit(task: Work | None, limit_s: float | None) -> float | None:
    """Most seconds for a piece of work."""
    return None if task is None or limit_s is None else limit_s * task.n_tasks


def _timed_out(task: Work | None, limit_s: float | None) -> str:
    together = "" if task is None or task.n_tasks == 1 else f", {task.n_tasks} tasks together"
    return f"timed out after {_limit(task, limit_s):g} s{together}"


def _failed(task: Work, error: str) -> Outcome:
    return Outcome(task_id=task.task_id, status="failed", error=error)
