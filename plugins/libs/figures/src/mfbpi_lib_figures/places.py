"""Numbers of the states of an instance where these are: on a grid, along a chain, in a graph."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, Rectangle
from matplotlib.patheffects import withStroke

from mfbpi_lib_figures import style

FloatArray = npt.NDArray[np.float64]

#: Inches: of a cell, least and most along a panel, and beside it.
CELL, SMALLEST, LARGEST, BESIDE = 0.62, 3.0, 14.0, 1.6

#: Most states whose numbers are written into the picture.
WRITTEN = 120

#: Share of the distance between neighbours: of the radius of a state in a graph, of an arrow.
RADIUS, ARROW = 0.3, 0.42

#: A state without a number, lines between states, arrows of the best action and of its equals.
BLANK, LINKS, BEST, EQUAL = "0.92", "0.85", "black", "0.55"


@attrs.frozen(kw_only=True, eq=False)
class Panel:
    """One picture of all states.

    Attributes:
        title: above it.
        label: of the colours.
        values: float64 [S]; NaN for states without a number.
        logarithmic: whether colours follow the logarithm, where the numbers are positive.
        texts: what is written into each state; empty for nothing.
        arrows: directions [n, 2] right and down, from states [n]; the last ones lie above.
        of: the states of the arrows.
        colours: their colours.
    """

    title: str
    label: str
    values: FloatArray
    logarithmic: bool = False
    texts: Sequence[str] = ()
    arrows: FloatArray = attrs.field(factory=lambda: np.zeros((0, 2)))
    of: npt.NDArray[np.int64] = attrs.field(factory=lambda: np.zeros(0, dtype=np.int64))
    colours: Sequence[str] = ()


def draw(
    places: FloatArray, panels: Sequence[Panel], links: Sequence[tuple[int, int]] = ()
) -> Figure:
    """Draw panels below or beside each other, whichever is nearer to a square.

    Args:
        places: float64 [S, 2], right and down; NaN for states that are not drawn.
        panels: what is drawn.
        links: states that are joined by a line; squares are drawn where there are none, else discs.
    """
    drawn = np.asarray(np.isfinite(places).all(axis=1))
    unit = 1.0 if not links else _nearest(places[drawn])
    extent = (places[drawn].max(axis=0) - places[drawn].min(axis=0)) / unit + 1.0
    width, height = (min(max(CELL * float(size), SMALLEST), LARGEST) for size in extent)
    if not links:
        height = min(max(width / float(extent[0]) * float(extent[1]), 0.5), LARGEST)
    columns = len(panels) if width < 2.0 * height else 1
    rows = math.ceil(len(panels) / columns)
    figure = Figure(
        figsize=(columns * (width + BESIDE), rows * (height + BESIDE / 2.0)), layout="constrained"
    )
    grid = figure.subplots(rows, columns, squeeze=False).reshape(-1)
    for axes, panel in zip(grid, panels, strict=False):
        _panel(figure, axes, places / unit, drawn, panel, links)
        axes.set_title(
            style.broken(panel.title, int(width * 10)), fontsize="medium", parse_math=False
        )
    return figure


def _panel(
    figure: Figure,
    axes: Axes,
    places: FloatArray,
    drawn: npt.NDArray[np.bool_],
    panel: Panel,
    links: Sequence[tuple[int, int]],
) -> None:
    states = np.flatnonzero(drawn)
    if links:
        lines: Any = [places[list(pair)] for pair in links if drawn[list(pair)].all()]
        axes.add_collection(LineCollection(lines, colors=LINKS, linewidths=0.6, zorder=0))
    shapes = [_shape(places[s], round_=bool(links)) for s in states]
    values = np.ma.masked_invalid(panel.values[states])
    collection = PatchCollection(shapes, norm=_norm(values, panel.logarithmic), zorder=1)
    collection.set_array(values)
    collection.set_cmap(collection.get_cmap().with_extremes(bad=BLANK))
    collection.set_edgecolor("white")
    axes.add_collection(collection)
    _write(axes, places, states, panel)
    _point(axes, places, drawn, panel)
    axes.set_aspect("equal")
    axes.autoscale_view()
    axes.invert_yaxis()
    axes.set_axis_off()
    if values.count():
        figure.colorbar(collection, ax=axes, label=panel.label, shrink=0.9, aspect=15)


def _write(axes: Axes, places: FloatArray, states: npt.NDArray[np.int64], panel: Panel) -> None:
    if not panel.texts or len(states) > WRITTEN:
        return
    for s in states:
        axes.annotate(
            panel.texts[s],
            places[s],
            xytext=(0, -7),
            textcoords="offset points",
            ha="center",
            va="top",
            fontsize=5.5,
            bbox={"boxstyle": "round,pad=0.1", "fc": "white", "ec": "none", "alpha": 0.7},
        )


def _point(axes: Axes, places: FloatArray, drawn: npt.NDArray[np.bool_], panel: Panel) -> None:
    """Arrows; a ring where an action stays."""
    for direction, s, colour in zip(panel.arrows, panel.of, panel.colours, strict=True):
        if not drawn[s]:
            continue
        length = float(np.linalg.norm(direction))
        if length < 1e-9:
            ring = Circle(tuple(places[s]), 0.12, fill=False, edgecolor=colour, zorder=3)
            ring.set_path_effects([withStroke(linewidth=2.2, foreground="white")])
            axes.add_patch(ring)
            continue
        ahead = direction / length * ARROW
        arrow = FancyArrowPatch(
            tuple(places[s] - 0.2 * ahead),
            tuple(places[s] + ahead),
            arrowstyle="-|>",
            mutation_scale=9,
            color=colour,
            linewidth=1.2,
            shrinkA=0,
            shrinkB=0,
            zorder=3,
        )
        arrow.set_path_effects([withStroke(linewidth=2.6, foreground="white")])
        axes.add_patch(arrow)


def _shape(place: FloatArray, *, round_: bool) -> Circle | Rectangle:
    x, y = map(float, place)
    return Circle((x, y), RADIUS) if round_ else Rectangle((x - 0.5, y - 0.5), 1.0, 1.0)


def _norm(values: Any, logarithmic: bool) -> Normalize:
    """Colours that tell the numbers apart, also where they are all alike."""
    if not values.count():
        return Normalize()
    low, high = float(values.min()), float(values.max())
    if logarithmic and low > 0.0 and high > low:
        return LogNorm(low, high)
    return Normalize(low, high if high > low else low + max(abs(low), 1.0) * 1e-9)


def _nearest(places: FloatArray) -> float:
    """Distance between neighbours, such that few overlap."""
    if len(places) == 1:
        return 1.0
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    return max(float(np.quantile(apart.min(axis=1), 0.2)), 1e-9)
