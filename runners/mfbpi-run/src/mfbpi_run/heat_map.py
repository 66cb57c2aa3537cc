"""The heat map of an allocation, as a PNG file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mfbpi_core.errors import UsageError
from mfbpi_run import figures
from mfbpi_run.output import tell

#: Weights that span more than this are coloured by their logarithm.
_WIDE = 50.0

#: Inches of a figure: smallest and largest width, and width of a state.
_NARROWEST, _WIDEST, _PER_STATE = 6.0, 16.0, 0.3


def write(allocation: npt.NDArray[np.float64], file: Path, title: str) -> None:
    """Draw an allocation [S, A], one column for each state and one row for each action.

    Raises:
        UsageError: when matplotlib is not installed, or the file cannot be written.
    """
    try:
        figure = _draw(allocation, title)
    except ModuleNotFoundError as error:
        raise UsageError("--plot needs matplotlib: pip install matplotlib") from error
    try:
        figures.write(figure, file)
    except OSError as error:
        raise UsageError(f"cannot write the plot {file}: {error.strerror or error}") from error
    tell(f"plot: {file}")


def _draw(allocation: npt.NDArray[np.float64], title: str) -> Any:
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    n_states, n_actions = allocation.shape
    width = min(max(_NARROWEST, 2.0 + _PER_STATE * n_states), _WIDEST)
    figure = Figure(figsize=(width, 1.6 + 0.4 * n_actions), layout="constrained")
    axes = figure.add_subplot()
    shown = np.ma.masked_less_equal(allocation.T, 0.0)
    image = axes.imshow(shown, aspect="auto", cmap="viridis", norm=_norm(allocation))
    axes.set(xlabel="state", ylabel="action")
    axes.set_title(title, fontsize="medium")
    axes.set_yticks(range(n_actions))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    figure.colorbar(image, label="share of the samples")
    return figure


def _norm(allocation: npt.NDArray[np.float64]) -> str:
    """Weights often span many orders of magnitude; those of zero stay blank."""
    positive = allocation[allocation > 0.0]
    return "log" if positive.max() > _WIDE * positive.min() else "linear"
