"""Final scores: the last value of each seed, and their statistic, by environment and agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mfbpi_lib_figures import style
from mfbpi_lib_figures.labels import families, ticks, title
from mfbpi_lib_figures.runs import Finals, Quantity, finals
from mfbpi_lib_figures.statistic import Statistic, caption, summary

#: Share of the place of an environment that its agents' points take.
SPREAD = 0.8

#: Single seeds are at most so far beside their statistic.
BESIDE = 0.06

#: Single seeds stand beside their statistic: it says little where outcomes are of two kinds.
_SEEDS: dict[str, Any] = {"markersize": 4, "alpha": 0.6, "zorder": 1}

#: Panels per environment: a family of few is not much narrower than its title.
WIDTH_PER_ENVIRONMENT, LEAST_WIDTH = 0.34, 0.8


def final_scores(
    table: pa.Table,
    quantities: Sequence[Quantity],
    *,
    statistic: Statistic = "mean",
    order: Sequence[str] = (),
) -> Figure:
    """Draw the final values: a row for each quantity, a panel for each family of environments.

    Args:
        table: rows of results.
        quantities: the metrics.
        statistic: over seeds.
        order: agents that look the same in every figure, see :func:`mfbpi_lib_figures.style.marks`.

    Raises:
        ValueError: when a metric was not measured.
    """
    measured = {quantity: finals(table, quantity.name) for quantity in quantities}
    labels = {env for found in measured.values() for _, env in found}
    groups = families(labels)
    widths = [max(LEAST_WIDTH, WIDTH_PER_ENVIRONMENT * (len(g) + 0.5)) for g in groups.values()]
    figure, grid = style.panels(len(measured), len(groups), widths=widths)
    marks = style.marks((agent for found in measured.values() for agent, _ in found), order)
    for row, (quantity, found) in zip(grid, measured.items(), strict=True):
        for axes, group, width in zip(row, groups.values(), widths, strict=True):
            _panel(axes, group, found, marks, quantity, statistic)
            style.heading(axes, title(group), width * style.PANEL[0])
        row[0].set_ylabel(style.side(f"final {quantity.axis}"))
    style.legend(figure, marks)
    counts = [len(seeds) for found in measured.values() for seeds in found.values()]
    bounded = any(np.isfinite(quantity.bounds).any() for quantity in quantities)
    single = "; small points: single seeds" if max(counts) > 1 else ""
    style.caption(figure, caption(statistic, counts, bounded=bounded) + single)
    return figure


def _panel(
    axes: Axes,
    labels: Sequence[str],
    measured: Finals,
    marks: Mapping[str, style.Mark],
    quantity: Quantity,
    statistic: Statistic,
) -> None:
    """Every agent in every environment of a family."""
    for index, (agent, mark) in enumerate(marks.items()):
        shift = (index - (len(marks) - 1) / 2) * SPREAD / len(marks)
        found = []
        for position, env in enumerate(labels):
            if (agent, env) in measured:
                values = measured[agent, env]
                found.append((position + shift, *summary(values, quantity.bounds, statistic)))
                if len(values) > 1:
                    beside = position + shift + min(BESIDE, 0.25 * SPREAD / len(marks))
                    axes.plot([beside] * len(values), values, ".", **_SEEDS, color=mark.color)
        style.points(axes, found, mark, agent)
    if not any(env in labels for _, env in measured):
        axes.text(0.5, 0.5, "not measured", transform=axes.transAxes, ha="center", color="0.6")
    if len(labels) > 1:
        parameter, texts = ticks(labels)
        axes.set_xticks(range(len(labels)), texts, parse_math=False)
        axes.set_xlabel(parameter)
    else:
        axes.set_xticks([])  # the title says which
    axes.set_xlim(-0.5, len(labels) - 0.5)
    style.limits(axes, *quantity.bounds)
    axes.grid(axis="y", alpha=0.3)
