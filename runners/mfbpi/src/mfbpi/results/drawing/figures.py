"""Figures: drawn by matplotlib, written as files."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from mfbpi.notices import warn
from mfbpi.results.storage import reading as results
from mfbpi.results.storage import table
from mfbpi.results.storage.directory import FIGURES, Store
from mfbpi.results.storage.files import atomic_write
from mfbpi.results.storage.places import Place
from mfbpi_core.blame import blamed
from mfbpi_core.plugins.spec import load_object

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Dots per inch: enough for print at the figures' own size.
_RESOLUTION = 150

#: Where a format says when it was written.
_DATES = {"svg": "Date", "pdf": "CreationDate"}


def write(figure: Figure, path: Place) -> None:
    """Write a matplotlib figure as a PNG file, whatever the suffix; raises :class:`OSError`."""
    atomic_write(path, content(figure, "png"))


def content(figure: Figure, suffix: str) -> bytes:
    """The bytes of a matplotlib figure as a file.

    Args:
        figure: the figure.
        suffix: ``"svg"``, ``"png"`` or ``"pdf"``; the same figure always gives the same bytes.
    """
    import matplotlib as mpl

    buffer = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "mfbpi"}):
        undated = {_DATES[suffix]: None} if suffix in _DATES else {}
        figure.savefig(buffer, format=suffix, dpi=_RESOLUTION, metadata=undated)
    return buffer.getvalue()


def draw(figures: Mapping[str, str], rows: pa.Table, directory: Place) -> list[Place]:
    """Draw each figure of an experiment and write it.

    Args:
        figures: file stem to import string of a function from the table to a matplotlib figure.
        rows: the table.
        directory: the directory of the results.

    Returns:
        The files.

    Raises:
        PluginError: when such a function fails.
        StoreError: when a file cannot be written.
    """
    paths = {stem: directory / FIGURES / f"{stem}.png" for stem in figures}
    for stem, path in paths.items():
        Store(directory).write(path, content(derived(figures[stem], rows), "png"))
    return list(paths.values())


def derived(import_string: str, content: pa.Table) -> Any:
    """What a function of an experiment makes of the table; its failure is the plugin's."""
    function = load_object(import_string)
    with blamed(f"{import_string} cannot show these results"):
        return function(content)


def draw_runs(figures: Mapping[str, str], directory: Place) -> list[Place]:
    """Draw each figure from all the runs of a directory; returns the files."""
    if not figures:
        return []
    problems: list[str] = []
    found = [each.content for each in results.read_all(Store(directory).rows(), problems)]
    for problem in problems:
        warn(problem)
    return draw(figures, table.concatenate(found), directory)
