"""What the commands print: tables for people, JSON for programs, warnings for both."""

from __future__ import annotations

import json
import math
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from mfbpi_core.plugin import PluginProblem
    from mfbpi_core.registry import Registry

#: Width of tables that are not shown on a terminal.
_PLAIN_WIDTH = 160


def show_json(data: Any) -> None:
    """Print one JSON object on standard output, as :func:`jsonable` writes it."""
    click.echo(json.dumps(jsonable(data), indent=2, allow_nan=False))


def jsonable(data: Any) -> Any:
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
    rows: Sequence[Sequence[Any]],
    *,
    caption: str | None = None,
    right: Sequence[str] = (),
) -> None:
    """Print a table on standard output.

    Args:
        columns: the headings.
        rows: a cell for each column.
        caption: a sentence below the table.
        right: the columns set flush right.
    """
    # Imported here because JSON output does without.
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD)
    for name in columns:
        numeric = name in right
        table.add_column(name, justify="right" if numeric else "left", no_wrap=numeric)
    for row in rows:
        table.add_row(*[Text(str(cell)) for cell in row])
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else _PLAIN_WIDTH
    Console(width=width).print(table)
    if caption:
        click.echo(caption)


def warn(message: str) -> None:
    """One warning, on one line of standard error."""
    click.echo(f"warning: {one_line(message)}", err=True)


def note(message: str) -> None:
    """One note, on one line of standard error."""
    click.echo(f"note: {one_line(message)}", err=True)


def warn_of_problems(registry: Registry) -> None:
    """One warning for each plugin that could not be loaded."""
    for problem in registry.problems:
        warn(f"plugin {problem.distribution} {problem.version} failed to load: {cause(problem)}")


def cause(problem: PluginProblem) -> str:
    """Why a plugin failed to load, on one line."""
    return one_line(f"{type(problem.error).__name__}: {problem.error}")


def one_line(message: str) -> str:
    """The message with its line breaks taken out."""
    return " ".join(message.split())
