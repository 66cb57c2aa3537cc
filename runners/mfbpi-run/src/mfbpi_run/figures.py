"""The figures of an experiment, drawn from its table of results."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path

import click
import pyarrow as pa

from mfbpi_core.specs import load_object
from mfbpi_run import table
from mfbpi_run.store import Store, atomic_write

#: Dots per inch: enough for print at the figures' own size.
_RESOLUTION = 150


def draw(figures: Mapping[str, str], results: pa.Table, directory: Path) -> None:
    """Draw each figure and write it as a PNG file.

    Args:
        figures: file stem to import string of a function from the table to a matplotlib figure.
        results: the table.
        directory: where the files go.
    """
    for stem, import_string in figures.items():
        content = io.BytesIO()
        load_object(import_string)(results).savefig(content, format="png", dpi=_RESOLUTION)
        path = directory / f"{stem}.png"
        atomic_write(path, content.getvalue())
        click.echo(f"figure: {path}", err=True)


def draw_runs(figures: Mapping[str, str], directory: Path) -> None:
    """Draw each figure from all the runs of a directory."""
    if figures:
        files = [file for file in Store(directory).results() if file.name.count(".") == 1]
        draw(figures, table.concatenate([table.read(file) for file in files]), directory)
