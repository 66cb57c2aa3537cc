"""What the commands print: tables for people, JSON for programs, warnings for both.

Everything goes through here, so that nothing a plugin says (names, summaries, errors) reaches a
terminal raw: see :func:`mfbpi_core.text.visible`.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from mfbpi_core.text import one_line, said, visible
from mfbpi_run.flags import spelled
from mfbpi_run.screen import fitting
from mfbpi_run.screen.streams import output

if TYPE_CHECKING:
    from mfbpi_core.plugins.plugin import PluginProblem
    from mfbpi_core.plugins.registry import Registry

#: Width of a terminal that does not say how wide it is.
_UNKNOWN_WIDTH = 80


def say(text: str) -> None:
    """Print lines on standard output."""
    for line in text.split("\n"):
        click.echo(visible(line), file=output())


def tell(text: str) -> None:
    """Print lines on standard error."""
    for line in text.split("\n"):
        click.echo(visible(line), err=True)


def warn(message: str) -> None:
    """One warning, on one line of standard error."""
    tell(f"warning: {spelled(one_line(message))}")


def note(message: str) -> None:
    """Something worth knowing, on one line of standard error."""
    tell(f"note: {spelled(one_line(message))}")


def show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,  # noqa: ARG001 - the signature of the standard library
    line: str | None = None,  # noqa: ARG001 - likewise
) -> None:
    """A warning of Python's, on one line in which nothing acts."""
    warn(f"{category.__name__}: {message} ({Path(filename).name}, line {lineno})")


def show_json(data: object) -> None:
    """Print one JSON object on standard output, as :func:`jsonable` writes it.

    It is ASCII: what might act on a terminal is escaped as JSON does.
    """
    text = json.dumps(jsonable(data), indent=2, allow_nan=False)
    click.echo(text.replace("\x7f", "\\u007f"), file=output())


def jsonable(data: object) -> Any:
    """The data with infinity as ``"inf"`` or ``"-inf"`` and NaN as None, which JSON lacks."""
    if isinstance(data, dict):
        return {key: jsonable(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [jsonable(value) for value in data]
    if isinstance(data, float) and not math.isfinite(data):
        return None if math.isnan(data) else str(data)
    return data


def show_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    caption: str | None = None,
    right: Sequence[str] = (),
    wrap: Sequence[str] = (),
    drop: Sequence[str] = (),
) -> None:
    """Print a table on standard output, as wide as the terminal at most.

    Where it is too narrow, columns of text take several lines, columns whose cells are all the
    same become a line above the table, and if need be each cell has a line of its own; what is not
    text is never cut. Redirected output has no limit, unless ``COLUMNS`` sets one.

    Args:
        columns: the headings.
        rows: a cell for each column.
        caption: a sentence below the table.
        right: the columns set flush right.
        wrap: the columns of text.
        drop: the columns to do without where room is short, the first one first.
    """
    # Imported here because JSON output does without.
    from rich.cells import cell_len

    whole = fitting.Table(
        columns=tuple(columns),
        rows=tuple(tuple(visible(str(cell)) for cell in row) for row in rows),
        wrap=frozenset(wrap),
        drop=tuple(drop),
    )
    fits = fitting.fitted(whole, _width(), cell_len)
    if fits is None:
        for line in fitting.records(whole):
            say(line)
    else:
        _draw(fits, right)
    if caption:
        say(caption)


def _draw(table: fitting.Table, right: Sequence[str]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    if table.shared:
        say(", ".join(f"{name} {cell}" for name, cell in table.shared))
    drawn = Table(box=box.SIMPLE_HEAD)
    for name in table.columns:
        justify: Any = "right" if name in right else "left"
        drawn.add_column(name, justify=justify, no_wrap=name not in table.wrap, overflow="fold")
    for row in table.rows:
        drawn.add_row(*map(Text, row))
    console = Console(file=output(), width=_width() or _natural_width(table))
    console.print(drawn)


def _natural_width(table: fitting.Table) -> int:
    """More than enough for every column on one line."""
    return sum(
        8 + 2 * max(map(len, cells)) for cells in zip(table.columns, *table.rows, strict=True)
    )


def _width() -> int | None:
    """Columns that there are on standard output; None for no limit."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    stream = output()
    if not stream.isatty():
        return None
    try:
        return os.get_terminal_size(stream.fileno()).columns or _UNKNOWN_WIDTH
    except OSError:
        return _UNKNOWN_WIDTH


def warn_of_problems(registry: Registry) -> None:
    """One warning for each plugin that could not be loaded."""
    for problem in registry.problems:
        warn(f"plugin {problem.distribution} {problem.version} failed to load: {cause(problem)}")


def cause(problem: PluginProblem) -> str:
    """Why a plugin failed to load, on one line."""
    return " ".join(f"{type(problem.error).__name__}: {said(problem.error)}".split())
