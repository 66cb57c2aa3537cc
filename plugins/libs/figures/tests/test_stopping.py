"""The share of runs that have stopped, read back from what was drawn."""

from __future__ import annotations

import pyarrow as pa
import pytest

from mfbpi_lib_figures.stopping import has_stops, run_ends, stopping_curves


def rows(*runs: tuple[str, int, int, bool]) -> pa.Table:
    """Runs of agent, seed, last step, and whether the rule stopped it there."""
    found = []
    for agent, seed, step, stopped in runs:
        place = {"agent": agent, "env": "ring", "seed": seed}
        found.append({**place, "step": 100, "metric": "certified_gap", "value": 3.0})
        metric = "stopping_time" if stopped else "value_ratio"
        found.append({**place, "step": step, "metric": metric, "value": float(step)})
    return pa.Table.from_pylist(found)


def test_share_that_has_stopped() -> None:
    """Up by a half at the first stop of two; the other, censored, is marked on the curve."""
    figure = stopping_curves(rows(("a", 0, 1_000, True), ("a", 1, 5_000, False)))
    axes = figure.axes[0]
    curve, marks = axes.get_lines()

    assert axes.get_xscale() == "log"
    assert list(curve.get_xdata())[1:] == [1_000, 5_000]
    assert list(curve.get_ydata()) == [0.0, 0.5, 0.5]
    assert (list(marks.get_xdata()), list(marks.get_ydata())) == ([5_000], [0.5])


def test_runs_without_a_rule_are_left_out() -> None:
    """They did not fail to stop: nobody asked."""
    other = pa.Table.from_pylist(
        [{"agent": "b", "env": "ring", "seed": 0, "step": 9, "metric": "m", "value": 1.0}]
    )
    table = pa.concat_tables([rows(("a", 0, 1_000, True)), other])

    assert run_ends(table) == {("a", "ring"): [(1_000, True)]}
    assert not has_stops(other)
    with pytest.raises(ValueError, match="no run had a stopping rule"):
        stopping_curves(other)
