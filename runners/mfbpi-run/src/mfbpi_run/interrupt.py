"""Ctrl-C and SIGTERM, which end a run in good order at the first press."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Raises KeyboardInterrupt at the first SIGINT or SIGTERM, and ignores further ones.

    Ignored they must be: an impatient second press would interrupt the stopping of the workers.
    """

    def __init__(self) -> None:
        self._held = False
        self._pending = False

    @contextmanager
    def handled(self) -> Iterator[None]:
        """Handle the signals in this block.

        Outside the main thread, where Python allows no handlers, nothing changes.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self._interrupt) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextmanager
    def held_back(self) -> Iterator[None]:
        """Finish this block first: what is written in it is also counted."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        if self._pending:
            self._pending = False
            raise KeyboardInterrupt

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        if self._held:
            self._pending = True
        else:
            raise KeyboardInterrupt
