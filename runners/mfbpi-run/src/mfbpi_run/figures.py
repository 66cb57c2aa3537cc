"""Figures: drawn by matplotlib, written as PNG files."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import pyarrow as pa

from mfbpi_core.errors import PluginError
from mfbpi_core.specs import load_object
from mfbpi_run import table
from mfbpi_run.store import Store, StoreError, atomic_write

#: Dots per inch: enough for print at the figures' own size.
_RESOLUTION = 150


def write(figure: Any, path: Path) -> None:
    """Write a matplotlib figure as a PNG file, whatever the suffix; raises :class:`OSError`."""
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=_RESOLUTION)
    atomic_write(path, content.getvalue())


def draw(figures: Mapping[str, str], results: pa.Table, directory: Path) -> None:
    """Draw each figure of an experiment and write it.

    Args:
        figures: file stem to import string of a function from the table to a matplotlib figure.
        results: the table.
        directory: where the files go.

    Raises:
        PluginError: when such a function fails.
        StoreError: when a file cannot be written.
    """
    for stem, import_string in figures.items():
        path = directory / f"{stem}.png"
        try:
            write(derived(import_string, results), path)
        except OSError as error:
            raise StoreError(f"cannot write {path}: {error.strerror or error}") from error
        click.echo(f"figure: {path}", err=True)


def derived(import_string: str, results: pa.Table) -> Any:
    """What a function of an experiment makes of the table; its failure is the plugin's."""
    function = load_object(import_string)
    try:
        return function(results)
    except Exception as error:
        raise PluginError(f"{import_string} cannot show these results: {error!r}") from error


def draw_runs(figures: Mapping[str, str], directory: Path) -> None:
    """Draw each figure from all the runs of a directory."""
    if figures:
        files = [file for file in Store(directory).results() if file.name.count(".") == 1]
        draw(figures, table.concatenate([table.read(file) for file in files]), directory)
