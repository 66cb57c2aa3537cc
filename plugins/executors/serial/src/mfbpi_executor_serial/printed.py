"""What a task prints in the calling process goes to standard error, each line after its label.

Standard output belongs to the caller. It is replaced twice: as Python sees it, so that lines are
shown as they come, and as the system sees it, so that compiled code and subprocesses are caught;
their part goes to a file, since no pipe could be read meanwhile, and is shown at the end.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import tempfile
from collections.abc import Iterator

from mfbpi_core.printed import LabelledLines, LabelledText


@contextlib.contextmanager
def labelled(label: str) -> Iterator[None]:
    """Let everything printed in this block go to standard error, each line after the label."""
    lines = LabelledLines(label, sys.stderr)
    own = LabelledText(lines)
    try:
        with (
            _system_output(lines),
            contextlib.redirect_stdout(own),
            contextlib.redirect_stderr(own),
        ):
            yield
    finally:
        with contextlib.suppress(ValueError):  # the task has closed it
            own.flush()


@contextlib.contextmanager
def _system_output(lines: LabelledLines) -> Iterator[None]:
    """Catch what is written to the system's standard output."""
    _flush()
    with tempfile.TemporaryFile() as caught:
        try:
            before = os.dup(1)
        except OSError:  # closed: nothing can be written there
            yield
            return
        os.dup2(caught.fileno(), 1)
        try:
            yield
        finally:
            _flush()
            os.dup2(before, 1)
            os.close(before)
            caught.seek(0)
            while chunk := caught.read(65_536):
                lines.write(chunk)


def _flush() -> None:
    """Empty the buffers of Python's standard output and of C's."""
    with contextlib.suppress(AttributeError, OSError, ValueError):  # none, full, closed
        sys.stdout.flush()
    if os.name == "posix":
        ctypes.CDLL(None).fflush(None)
