"""The progress of a run on standard error: done, running, failed and time left."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING

from mfbpi_core.text import visible
from mfbpi_run.output import tell

if TYPE_CHECKING:
    import rich.progress


class Progress:
    """Counts tasks, and shows a bar while entered, if it is to be visible.

    Args:
        total: number of tasks.
        kept: how many of them were done before.
        jobs: how many run at the same time.
        visible: whether there is someone to see it.
    """

    def __init__(self, total: int, kept: int, jobs: int, visible: bool) -> None:
        self.total = total
        self.done = kept
        self.failed = 0
        self._jobs = jobs
        self._bar = _bar() if visible else None
        self._task = (
            None if self._bar is None else self._bar.add_task("", total=total, completed=kept)
        )

    def __enter__(self) -> Progress:
        if self._bar is not None:
            self._bar.start()
            self._show()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def finished(self, failure: str | None = None) -> None:
        """Count a task that has ended; ``failure`` is shown on a line of its own."""
        if failure is None:
            self.done += 1
        else:
            self.failed += 1
            self._say(failure)
        self._show()

    @property
    def running(self) -> int:
        """Tasks in work: as many as may be, while there are so many left."""
        return min(self._jobs, self.total - self.done - self.failed)

    def _show(self) -> None:
        if self._bar is not None and self._task is not None:
            text = f"{self.done} done, {self.running} running, {self.failed} failed"
            self._bar.update(self._task, completed=self.done + self.failed, description=text)

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
