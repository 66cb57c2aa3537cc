"""Heat maps: where an agent went, or where a bound wants it to go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from mfbpi_lib_figures import style

FloatArray = npt.NDArray[np.float64]

#: Numbers that span more than this are coloured by their logarithm.
WIDE = 50.0

#: Powers of ten that colours tell apart; what is below has the colour of the lowest.
DECADES = 4

#: Inches: smallest and largest width, width of a state, and height of a row.
NARROWEST, WIDEST, PER_STATE, PER_ROW = 6.0, 16.0, 0.3, 0.4

#: Inches: height of a map that is as high as wide.
SQUARE = 3.6


def heat_map(values: npt.ArrayLike, title: str, label: str) -> Figure:
    """One map; see :func:`heat_maps`."""
    return heat_maps({title: np.asarray(values, dtype=np.float64)}, label)


def heat_maps(maps: Mapping[str, FloatArray], label: str) -> Figure:
    """Draw maps below each other, on one scale of colours.

    Args:
        maps: title to numbers of 0 or more: [S] by state, [S, A] by state and action (drawn with
            one column for each state), or a square grid [N, N]; zeros stay blank.
        label: what the numbers are.

    Raises:
        ValueError: when an array has another shape, or no number is positive.
    """
    drawn = {title: _oriented(values) for title, values in maps.items()}
    positive = np.concatenate([v[v > 0.0] for v in drawn.values()])
    if not len(positive):
        raise ValueError(f"no number of {', '.join(maps)} is positive; there is nothing to draw")
    heights = [_height(values) for values in drawn.values()]
    columns = max(values.shape[1] for values in drawn.values())
    width = min(max(NARROWEST, 2.0 + PER_STATE * columns), WIDEST)
    figure = Figure(figsize=(width, sum(heights)), layout="constrained")
    grid = figure.subplots(len(drawn), 1, squeeze=False, height_ratios=heights)[:, 0]
    norm = "log" if positive.max() > WIDE * positive.min() else "linear"
    highest = positive.max()
    lowest = max(positive.min(), highest / 10.0**DECADES) if norm == "log" else 0.0
    for axes, (title, values) in zip(grid, drawn.items(), strict=True):
        image = axes.imshow(
            np.ma.masked_less_equal(values, 0.0),
            aspect="auto",
            norm=norm,
            clim=(lowest, highest),
        )
        _finish(axes, style.broken(title, int(width * 9)), values)
    below: Any = "min" if lowest > positive.min() else "neither"
    figure.colorbar(image, ax=list(grid), label=label, extend=below)
    return figure


def _oriented(values: npt.ArrayLike) -> FloatArray:
    """States along x, actions along y; a square grid as it is."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 1 and array.size:
        return array[None, :]
    if array.ndim == 2 and array.size:
        return array if _is_grid(array) else array.T
    raise ValueError(f"a map has shape {array.shape}; expected [S], [S, A] or [N, N]")


def _is_grid(array: FloatArray) -> bool:
    """Grids are square, and larger than the few actions of a square [S, A]."""
    return array.shape[0] == array.shape[1] and len(array) > 4


def _height(values: FloatArray) -> float:
    return 1.3 + (SQUARE if _is_grid(values) else PER_ROW * len(values))


def _finish(axes: Axes, title: str, values: FloatArray) -> None:
    axes.set_title(title, fontsize="medium", parse_math=False)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if _is_grid(values):
        axes.set(xlabel="column", ylabel="row")
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    elif len(values) == 1:
        axes.set(xlabel="state", yticks=[])
    else:
        axes.set(xlabel="state", ylabel="action", yticks=range(len(values)))
