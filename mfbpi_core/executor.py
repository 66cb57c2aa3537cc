"""The contract of an executor: where and how many at a time tasks are run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from mfbpi_core.types import Outcome

#: Runs one task, given as its canonical JSON; importable by name, so that it can be pickled.
RunTask = Callable[[str], Outcome]


class Work(Protocol):
    """What an executor hands to a worker: a task, or several that run together."""

    @property
    def task_id(self) -> str:
        """Identifies it and its outcome."""

    def to_json(self) -> str:
        """The text that a worker gets."""


class Executor(ABC):
    """Runs tasks. Built by ``factory(jobs, config)``.

    Attributes:
        jobs: how many tasks may run at the same time; None leaves it to the executor.
        config: the executor's parameters.
    """

    def __init__(self, jobs: int | None, config: Any) -> None:
        self.jobs = jobs
        self.config = config

    @abstractmethod
    def map(self, run: RunTask, tasks: Sequence[Work]) -> Iterator[Outcome]:
        """Run every task and yield its outcome as it ends, in any order.

        A task that raises, or whose worker dies, yields an outcome with status ``"failed"`` and
        the cause; the others go on. Closing the iterator, or an exception at a yield (Ctrl-C),
        stops the workers before it returns.

        Args:
            run: called with ``task.to_json()``; never raises for a failing task unless its
                process dies.
            tasks: what to run.
        """
