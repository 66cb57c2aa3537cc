"""What is going on while a plan is carried out, told to whoever wants to show it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

Thing = TypeVar("Thing")


class Failure(str):
    """One line: which task failed, why, where in the plugin, and the file with the traceback.

    Attributes:
        cause: why, and where in the plugin; the same for tasks that failed alike.
        task: the task's label.
        file: the file with the traceback, from the directory of results.
    """

    __slots__ = ("cause", "file", "task")

    cause: str
    task: str
    file: str

    def __new__(cls, task: str, cause: str, file: str) -> Failure:
        """The line of a task that failed for a cause."""
        line = super().__new__(cls, f"failed: {task}: {cause}; see {file}")
        line.task, line.cause, line.file = task, cause, file
        return line


class Observer:
    """Is told how far the work has come; this one shows nothing. Override what is of interest.

    The methods are called in the process that drives the work, never at the same time.
    """

    def begun(self, total: int, kept: int, at_once: int) -> None:
        """The work begins.

        Args:
            total: number of tasks.
            kept: how many of them were done before.
            at_once: how many run at the same time.
        """

    def finished(self, failure: str | None = None) -> None:
        """A task has ended; ``failure`` is one line on why (a :class:`Failure`), or None."""

    def told(self, line: str) -> None:
        """A line on how far the work has come, once a minute."""

    def ended(self) -> None:
        """No task runs any more, for whatever reason."""

    def tracked(self, things: Iterable[Thing]) -> Iterable[Thing]:
        """The things, as they are gone through one by one."""
        return things
