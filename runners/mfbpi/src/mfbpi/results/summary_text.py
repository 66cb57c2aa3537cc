"""A table for people who are not at the command: as text, and as HTML."""

from __future__ import annotations

import html as escaping
from abc import abstractmethod
from collections.abc import Sequence

from mfbpi_core.text import visible

Cells = Sequence[object]


class Shown:
    """What people see as a table, in a terminal and in a notebook."""

    __slots__ = ()

    @property
    @abstractmethod
    def shown(self) -> tuple[tuple[str, ...], list[tuple[object, ...]], list[str]]:
        """Headings, rows, and the lines below them."""

    def __str__(self) -> str:
        """A table for people."""
        return plain(*self.shown)

    def _repr_html_(self) -> str:
        """A table for notebooks."""
        return html(*self.shown)


def plain(headings: Cells, rows: Sequence[Cells], below: Sequence[str]) -> str:
    """The table in columns, and lines below it, with nothing in either that acts on a terminal."""
    cells = [[visible(str(cell)) for cell in row] for row in (headings, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
    return "\n".join([*lines, *map(visible, below)])


def html(headings: Cells, rows: Sequence[Cells], below: Sequence[str]) -> str:
    """The same as an HTML table."""
    body = "".join(_row("td", row) for row in rows)
    text = "<br>".join(map(escaping.escape, below))
    return f"<table>{_row('th', headings)}{body}</table><p>{text}</p>"


def _row(tag: str, cells: Cells) -> str:
    inside = "".join(f"<{tag}>{escaping.escape(str(cell))}</{tag}>" for cell in cells)
    return f"<tr>{inside}</tr>"
