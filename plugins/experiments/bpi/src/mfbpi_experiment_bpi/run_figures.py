"""Figures of the experiments: pure functions from a table of results to a matplotlib figure."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from matplotlib.figure import Figure

from mfbpi_experiment_bpi.agents import AGENTS
from mfbpi_lib_figures.runs import Quantity
from mfbpi_lib_figures.scores import final_scores
from mfbpi_lib_figures.stopping import stopping_curves

#: Shares of the horizon, in percent.
BUDGETS = (1, 2, 5, 100)

#: The score of the paper.
SCORE = "value_ratio"


def stops(table: pa.Table) -> Figure:
    """The share of runs that have stopped, against samples."""
    return stopping_curves(table, order=AGENTS)


def budgets(table: pa.Table) -> Figure:
    """The score of each agent at each budget, a row a budget, the least first."""
    rows = table.filter(pc.equal(table["metric"], SCORE))
    horizons = {
        row["env"]: row["step_max"]
        for row in rows.group_by("env").aggregate([("step", "max")]).to_pylist()
    }
    parts = [
        _renamed(_at(rows, env, horizon * percent // 100), _name(percent))
        for percent in BUDGETS
        for env, horizon in horizons.items()
    ]
    quantities = [
        Quantity(name=_name(percent), label=f"value ratio at {percent} %", low=0.0, high=1.0)
        for percent in BUDGETS
    ]
    return final_scores(pa.concat_tables(parts), quantities, order=AGENTS)


def _name(percent: int) -> str:
    return f"{SCORE} at {percent} %"


def _at(rows: pa.Table, env: str, step: int) -> pa.Table:
    """What was measured in an environment at a step."""
    return rows.filter(pc.and_(pc.equal(rows["env"], env), pc.equal(rows["step"], step)))


def _renamed(rows: pa.Table, metric: str) -> pa.Table:
    """The columns that figures read, under another metric."""
    found = {name: rows[name] for name in ("seed", "step", "value")}
    texts = {name: rows[name].cast(pa.string()) for name in ("agent", "env")}
    return pa.table({**texts, **found, "metric": pa.array([metric] * len(rows), pa.string())})
