"""Figures of runs: pure functions from a table of results to a matplotlib figure."""

from __future__ import annotations

import itertools
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, MaxNLocator

from mfbpi_experiment_paper import style
from mfbpi_lib_figures.labels import families, ticks, title
from mfbpi_lib_statistics.intervals import LEVEL, Interval, t_interval

#: The score of the paper, how it is called, and its range.
SCORE, SCORE_LABEL, RANGE = "value_ratio", r"$1 - |V^* - V^\pi|_\infty / |V^*|_\infty$", (0.0, 1.0)

#: A little more than the range, so that marks at its ends are whole.
_LIMITS = (-0.03, 1.05)

#: Points of a curve: more cannot be told apart at the size of a panel.
POINTS = 100

#: Score of each seed by agent, environment and step.
Scores: TypeAlias = dict[tuple[str, str], dict[int, list[float]]]


def scores(table: pa.Table) -> Figure:
    """Final score of each agent, one panel for each family of environments."""
    measured = _scores(table)
    groups = families(env for _, env in measured)
    widths = [len(labels) + 0.5 for labels in groups.values()]
    figure = Figure(figsize=(2.0 + 1.1 * sum(widths), 4.2), layout="constrained")
    panels = figure.subplots(1, len(groups), squeeze=False, sharey=True, width_ratios=widths)[0]
    marks = style.agent_marks(agent for agent, _ in measured)
    for axes, labels in zip(panels, groups.values(), strict=True):
        for index, (agent, mark) in enumerate(marks.items()):
            shift = (index - (len(marks) - 1) / 2) * 0.8 / len(marks)
            finals = [
                (position + shift, _final(measured[agent, env]))
                for position, env in enumerate(labels)
                if (agent, env) in measured
            ]
            style.points(axes, [(x, i.mean, i.low, i.high) for x, i in finals], mark, agent)
        parameter, texts = ticks(labels)
        axes.set_xticks(range(len(labels)), texts)
        axes.set(
            title=title(labels), xlabel=parameter, ylim=_LIMITS, xlim=(-0.5, len(labels) - 0.5)
        )
        axes.grid(axis="y", alpha=0.3)
    panels[0].set_ylabel(f"final {SCORE_LABEL}")
    style.legend(figure, marks)
    style.caption(figure, _caption(measured))
    return figure


def curves(table: pa.Table) -> Figure:
    """Score against steps with bands over seeds; a panel an environment, a row a family."""
    measured = _scores(table)
    groups = families(env for _, env in measured)
    marks = style.agent_marks(agent for agent, _ in measured)
    n_columns = max(map(len, groups.values()))
    size = (1.0 + 3.3 * n_columns, 1.3 + 2.4 * len(groups))
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(len(groups), n_columns, squeeze=False, sharey=True)
    for row, labels in zip(panels, groups.values(), strict=True):
        for axes, env in itertools.zip_longest(row, labels):
            if env is None:
                axes.set_axis_off()
            else:
                _panel(axes, env, measured, marks)
    figure.supylabel(SCORE_LABEL)
    style.legend(figure, marks)
    style.caption(figure, _caption(measured))
    return figure


def _scores(table: pa.Table) -> Scores:
    rows = table.filter(pc.equal(table["metric"], SCORE))
    columns = [rows[name].to_pylist() for name in ("agent", "env", "step", "value")]
    measured: Scores = {}
    for agent, env, step, value in zip(*columns, strict=True):
        measured.setdefault((agent, env), {}).setdefault(step, []).append(value)
    if not measured:
        raise ValueError(f"there is no {SCORE} in the results; measure it to draw this figure")
    return measured


def _final(curve: dict[int, list[float]]) -> Interval:
    return t_interval(curve[max(curve)], bounds=RANGE)


def _panel(axes: Axes, env: str, measured: Scores, marks: dict[str, style.Mark]) -> None:
    """The curves of every agent in one environment."""
    for agent, mark in marks.items():
        if (agent, env) in measured:
            _band(axes, measured[agent, env], mark, agent)
    axes.set(title=env, ylim=_LIMITS, xlabel="step")
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.xaxis.set_major_locator(MaxNLocator(6))


def _band(axes: Axes, curve: dict[int, list[float]], mark: style.Mark, agent: str) -> None:
    steps = sorted(curve)
    shown = [steps[i] for i in np.unique(np.linspace(0, len(steps) - 1, POINTS).astype(int))]
    intervals = [t_interval(curve[step], bounds=RANGE) for step in shown]
    axes.plot(shown, [i.mean for i in intervals], color=mark.color, label=agent)
    style.band(axes, shown, intervals, mark.color)


def _caption(measured: Scores) -> str:
    """What the figure shows: statistic, level and number of runs."""
    counts = {len(curve[max(curve)]) for curve in measured.values()}
    n = str(counts.pop()) if len(counts) == 1 else f"{min(counts)} to {max(counts)}"
    interval = f"{100 * LEVEL:g} % t-interval, clipped to the range of the score"
    return f"mean over n = {n} seeds, {'no interval' if n == '1' else interval}"
