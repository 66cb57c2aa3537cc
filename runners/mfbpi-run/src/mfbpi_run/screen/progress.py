"""The progress of a run on standard error: done, running, failed and time left."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from mfbpi.execute.events import Observer
from mfbpi_core.text import visible
from mfbpi_run.screen.output import tell

if TYPE_CHECKING:
    import rich.progress


class Progress(Observer):
    """Shows a bar while there is work, if someone sees it, and each failure on a line of its own.

    Args:
        visible: whether a bar may be shown; on a terminal it is.
    """

    def __init__(self, visible: bool) -> None:
        self._visible = visible and sys.stderr.isatty()
        self._bar: rich.progress.Progress | None = None
        self.total = self.done = self.failed = self._at_once = 0

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
            self._say(failure)
        self._show()

    def ended(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()

    def tracked(self, things: Iterable[Any]) -> Iterable[Any]:
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
