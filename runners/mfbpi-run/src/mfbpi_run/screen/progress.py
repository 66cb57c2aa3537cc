"""The progress of a run on standard error: done, running, failed and time left."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

import click

from mfbpi.execute.events import Failure, Observer
from mfbpi_core.text import listed, visible
from mfbpi_run.screen.output import tell

if TYPE_CHECKING:
    import rich.progress

Thing = TypeVar("Thing")


class Progress(Observer):
    """Shows a bar while there is work, if someone sees it, and each failure on a line of its own.

    Where several tasks fail for the same cause, the first is shown at once and the others together
    in the end.

    Args:
        visible: whether a bar may be shown; on a terminal it is.
    """

    def __init__(self, visible: bool) -> None:
        self._visible = visible and sys.stderr.isatty()
        self._told = visible and not self._visible
        self._stream = sys.stderr  # a task in this process has it replaced while it runs
        self._bar: rich.progress.Progress | None = None
        self.total = self.done = self.failed = self._at_once = 0
        self._alike: dict[str, list[Failure]] = {}  # tasks that failed, by cause

    def begun(self, total: int, kept: int, at_once: int) -> None:
        """Show the bar."""
        self.total, self.done, self._at_once = total, kept, at_once
        if self._visible:
            self._bar = _bar()
            self._bar.add_task("", total=total, completed=kept)
            self._bar.start()
        self._show()

    def finished(self, failure: str | None = None) -> None:
        """Count a task that has ended; ``failure`` is shown on a line of its own."""
        if failure is None:
            self.done += 1
        else:
            self.failed += 1
            if self._is_new(failure):
                self._say(failure)
        self._show()

    def told(self, line: str) -> None:
        """Where no bar is seen, as in the log of a batch job, a line a minute."""
        if self._told:
            click.echo(visible(line), file=self._stream)
            self._stream.flush()

    def ended(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
        for cause, failures in self._alike.items():
            if len(failures) > 1:
                tell(_others(cause, failures[1:]))
        self._alike.clear()

    def tracked(self, things: Iterable[Thing]) -> Iterable[Thing]:
        """The things, with a bar while they are gone through."""
        if not self._visible:
            return things
        from rich.console import Console
        from rich.progress import track

        console = Console(file=sys.stderr)
        return track(list(things), "Working...", console=console, transient=True)

    @property
    def running(self) -> int:
        """Tasks in work: as many as may be, while there are so many left."""
        return min(self._at_once, self.total - self.done - self.failed)

    def _is_new(self, failure: str) -> bool:
        """Whether no other task has failed for the same cause."""
        if not isinstance(failure, Failure):
            return True
        alike = self._alike.setdefault(failure.cause, [])
        alike.append(failure)
        return len(alike) == 1

    def _show(self) -> None:
        if self._bar is not None:
            text = f"{self.done} done, {self.running} running, {self.failed} failed"
            (task,) = self._bar.task_ids
            self._bar.update(task, completed=self.done + self.failed, description=text)

    def _say(self, message: str) -> None:
        if self._bar is None:
            tell(message)
        else:
            self._bar.console.print(visible(message), markup=False, highlight=False, soft_wrap=True)


def _others(cause: str, failures: list[Failure]) -> str:
    """One line on the tasks that failed as an earlier one did."""
    what = "1 more task" if len(failures) == 1 else f"{len(failures)} more tasks"
    named = listed(failures, lambda failure: f"{failure.task} ({failure.file})")
    return f"{what} failed alike: {cause}: {named}"


def _bar() -> rich.progress.Progress:
    # Imported here because most uses of the command line show no bar.
    from rich import progress
    from rich.console import Console

    return progress.Progress(
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeRemainingColumn(),
        console=Console(file=sys.stderr),
        transient=True,
    )
