"""When a rule stopped runs: the share that has stopped, against samples.

Runs that reached their horizon without a stop are censored, and marked on the curve; the estimate
is that of Kaplan & Meier, see :mod:`mfbpi_lib_statistics.survival`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from mfbpi_lib_figures import style
from mfbpi_lib_figures.labels import natural
from mfbpi_lib_figures.runs import RUN, counted
from mfbpi_lib_statistics.latest import latest
from mfbpi_lib_statistics.survival import kaplan_meier

#: Columns of runs with a rule: of all of them, and of those that stopped.
GAP, STOP = "certified_gap", "stopping_time"

#: Last step of each run, and whether the rule stopped it there; by agent and environment.
Ends: TypeAlias = dict[tuple[str, str], list[tuple[int, bool]]]

#: Panels in a row.
COLUMNS = 3


def run_ends(table: pa.Table) -> Ends:
    """How each run that had a rule ended; runs without a rule are left out.

    Args:
        table: rows of results.
    """
    runs = list(zip(*(table[name].to_pylist() for name in RUN), strict=True))
    metrics = table["metric"].to_pylist()
    has_rule = {run for run, metric in zip(runs, metrics, strict=True) if metric in (GAP, STOP)}
    stopped = {run for run, metric in zip(runs, metrics, strict=True) if metric == STOP}
    found: Ends = {}
    for run, (step, _) in latest(
        zip(runs, table["step"].to_pylist(), metrics, strict=True)
    ).items():
        if run in has_rule:
            found.setdefault(run[:2], []).append((step, run in stopped))
    return found


def has_stops(table: pa.Table) -> bool:
    """Whether some run had a rule."""
    return bool(pc.any(pc.is_in(table["metric"], pa.array([GAP, STOP]))).as_py())


def stopping_curves(table: pa.Table, *, order: Sequence[str] = ()) -> Figure:
    """Draw the share of runs that have stopped, a panel for each environment.

    Args:
        table: rows of results.
        order: agents that look the same in every figure, see :func:`mfbpi_lib_figures.style.marks`.

    Raises:
        ValueError: when no run had a rule.
    """
    ends = run_ends(table)
    if not ends:
        raise ValueError("no run had a stopping rule")
    environments = sorted({env for _, env in ends}, key=natural)
    marks = style.marks((agent for agent, _ in ends), order)
    n_columns = min(COLUMNS, len(environments))
    figure, grid = style.panels(-(-len(environments) // n_columns), n_columns)
    for index, axes in enumerate(grid.ravel()):
        if index < len(environments):
            _panel(axes, environments[index], ends, marks)
        else:
            axes.set_axis_off()
    figure.supylabel("share of the runs that have stopped")
    style.legend(figure, marks)
    seeds = counted(len(found) for found in ends.values())
    style.caption(figure, f"Kaplan-Meier estimate over {seeds} seeds; |: ended without a stop")
    return figure


def _panel(axes: Axes, env: str, ends: Ends, marks: Mapping[str, style.Mark]) -> None:
    """Every agent in one environment."""
    shown = [step for (_, where), found in ends.items() if where == env for step, _ in found]
    start = 10 ** (len(str(max(min(shown), 1))) - 1)  # a logarithmic axis has no zero
    for agent, mark in marks.items():
        if (agent, env) in ends:
            _curve(axes, ends[agent, env], start, mark, agent)
    style.heading(axes, env)
    axes.set(xlabel="samples", xscale="log")
    axes.xaxis.set_minor_formatter(NullFormatter())  # they would lie on one another
    style.limits(axes, 0.0, 1.0)
    axes.grid(axis="y", alpha=0.3)


def _curve(
    axes: Axes, ends: Sequence[tuple[int, bool]], start: int, mark: style.Mark, agent: str
) -> None:
    """Steps up at each stop, to the last run's end; a stroke where a run is censored."""
    steps, stopped = zip(*ends, strict=True)
    times, remaining = kaplan_meier(steps, stopped)
    xs = [start, *times.tolist(), max(steps)]
    ys = [0.0, *(1.0 - remaining).tolist()]
    ys.append(ys[-1])
    axes.step(xs, ys, where="post", color=mark.color, linestyle=mark.dash, label=agent)
    censored = sorted({step for step, did in ends if not did})
    heights = [max(y for x, y in zip(xs, ys, strict=True) if x <= step) for step in censored]
    axes.plot(censored, heights, "|", color=mark.color, markersize=9)
