"""What plugins print: shown line by line after a label, with nothing in it that acts."""

from __future__ import annotations

import contextlib
import io
import re
from typing import Any, TextIO

from mfbpi_core.text import visible

_BREAK = re.compile(rb"[\r\n]+")

#: Longer lines are cut into pieces of at least this many bytes.
_LONGEST_LINE = 65_536


class LabelledLines(io.RawIOBase):
    """Takes bytes and writes whole lines to a text stream, each after a label.

    A stream that is closed or full, or None, loses the lines and raises nothing: what somebody
    prints must not end a run.

    Attributes:
        label: in front of the lines to come.
        stream: where they go.
    """

    def __init__(self, label: str, stream: TextIO | None) -> None:
        self.label = label
        self.stream = stream
        self._rest = b""

    def writable(self) -> bool:
        """It is."""
        return True

    def write(self, data: Any, /) -> int:
        """Take everything; show what is whole."""
        *lines, self._rest = _BREAK.split(self._rest + bytes(data))
        self._show(lines)
        if len(self._rest) > _LONGEST_LINE:
            self.finish()
        return len(data)

    def finish(self) -> None:
        """Show an unfinished line too."""
        rest, self._rest = self._rest, b""
        self._show([rest])

    def _show(self, lines: list[bytes]) -> None:
        texts = [visible(line.decode("utf-8", "backslashreplace")) for line in lines if line]
        if texts and self.stream is not None:
            label = visible(self.label)
            with contextlib.suppress(OSError, ValueError):
                self.stream.write("".join(f"[{label}] {text}\n" for text in texts))
                self.stream.flush()


class LabelledText(io.TextIOWrapper):
    """A text stream on top of :class:`LabelledLines`, to take the place of ``sys.stdout``."""

    def __init__(self, lines: LabelledLines) -> None:
        buffer = io.BufferedWriter(lines)
        super().__init__(buffer, "utf-8", "backslashreplace", line_buffering=True)
        self._lines = lines

    def flush(self) -> None:
        """Show everything so far, such as the prompt of a debugger on an unfinished line."""
        super().flush()
        self._lines.finish()
