"""How a table fits into a width: names stay whole, whatever else has to give way."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs

#: Between and around the columns: a padding on either side, and a divider.
_PER_COLUMN, _EDGE = 3, 1

#: A column of text is at least as wide as its longest word, but for words longer than this.
_LONGEST_WORD = 40

#: And at least so wide, if its text is.
_LEAST_TEXT = 16

#: Width in columns of a terminal, which for some scripts is not the number of characters.
Measure = Callable[[str], int]


@attrs.frozen(kw_only=True)
class Table:
    """A table that is to be shown.

    Attributes:
        columns: the headings.
        rows: a cell for each column.
        wrap: columns of text, which may take several lines; all others stay whole.
        drop: columns to do without, the first one first.
        shared: columns left out because all their cells are the same, with that cell.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    wrap: frozenset[str] = frozenset()
    drop: tuple[str, ...] = ()
    shared: tuple[tuple[str, str], ...] = ()

    def without(self, column: str) -> Table:
        """The table less a column."""
        at = self.columns.index(column)
        rows = tuple(row[:at] + row[at + 1 :] for row in self.rows)
        return attrs.evolve(self, columns=self.columns[:at] + self.columns[at + 1 :], rows=rows)


def fitted(table: Table, width: int | None, measure: Measure = len) -> Table | None:
    """The table with as many columns as fit; None if those that must stay whole do not.

    Columns whose cells are all the same go first, into :attr:`Table.shared`; then those that the
    table can do without.

    Args:
        table: the table.
        width: what there is; None for no limit.
        measure: width of a text.
    """
    while width is not None and _least_width(table, measure) > width:
        constant = _constant(table)
        if constant is not None:
            cell = table.rows[0][table.columns.index(constant)]
            shared = (*table.shared, (constant, cell))
            table = attrs.evolve(table.without(constant), shared=shared)
        elif table.drop:
            column, *others = table.drop
            table = attrs.evolve(table.without(column), drop=tuple(others))
        else:
            return None
    return table


def _constant(table: Table) -> str | None:
    """The first column whose cells are all the same, if there are several rows."""
    if len(table.rows) < 2 or len(table.columns) < 2:
        return None
    for column, cells in zip(table.columns, zip(*table.rows, strict=True), strict=True):
        if len(set(cells)) == 1 and column not in table.drop:
            return column
    return None


def _least_width(table: Table, measure: Measure) -> int:
    total = _EDGE
    for index, column in enumerate(table.columns):
        cells = [column, *(row[index] for row in table.rows)]
        total += _PER_COLUMN + _least(cells, measure, column in table.wrap)
    return total


def _least(cells: Sequence[str], measure: Measure, text: bool) -> int:
    longest = max(measure(cell) for cell in cells)
    if not text:
        return longest
    word = max(measure(word) for cell in cells for word in cell.split() or [""])
    return min(longest, max(_LEAST_TEXT, min(word, _LONGEST_WORD)))


def records(table: Table) -> list[str]:
    """The lines of a table that does not fit: row by row, a line for each cell that says something.

    Rows are separated by an empty line.
    """
    lines: list[str] = []
    for row in table.rows:
        lines += [""] if lines else []
        lines += [f"{name}: {cell}" for name, cell in zip(table.columns, row, strict=True) if cell]
    return lines
