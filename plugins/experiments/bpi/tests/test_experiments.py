"""The grids, and the figure of budgets, read back from what was drawn."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from mfbpi.plan import experiments
from mfbpi_core import Registry
from mfbpi_experiment_bpi.budget import budget
from mfbpi_experiment_bpi.run_figures import budgets
from mfbpi_experiment_bpi.stopping import stopping


def test_instances_have_discounts_of_their_own() -> None:
    """RiverSwim 5 twice, at 0.9 and 0.95; all tasks have the rule."""
    plan = experiments.planned(Registry.discover(), stopping(False), "0")
    found = {site.environment.shown: site.discount for site in plan.sites}

    assert len(found) == 9
    assert found["riverswim(n_states=5,discount=0.9)"] == 0.9
    assert found["riverswim(n_states=5,discount=0.95)"] == 0.95
    assert found["riverswim(n_states=10,discount=0.99)"] == 0.99
    assert found["garnet(n_states=10,n_actions=3,branching=3,mdp_seed=6)"] == 0.9
    assert all(site.stop is not None and site.horizon == 3_000_000 for site in plan.sites)


def test_every_budget_is_a_step_of_evaluation() -> None:
    """1 % of each horizon is measured."""
    plan = experiments.planned(Registry.discover(), budget(False), "0")

    assert [site.horizon for site in plan.sites] == [50_000, 100_000, 200_000]
    assert all(site.horizon // 100 % site.eval_every == 0 for site in plan.sites)


def test_budgets_are_read_at_their_share_of_each_horizon() -> None:
    """The value at a step of 1 %, 2 %, 5 % and at the end; the score here is the share itself."""
    rows: list[dict[str, Any]] = [
        {"agent": "fw_bpi", "env": f"riverswim(n_states={n})", "seed": 0, "step": share * n * 100}
        | {"metric": "value_ratio", "value": share / 100}
        for n in (5, 10)
        for share in (0, 1, 2, 3, 5, 100)
    ]
    table = pa.Table.from_pylist(rows)
    figure = budgets(table.set_column(1, "env", table["env"].dictionary_encode()))

    shown = [axes.get_lines()[0].get_ydata() for axes in figure.axes]
    assert [pytest.approx([share, share]) for share in (0.01, 0.02, 0.05, 1.0)] == shown
