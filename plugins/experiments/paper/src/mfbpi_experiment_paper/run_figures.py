"""Figures of runs: pure functions from a table of results to a matplotlib figure."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mfbpi_lib_statistics.intervals import LEVEL, t_interval

#: The score of the paper, and its range.
SCORE, RANGE = "value_ratio", (0.0, 1.0)

#: Points of a curve: more cannot be told apart at the size of a panel.
POINTS = 100

_COLUMNS = 3


def scores(table: pa.Table) -> Figure:
    """Final score of each agent in each environment, with its interval over seeds."""
    rows = _of_score(table)
    environments, agents = _names(rows, "env"), _names(rows, "agent")
    figure = Figure(figsize=(3.0 + 0.9 * len(environments), 4.5), layout="constrained")
    axes = figure.add_subplot()
    for index, agent in enumerate(agents):
        shift = (index - (len(agents) - 1) / 2) * 0.8 / len(agents)
        for position, environment in enumerate(environments):
            values = _final(rows, agent, environment)
            if values.size:
                label = agent if position == 0 else None
                _mark(axes, position + shift, values, f"C{index}", label)
    axes.set_xticks(range(len(environments)), environments, rotation=90)
    axes.set(ylabel=SCORE, ylim=(0.0, 1.05))
    axes.legend(fontsize="small")
    figure.supxlabel(_caption(rows), fontsize="x-small")
    return figure


def curves(table: pa.Table) -> Figure:
    """Score against steps, one panel for each environment, with bands over seeds."""
    rows = _of_score(table)
    environments, agents = _names(rows, "env"), _names(rows, "agent")
    n_rows = -(-len(environments) // _COLUMNS)
    figure = Figure(figsize=(4.0 * _COLUMNS, 2.6 * n_rows), layout="constrained")
    panels = figure.subplots(n_rows, _COLUMNS, squeeze=False).ravel()
    for axes, environment in zip(panels, environments, strict=False):
        for index, agent in enumerate(agents):
            _band(axes, rows, agent, environment, f"C{index}")
        axes.set(title=environment, ylim=(0.0, 1.05), xlabel="step", ylabel=SCORE)
    for axes in panels[len(environments) :]:
        axes.set_axis_off()
    panels[0].legend(fontsize="x-small")
    figure.supxlabel(_caption(rows), fontsize="x-small")
    return figure


def _of_score(table: pa.Table) -> pa.Table:
    rows = table.filter(pc.equal(table["metric"], SCORE))
    columns = {name: rows[name].cast(pa.string()) for name in ("env", "agent")}
    return pa.table({**columns, **{n: rows[n] for n in ("seed", "step", "value")}})


def _names(rows: pa.Table, column: str) -> list[str]:
    return list(dict.fromkeys(rows[column].to_pylist()))


def _select(rows: pa.Table, agent: str, environment: str) -> pa.Table:
    both = pc.and_(pc.equal(rows["agent"], agent), pc.equal(rows["env"], environment))
    return rows.filter(both)


def _final(rows: pa.Table, agent: str, environment: str) -> npt.NDArray[np.float64]:
    chosen = _select(rows, agent, environment)
    last = pc.max(chosen["step"]).as_py()
    return chosen.filter(pc.equal(chosen["step"], last))["value"].to_numpy()


def _mark(
    axes: Axes, x: float, values: npt.NDArray[np.float64], colour: str, label: str | None
) -> None:
    interval = t_interval(values.tolist(), bounds=RANGE)
    axes.plot([x], [interval.mean], "o", color=colour, label=label, markersize=4)
    if interval.low is not None and interval.high is not None:
        axes.vlines(x, interval.low, interval.high, color=colour)


def _band(axes: Axes, rows: pa.Table, agent: str, environment: str, colour: str) -> None:
    chosen = _select(rows, agent, environment)
    steps = np.unique(chosen["step"].to_numpy())
    if not steps.size:
        return
    shown = steps[np.unique(np.linspace(0, steps.size - 1, POINTS).astype(int))]
    kept = chosen.filter(pc.is_in(chosen["step"], pa.array(shown)))
    groups = [kept.filter(pc.equal(kept["step"], int(s)))["value"].to_pylist() for s in shown]
    intervals = [t_interval(values, bounds=RANGE) for values in groups]
    axes.plot(shown, [i.mean for i in intervals], color=colour, label=agent)
    lows = _numbers(i.low for i in intervals)
    highs = _numbers(i.high for i in intervals)
    axes.fill_between(shown, lows, highs, color=colour, alpha=0.2, linewidth=0)


def _numbers(values: Iterable[float | None]) -> npt.NDArray[np.float64]:
    return np.array([np.nan if value is None else value for value in values])


def _caption(rows: pa.Table) -> str:
    """What the figure shows: statistic, level and number of runs."""
    seeds = len(pc.unique(rows["seed"]))
    single = "; n = 1: no interval" if seeds == 1 else ""
    return f"mean over n = {seeds} seeds, {100 * LEVEL:g} % t-interval within the range{single}"
