"""What a worker prints: from its standard streams through a pipe to the driver's standard error.

The streams are replaced as the system sees them, so that compiled code and subprocesses are caught
too. The driver reads the pipe: a thread of the worker could not, while compiled code that prints
holds the interpreter.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from multiprocessing.connection import Connection
from typing import TextIO

from mfbpi_core.printed import LabelledLines

#: Most bytes read at once.
_CHUNK = 65_536


class Printed:
    """The driver's end of the pipe.

    Attributes:
        pipe: ready for reading when something was printed.
        open: whether something may still come.
    """

    def __init__(self, pipe: Connection) -> None:
        self.pipe = pipe
        self.open = True
        self._lines = LabelledLines("worker", None)
        os.set_blocking(pipe.fileno(), False)

    def show(self, label: str, *, whole: bool = False) -> None:
        """Write what has come to standard error, each line after the label.

        Args:
            label: of the task that printed it.
            whole: nothing more belongs to it, so that an unfinished line is shown as well.
        """
        self._lines.label, self._lines.stream = label, sys.stderr
        with contextlib.suppress(BlockingIOError):
            while self.open:
                chunk = os.read(self.pipe.fileno(), _CHUNK)
                self.open = bool(chunk)
                self._lines.write(chunk)
        if whole:
            self._lines.finish()

    def close(self) -> None:
        """Release the pipe."""
        self.open = False
        self.pipe.close()


def send_to(pipe: Connection) -> None:
    """In a worker: let everything that this process prints go into the pipe."""
    for number in (1, 2):
        os.dup2(pipe.fileno(), number)
    pipe.close()
    sys.stdout = _stream(1)
    sys.stderr = _stream(2)


def _stream(number: int) -> TextIO:
    return os.fdopen(
        number, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False
    )


def flush() -> None:
    """In a worker: empty the buffers of Python and of C, before something else is said."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError, ValueError):  # a task may have closed it
            stream.flush()
    ctypes.CDLL(None).fflush(None)
