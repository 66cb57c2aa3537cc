"""The contract of an executor: where and how many at a time tasks are run."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import ClassVar, Generic, Literal, Protocol

import attrs

from mfbpi_core.contracts.configured import C
from mfbpi_core.errors import ConfigError, UsageError


@attrs.frozen(kw_only=True)
class Outcome:
    """What became of one task.

    Attributes:
        task_id: the task.
        status: ``"done"`` or ``"failed"``.
        tables: file suffix (``".parquet"``) to file content, for a task that is done.
        error: traceback or cause, for a task that failed.
        cause: the same on one line, where it is known.
    """

    task_id: str
    status: Literal["done", "failed"]
    tables: Mapping[str, bytes] = attrs.field(factory=dict)
    error: str = ""
    cause: str = ""


#: Runs one task, given as its canonical JSON; importable by name, so that it can be pickled.
RunTask = Callable[[str], Outcome]


class Work(Protocol):
    """What an executor hands to a worker: a task, or several that run together."""

    @property
    def task_id(self) -> str:
        """Identifies it and its outcome."""

    @property
    def label(self) -> str:
        """What people call it, in front of what it prints."""

    @property
    def n_tasks(self) -> int:
        """How many tasks it holds, for limits that are meant for each."""

    def to_json(self) -> str:
        """The text that a worker gets."""


class Executor(ABC, Generic[C]):
    """Runs tasks. Built by ``factory(jobs, config)``.

    Attributes:
        jobs: how many tasks may run at the same time; None leaves it to the executor.
        config: the executor's parameters.
        tries_again: whether a task whose worker was lost is run again elsewhere; it goes on from
            its last checkpoint then, whichever run has left that.
    """

    tries_again: ClassVar[bool] = False

    def __init__(self, jobs: int | None, config: C) -> None:
        self.jobs = jobs
        self.config = config

    def limit_time(self, seconds: float) -> None:
        """Stop every task that takes longer, once it has been taken by a worker.

        Called before :meth:`map`, if at all. A task over the limit yields a failed outcome that
        says so, and the others go on; work that holds n tasks may take n times as long. An
        executor that cannot stop a task, whatever that is doing, keeps this method, and the run
        is refused before it starts.

        Args:
            seconds: for each task, above 0.

        Raises:
            UsageError: where tasks cannot be stopped.
        """
        raise UsageError(
            f"the executor {type(self).__name__} cannot stop a task, so that no limit of "
            f"{seconds:g} s can be set; choose one that can, such as process, or set no limit"
        )

    @abstractmethod
    def map(self, run: RunTask, tasks: Sequence[Work]) -> Iterator[Outcome]:
        """Run every task and yield its outcome as it ends, in any order.

        A task that raises, or whose worker dies, yields an outcome with status ``"failed"`` and
        the cause; the others go on. A worker that dies before it has taken a task fails nobody:
        another takes its place. Closing the iterator, or an exception at a yield (Ctrl-C), stops
        the workers before it returns.

        What tasks print, from Python or from compiled code, goes to ``sys.stderr``, line by line,
        with :attr:`Work.label` in front and control characters made visible
        (:func:`mfbpi_core.text.visible`). Standard output belongs to the caller.

        Args:
            run: called with ``task.to_json()``; never raises for a failing task unless its
                process dies.
            tasks: what to run.

        Raises:
            ExecutorError: when no worker can be started, however often it is tried.
        """


class ParallelExecutor(Executor[C]):
    """Base of executors that run several tasks at a time, and can stop a worker.

    Attributes:
        limit_s: seconds that each task may take; None where no limit is set.

    Raises:
        ConfigError: when ``jobs`` is less than 1.
    """

    def __init__(self, jobs: int | None, config: C) -> None:
        super().__init__(jobs, config)
        if jobs is not None and jobs < 1:
            raise ConfigError(f"jobs is {jobs}; expected 1 or more")
        self.limit_s: float | None = None

    def limit_time(self, seconds: float) -> None:
        """Kill the worker of every task that takes longer, whatever it is doing.

        Raises:
            ConfigError: for a limit that is not above 0.
        """
        if not seconds > 0.0:
            raise ConfigError(f"the limit is {seconds:g} s; expected more than 0")
        self.limit_s = seconds


def available_cores() -> int:
    """Number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
