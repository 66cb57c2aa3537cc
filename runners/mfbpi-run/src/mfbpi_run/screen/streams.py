"""The standard streams of a command: closed, full, or printed to by plugins, they end nothing.

Standard output is for what the command itself says, so that ``--json`` is one object whatever the
plugins do. What cannot be written is lost, and said at the end; the work goes on.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import select
import sys
from collections.abc import Iterator
from typing import Any, TextIO

_STDIN, _STDOUT, _STDERR = 0, 1, 2

#: In front of what a plugin prints while it is loaded or built.
_LABEL = "plugin"


class _Lenient(io.RawIOBase):
    """A file descriptor that remembers the first error and loses what cannot be written.

    Attributes:
        number: the descriptor.
        problem: the error, or None.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.problem: OSError | None = None

    def writable(self) -> bool:
        """It is."""
        return True

    def fileno(self) -> int:
        """The descriptor."""
        return self.number

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return os.isatty(self.number)

    def write(self, data: Any, /) -> int:
        """Write some of it, or lose all of it."""
        while self.problem is None:
            try:
                return os.write(self.number, data)
            except BlockingIOError:  # another program has made the terminal non-blocking
                select.select([], [self.number], [])
            except OSError as error:
                self.problem = error
        return len(data)


class Streams:
    """The standard streams of this process, replaced by lenient ones until it ends."""

    def __init__(self) -> None:
        _open_what_is_closed()
        self._output = _Lenient(_STDOUT)
        sys.stdout = _text(self._output, sys.stdout)
        sys.stderr = _text(_Lenient(_STDERR), sys.stderr)

    def problem(self) -> str | None:
        """Why something is missing from standard output; None if nothing is.

        A reader that has seen enough, such as ``head``, misses nothing.
        """
        sys.stdout.flush()
        error = self._output.problem
        if error is None or error.errno == errno.EPIPE:
            return None
        return f"cannot write to standard output: {error.strerror}"


def _open_what_is_closed() -> None:
    """Without this the next file that is opened would take the place of a closed stream."""
    for number in (_STDIN, _STDOUT, _STDERR):
        try:
            os.fstat(number)
        except OSError:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            # Workers must find them open too, or a pipe to the driver takes their place.
            os.set_inheritable(number, True)


def _text(raw: _Lenient, before: TextIO | None) -> TextIO:
    encoding = getattr(before, "encoding", None) or "utf-8"
    live = raw.number == _STDERR or raw.isatty()
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding, "backslashreplace", line_buffering=live
    )


def output() -> TextIO:
    """The standard output for what the command says."""
    own: TextIO = getattr(sys.stdout, "own", sys.stdout)
    return own


@contextlib.contextmanager
def plugins_aside() -> Iterator[None]:
    """What plugins print in this block goes to standard error; :func:`output` stays."""
    # Imported here because help does without the core.
    from mfbpi_core.printed import LabelledLines, LabelledText

    own = output()
    aside = LabelledText(LabelledLines(_LABEL, sys.stderr))
    aside.own = own  # type: ignore[attr-defined]
    with _system_output_aside(own), contextlib.redirect_stdout(aside):
        try:
            yield
        finally:
            with contextlib.suppress(ValueError):  # a plugin has closed it
                aside.flush()
            own.flush()


@contextlib.contextmanager
def _system_output_aside(own: TextIO) -> Iterator[None]:
    """The same for compiled code, where this process owns its streams."""
    raw = getattr(getattr(own, "buffer", None), "raw", None)
    if not isinstance(raw, _Lenient):
        yield
        return
    raw.number = os.dup(_STDOUT)
    os.dup2(_STDERR, _STDOUT)
    try:
        yield
    finally:
        own.flush()
        os.dup2(raw.number, _STDOUT)
        os.close(raw.number)
        raw.number = _STDOUT
