"""What the figures share: colours, markers, legend, caption."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import attrs
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mfbpi_lib_figures.labels import family, natural
from mfbpi_lib_statistics.intervals import Interval

#: Agents that have the same colour and marker in every figure.
AGENTS = (
    *("mf_bpi", "o_bpi", "mdp_nas", "ps_mdp_nas", "q_ucb", "psrl", "q_learning"),
    *("dbmf_bpi", "bsp2", "bsp", "ids"),
)

_MARKERS = "osD^v<>pPXh"


@attrs.frozen(kw_only=True)
class Mark:
    """How one agent or bound is drawn."""

    color: str
    marker: str


def mark(index: int) -> Mark:
    """The mark of a number."""
    return Mark(color=f"C{index % 10}", marker=_MARKERS[index % len(_MARKERS)])


def agent_marks(agents: Iterable[str]) -> dict[str, Mark]:
    """The mark of each agent, in the order of legends; known agents always have the same.

    A known agent with other parameters, alone of its family, has the mark of the family.
    """
    given = set(agents)
    members = Counter(family(agent) for agent in given)
    numbers = {
        agent: AGENTS.index(family(agent))
        for agent in given
        if family(agent) in AGENTS and (agent in AGENTS or members[family(agent)] == 1)
    }
    known = sorted(numbers, key=numbers.__getitem__)
    free = (i for i in itertools.count() if i not in numbers.values())
    others = sorted(given - set(known), key=natural)
    return {agent: mark(numbers[agent]) for agent in known} | {
        agent: mark(number) for agent, number in zip(others, free, strict=False)
    }


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


def band(axes: Axes, xs: Sequence[float], found: Sequence[Interval], color: str) -> None:
    """Fill between the ends of intervals, where there are any."""
    lows, highs = np.array([(i.low, i.high) for i in found], dtype=float).T  # None becomes NaN
    axes.fill_between(xs, lows, highs, color=color, alpha=0.15, linewidth=0)


def legend(figure: Figure, names: Iterable[str], *, columns: int = 4) -> None:
    """One legend for all panels, above them, with the names in this order."""
    handles: dict[str, Any] = {}
    for axes in figure.axes:
        found, labels = axes.get_legend_handles_labels()
        handles.update(zip(labels, found, strict=True))
    shown = [name for name in names if name in handles]
    n_columns = min(columns, len(shown))
    chosen = [handles[name] for name in shown]
    figure.legend(chosen, shown, loc="outside upper center", ncols=n_columns)


def caption(figure: Figure, text: str) -> None:
    """A line below all panels."""
    figure.supxlabel(text, fontsize="small", color="0.3")
