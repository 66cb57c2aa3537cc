"""Learning curves: a quantity against steps, with bands over seeds.

Up to :data:`TOGETHER` agents share a panel; more get a panel each, with the others' curves behind
in grey, for bands of many agents on top of each other tell nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, MaxNLocator

from mfbpi_lib_figures import style
from mfbpi_lib_figures.labels import natural
from mfbpi_lib_figures.runs import Curve, Curves, IntArray, Quantity, common_steps, curves
from mfbpi_lib_figures.statistic import Statistic, Summary, caption, summary

#: Agents that share a panel.
TOGETHER = 4

#: Points of a curve: more cannot be told apart at the size of a panel.
POINTS = 100

#: Single seeds are drawn up to this many; more hide one another.
SINGLE_SEEDS = 20

#: Panels in a row, where each agent has its own.
COLUMNS = 4


def learning_curves(
    table: pa.Table,
    quantity: Quantity,
    *,
    statistic: Statistic = "mean",
    order: Sequence[str] = (),
) -> Figure:
    """Draw the learning curves of every agent in every environment.

    Args:
        table: rows of results.
        quantity: the metric.
        statistic: over seeds.
        order: agents that look the same in every figure, see :func:`mfbpi_lib_figures.style.marks`.

    Raises:
        ValueError: when the metric was not measured.
    """
    measured = curves(table, quantity.name)
    marks = style.marks((agent for agent, _ in measured), order)
    if len(marks) <= TOGETHER:
        figure = _shared(measured, marks, quantity, statistic)
    else:
        figure = _separate(measured, marks, quantity, statistic)
    figure.supylabel(style.side(quantity.axis, figure.get_figheight() - style.MARGIN[1]))
    style.legend(figure, marks)
    counts = [len(seeds) for seeds in measured.values()]
    words = caption(statistic, counts, bounded=np.isfinite(quantity.bounds).any().item())
    thin = "; thin lines: single seeds" if max(counts) > 1 and min(counts) <= SINGLE_SEEDS else ""
    others = "; grey: the other agents" if len(marks) > TOGETHER else ""
    style.caption(figure, words + thin + others)
    return figure


def _shared(
    measured: Curves, marks: Mapping[str, style.Mark], quantity: Quantity, statistic: Statistic
) -> Figure:
    """One panel for each environment, with every agent in it."""
    environments = sorted({env for _, env in measured}, key=natural)
    n_columns = min(COLUMNS, len(environments))
    n_rows = -(-len(environments) // n_columns)
    figure, grid = style.panels(n_rows, n_columns)
    for axes, env in _placed(grid, environments):
        for agent, mark in marks.items():
            if (agent, env) in measured:
                _band(axes, measured[agent, env], mark, agent, quantity, statistic)
        _finish(axes, env, quantity)
    return figure


def _separate(
    measured: Curves, marks: Mapping[str, style.Mark], quantity: Quantity, statistic: Statistic
) -> Figure:
    """A row of panels for each environment, one for each agent, the others' curves behind."""
    environments = sorted({env for _, env in measured}, key=natural)
    present = {env: [agent for agent in marks if (agent, env) in measured] for env in environments}
    n_columns = min(COLUMNS, max(map(len, present.values())))
    n_rows = {env: -(-len(agents) // n_columns) for env, agents in present.items()}
    figure, grid = style.panels(sum(n_rows.values()), n_columns)
    for env, agents in present.items():
        rows, grid = grid[: n_rows[env]], grid[n_rows[env] :]
        centres = {a: _centre(measured[a, env], quantity, statistic) for a in agents}
        for axes, agent in _placed(rows, agents):
            _behind(axes, [centre for other, centre in centres.items() if other != agent])
            _band(axes, measured[agent, env], marks[agent], agent, quantity, statistic)
            _finish(axes, f"{agent}, {env}" if len(environments) > 1 else agent, quantity)
    return figure


def _behind(axes: Axes, others: Sequence[tuple[IntArray, list[Summary]]]) -> None:
    """The curves of the other agents, to compare with."""
    for steps, found in others:
        middle = [point[0] for point in found]
        axes.plot(steps, middle, color=style.BACKGROUND, linewidth=0.8, zorder=1)


def _placed(grid: npt.NDArray[np.object_], things: Sequence[str]) -> list[tuple[Axes, str]]:
    """A panel for each thing; panels left over are taken out."""
    flat: list[Axes] = list(grid.ravel())
    for axes in flat[len(things) :]:
        axes.set_axis_off()
    return list(zip(flat, things, strict=False))


def _band(
    axes: Axes,
    seeds: Mapping[int, Curve],
    mark: style.Mark,
    agent: str,
    quantity: Quantity,
    statistic: Statistic,
) -> None:
    """The statistic over seeds with its interval, and the single seeds where they are few."""
    steps, found = _centre(seeds, quantity, statistic)
    middle = [point[0] for point in found]
    axes.plot(steps, middle, color=mark.color, linestyle=mark.dash, label=agent, zorder=3)
    style.band(axes, steps, [point[1:] for point in found], mark.color)
    for curve in seeds.values() if 1 < len(seeds) <= SINGLE_SEEDS else ():
        axes.plot(steps, curve.at(steps), color=mark.color, linewidth=0.5, alpha=0.3, zorder=2)


def _centre(
    seeds: Mapping[int, Curve], quantity: Quantity, statistic: Statistic
) -> tuple[IntArray, list[Summary]]:
    """Steps, and the statistic over the runs that have come so far and not ended before."""
    steps = common_steps(seeds, POINTS)
    values = np.array([curve.at(steps) for curve in seeds.values()])  # [seed, step]
    found = [
        summary(column[~np.isnan(column)].tolist(), quantity.bounds, statistic)
        for column in values.T
    ]
    return steps, found


def _finish(axes: Axes, title: str, quantity: Quantity) -> None:
    style.heading(axes, title)
    axes.set(xlabel="step")
    style.limits(axes, *quantity.bounds)
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.grid(axis="y", alpha=0.3)
