"""Figures: drawn by matplotlib, written as PNG files."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from mfbpi_core.errors import PluginError
from mfbpi_core.specs import load_object
from mfbpi_run import results, table
from mfbpi_run.files import atomic_write
from mfbpi_run.output import tell, warn
from mfbpi_run.store import FIGURES, Store

#: Dots per inch: enough for print at the figures' own size.
_RESOLUTION = 150


def write(figure: Any, path: Path) -> None:
    """Write a matplotlib figure as a PNG file, whatever the suffix; raises :class:`OSError`."""
    atomic_write(path, _png(figure))


def _png(figure: Any) -> bytes:
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=_RESOLUTION)
    return content.getvalue()


def draw(figures: Mapping[str, str], content: pa.Table, directory: Path) -> None:
    """Draw each figure of an experiment and write it.

    Args:
        figures: file stem to import string of a function from the table to a matplotlib figure.
        content: the table.
        directory: the directory of the results.

    Raises:
        PluginError: when such a function fails.
        StoreError: when a file cannot be written.
    """
    for stem, import_string in figures.items():
        path = directory / FIGURES / f"{stem}.png"
        Store(directory).write(path, _png(derived(import_string, content)))
        tell(f"figure: {path}")


def derived(import_string: str, content: pa.Table) -> Any:
    """What a function of an experiment makes of the table; its failure is the plugin's."""
    function = load_object(import_string)
    try:
        return function(content)
    except Exception as error:
        raise PluginError(f"{import_string} cannot show these results: {error!r}") from error


def draw_runs(figures: Mapping[str, str], directory: Path) -> None:
    """Draw each figure from all the runs of a directory."""
    if not figures:
        return
    problems: list[str] = []
    found = [each.content for each in results.read_all(Store(directory).rows(), problems)]
    for problem in problems:
        warn(problem)
    draw(figures, table.concatenate(found), directory)
