"""Runs tasks in this process, one after the other: no start-up time, and simple to debug.

Whatever ends this process, such as running out of memory, ends all the tasks; the executor
``process`` isolates them. For the same reason no task can be stopped, and there is no time limit.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence

from mfbpi_core import Executor, NoConfig, Outcome
from mfbpi_core.contracts.executor import RunTask, Work
from mfbpi_executor_serial.printed import labelled


class Serial(Executor[NoConfig]):
    """Runs one task at a time, in the order given; ``jobs`` is an upper limit, and becomes 1."""

    def __init__(self, jobs: int | None, config: NoConfig) -> None:  # noqa: ARG002 - a limit above 1
        super().__init__(1, config)

    def map(self, run: RunTask, tasks: Sequence[Work]) -> Iterator[Outcome]:
        """Run each task when its outcome is asked for.

        A task that raises yields a failed outcome with its traceback. Ctrl-C is not a failure of
        a task: it propagates. What tasks print goes to standard error.
        """
        for task in tasks:
            yield _outcome(run, task)


def _outcome(run: RunTask, task: Work) -> Outcome:
    try:
        with labelled(task.label):
            return run(task.to_json())
    except KeyboardInterrupt:
        raise
    except BaseException:  # a task that exits must not end the others
        return Outcome(task_id=task.task_id, status="failed", error=traceback.format_exc())
