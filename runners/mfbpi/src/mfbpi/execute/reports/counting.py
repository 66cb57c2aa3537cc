"""How far the work has come, told to a function, or counted on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeAlias

import attrs

from mfbpi.execute.events import Observer
from mfbpi_core.errors import UsageError

#: Called after each task with the number of tasks that have ended, and of all.
Progress: TypeAlias = Callable[[int, int], object]

#: What callers may give for it: True counts on standard error.
Watching: TypeAlias = Observer | Progress | bool | None


@attrs.define(eq=False)
class _Calling(Observer):
    """Tells a function how many tasks have ended, of how many."""

    call: Progress
    _ended: int = 0
    _total: int = 0

    def begun(self, total: int, kept: int, at_once: int) -> None:  # noqa: ARG002 - the contract's
        """The work begins."""
        self._ended, self._total = kept, total
        self.call(kept, total)

    def finished(self, failure: str | None = None) -> None:  # noqa: ARG002 - the contract's
        """A task has ended."""
        self._ended += 1
        self.call(self._ended, self._total)


def observer(progress: Watching) -> Observer:
    """The observer that was given, or one that calls the function that was given.

    Raises:
        UsageError: for what cannot be called.
    """
    if progress is None or progress is False:
        return Observer()
    if isinstance(progress, Observer):
        return progress
    if progress is not True and not callable(progress):
        raise UsageError(
            f"`progress` is {progress!r:.80}; expected True, which counts on standard error, a "
            "function of the number of tasks that have ended and of all, or an mfbpi.Observer"
        )
    return _Calling(_counted if progress is True else progress)


def _counted(ended: int, total: int) -> None:
    """One line on standard error, written again after each task."""
    sys.stderr.write(f"\r{ended} of {total} tasks" + ("\n" if ended == total else ""))
    sys.stderr.flush()
