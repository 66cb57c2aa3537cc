"""What all figures share: colours and markers, panels, the legend, the caption."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from mfbpi_lib_figures.labels import family, natural

#: Colours that people with any kind of colour vision tell apart; then they come again, dashed.
COLORS = (
    *("#0077bb", "#ee7733", "#009988", "#cc3311", "#33bbee", "#aa4499"),
    *("#117733", "#ddaa33", "#332288", "#882255", "#663300", "#ee99aa"),
)
MARKERS = "osD^v<>pPXh*"
DASHES = ("-", "--", ":", "-.")

#: What is drawn behind, to compare with.
BACKGROUND = "0.8"

#: Inches: width and height of a panel, and what the labels around all panels take.
PANEL, MARGIN = (3.3, 2.5), (1.1, 1.5)

#: A figure is at least this wide, so that its caption and legend fit.
NARROWEST = 6.4

#: Most names in one row of a legend.
LEGEND_COLUMNS = 6

#: Most characters of a name in a legend, and of a part of a title that has nowhere to break.
LONGEST_NAME, LONGEST_TITLE = 60, 160

#: Share of the width of the figure that a legend may take.
FILLED = 0.97


@attrs.frozen(kw_only=True)
class Mark:
    """How one agent or bound is drawn."""

    color: str
    marker: str
    dash: str


def mark(index: int) -> Mark:
    """The mark of a number; no two below 48 look the same."""
    round_, place = divmod(index, len(COLORS))
    return Mark(color=COLORS[place], marker=MARKERS[place], dash=DASHES[round_ % len(DASHES)])


def marks(names: Iterable[str], order: Sequence[str] = ()) -> dict[str, Mark]:
    """The mark of each name, in the order of legends.

    Args:
        names: what is drawn.
        order: names that have the same mark in every figure, whoever else is drawn; so has the
            variant of such a name that is alone of its family. The others follow in natural order
            and take what is free.
    """
    given = set(names)
    members = Counter(family(name) for name in given)
    numbers = {
        name: order.index(family(name))
        for name in given
        if family(name) in order and (name in order or members[family(name)] == 1)
    }
    known = sorted(numbers, key=numbers.__getitem__)
    free = (number for number in itertools.count() if number not in set(numbers.values()))
    others = zip(sorted(given - set(known), key=natural), free, strict=False)
    return {name: mark(numbers[name]) for name in known} | {n: mark(i) for n, i in others}


def panels(
    n_rows: int, n_columns: int, *, widths: Sequence[float] | None = None, share: bool = True
) -> tuple[Figure, npt.NDArray[np.object_]]:
    """A figure with a grid of panels, [n_rows, n_columns]; ``widths`` in units of one panel."""
    units = n_columns if widths is None else sum(widths)
    width = max(MARGIN[0] + PANEL[0] * units, NARROWEST)
    figure = Figure(figsize=(width, MARGIN[1] + PANEL[1] * n_rows), layout="constrained")
    sharey: Any = "row" if share else False
    grid = figure.subplots(n_rows, n_columns, squeeze=False, sharey=sharey, width_ratios=widths)
    return figure, grid


def points(
    axes: Axes,
    found: Sequence[tuple[float, float, float | None, float | None]],
    mark: Mark,
    label: str,
) -> None:
    """Draw points (x, y, low, high), with a line from low to high where there is an interval."""
    if not found:
        return
    xs, ys = [point[0] for point in found], [point[1] for point in found]
    axes.plot(xs, ys, linestyle="", color=mark.color, marker=mark.marker, label=label)
    for x, _, low, high in found:
        if low is not None and high is not None:
            axes.vlines(x, low, high, color=mark.color)


def band(
    axes: Axes,
    xs: npt.ArrayLike,
    ends: Sequence[tuple[float | None, float | None]],
    color: str,
) -> None:
    """Fill between the ends of intervals, where there are any."""
    lows, highs = np.array(ends, dtype=float).reshape(-1, 2).T  # None becomes NaN
    axes.fill_between(np.asarray(xs), lows, highs, color=color, alpha=0.2, linewidth=0)


def limits(axes: Axes, low: float, high: float) -> None:
    """Show a bounded quantity in its whole range, with room for the marks at its ends.

    Where one end is open, the panel, and those that share its axis, still grow with what is drawn.
    """
    if math.isfinite(low) and math.isfinite(high):
        room = 0.04 * (high - low)
        axes.set_ylim(low - room, high + room)
    elif math.isfinite(low) or math.isfinite(high):
        axes.update_datalim([(0.0, low if math.isfinite(low) else high)], updatex=False)
        axes.autoscale_view(scalex=False)


def legend(figure: Figure, names: Iterable[str]) -> None:
    """One legend for all panels, above them, in as many rows as the width of the figure asks.

    Names are texts and no formulas, whatever is in them; a very long one is cut.
    """
    handles: dict[str, Any] = {}
    for axes in figure.axes:
        found, labels = axes.get_legend_handles_labels()
        handles.update(zip(labels, found, strict=True))
    shown = [name for name in names if name in handles]
    chosen, texts = [handles[name] for name in shown], [cut(name, LONGEST_NAME) for name in shown]
    # A legend is as wide as its texts, which only a renderer knows.
    renderer: Any = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    for columns in range(min(LEGEND_COLUMNS, len(shown)), 0, -1):
        placed = figure.legend(chosen, texts, loc="outside upper center", ncols=columns)
        for text in placed.get_texts():
            text.set_parse_math(False)
        if columns == 1 or placed.get_window_extent(renderer).width <= FILLED * figure.bbox.width:
            return
        placed.remove()


def heading(axes: Axes, text: str, inches: float = PANEL[0]) -> None:
    """The title of a panel, broken where the panel ends."""
    told = broken(cut(text, LONGEST_TITLE), int(inches * 12.5))
    axes.set_title(told, fontsize="medium", parse_math=False)


def cut(text: str, longest: int) -> str:
    """The text, or its beginning and an ellipsis: no label may take the room of what is drawn."""
    return text if len(text) <= longest else f"{text[: longest - 1]}\N{HORIZONTAL ELLIPSIS}"


def side(text: str, inches: float = PANEL[1]) -> str:
    """A label beside panels of this height; formulas stay whole."""
    return text if "$" in text else broken(text, int(inches * 11))


def caption(figure: Figure, text: str) -> None:
    """A line below all panels, broken where the figure ends."""
    per_line = max(int(figure.get_figwidth() * 13), 40)  # characters of small print per inch
    figure.supxlabel(broken(text, per_line), fontsize="small", color="0.3")


def broken(text: str, width: int) -> str:
    """The text in lines of at most so many characters, where it has spaces or commas."""
    lines = [""]
    for part in re.split(r"(?<=[, ])", text):
        if lines[-1] and len(lines[-1]) + len(part.rstrip()) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(line.rstrip() for line in lines)
