"""Figures of the deep comparisons: final values against the size of the problem."""

from __future__ import annotations

import math
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mfbpi_experiment_paper import style
from mfbpi_lib_figures.labels import natural, ticks, title
from mfbpi_lib_statistics.intervals import LEVEL, t_interval

#: Values at the last step of each seed, by agent and environment.
Finals: TypeAlias = dict[tuple[str, str], list[float]]


def deepsea(table: pa.Table) -> Figure:
    """Successes, and the spread of the last visit times, against the size."""
    return _panels(table, {"successes": math.inf, "t_visit_std": 0.5})


def cartpole(table: pa.Table) -> Figure:
    """Upright steps, and the entropy of the visits, against the difficulty."""
    return _panels(table, {"upright_time": math.inf, "visit_entropy": 1.0})


def _panels(table: pa.Table, metrics: dict[str, float]) -> Figure:
    """One panel for each metric; ``metrics``: its highest possible value (the lowest is 0)."""
    figure = Figure(figsize=(4.5 * len(metrics), 4.2), layout="constrained")
    panels = figure.subplots(1, len(metrics), squeeze=False)[0]
    marks = style.agent_marks(table["agent"].to_pylist())
    for axes, (metric, high) in zip(panels, metrics.items(), strict=True):
        _panel(axes, _finals(table, metric), marks, high)
        axes.set_ylabel(f"final {metric}")
    style.legend(figure, marks)
    counts = {len(values) for m in metrics for values in _finals(table, m).values()} or {0}
    style.caption(
        figure,
        f"mean over n = {min(counts)} to {max(counts)} seeds, {100 * LEVEL:g} % t-interval within "
        "the range of the metric where n > 1",
    )
    return figure


def _panel(axes: Axes, finals: Finals, marks: dict[str, style.Mark], high: float) -> None:
    labels = sorted({env for _, env in finals}, key=natural)
    for index, (agent, mark) in enumerate(marks.items()):
        shift = (index - (len(marks) - 1) / 2) * 0.6 / len(marks)
        found = []
        for position, env in enumerate(labels):
            if (agent, env) in finals:
                i = t_interval(finals[agent, env], bounds=(0.0, high))
                found.append((position + shift, i.mean, i.low, i.high))
        style.points(axes, found, mark, agent)
    parameter, texts = ticks(labels)
    axes.set_xticks(range(len(labels)), texts)
    axes.set(title=title(labels), xlabel=parameter)
    axes.set_ylim(bottom=0.0)
    axes.grid(axis="y", alpha=0.3)


def _finals(table: pa.Table, metric: str) -> Finals:
    rows = table.filter(pc.equal(table["metric"], metric))
    last: dict[tuple[str, str, int], tuple[int, float]] = {}
    columns = [rows[name].to_pylist() for name in ("agent", "env", "seed", "step", "value")]
    for agent, env, seed, step, value in zip(*columns, strict=True):
        key = (agent, env, seed)
        last[key] = max(last.get(key, (-1, 0.0)), (step, value))
    finals: Finals = {}
    for (agent, env, _), (_, value) in last.items():
        finals.setdefault((agent, env), []).append(value)
    return finals
