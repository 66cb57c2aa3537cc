"""Ctrl-C, SIGTERM and the end of the terminal, which end a run in good order at the first."""

from __future__ import annotations

import signal
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

#: SIGHUP only where it is not ignored, as it is below ``nohup``.
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def is_the_users(interrupt: KeyboardInterrupt) -> bool:
    """Whether Ctrl-C or SIGTERM raised it, and not a plugin.

    Ours is raised by the handler below. Where Python's own handler is in place, nobody can tell
    them apart, and nothing is worse than a Ctrl-C without effect.
    """
    frames = [frame for frame, _ in traceback.walk_tb(interrupt.__traceback__)]
    ours = bool(frames) and frames[-1].f_code is Interrupts._interrupt.__code__
    return ours or signal.getsignal(signal.SIGINT) is signal.default_int_handler


class Interrupts:
    """Raises KeyboardInterrupt at the first of the signals, and ignores further ones.

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
        before = {number: signal.signal(number, self._interrupt) for number in _handled()}
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
        for number in _handled():
            signal.signal(number, signal.SIG_IGN)
        if self._held:
            self._pending = True
        else:
            raise KeyboardInterrupt


def _handled() -> list[signal.Signals]:
    return [
        number
        for number in _SIGNALS
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN
    ]
