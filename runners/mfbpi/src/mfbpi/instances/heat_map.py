"""The heat map of an allocation, as a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from mfbpi.results.drawing import figures
from mfbpi_core.errors import UsageError


def write(allocation: npt.NDArray[np.float64], file: Path, title: str) -> None:
    """Draw an allocation [S, A], one column for each state and one row for each action.

    Raises:
        UsageError: when matplotlib is not installed, or the file cannot be written.
    """
    try:
        from mfbpi_lib_figures import maps

        figure = maps.heat_map(allocation, title, "share of the samples")
    except ModuleNotFoundError as error:
        raise UsageError("`plot` needs matplotlib: pip install matplotlib") from error
    try:
        figures.write(figure, file)
    except OSError as error:
        raise UsageError(f"cannot write the plot {file}: {error.strerror or error}") from error
