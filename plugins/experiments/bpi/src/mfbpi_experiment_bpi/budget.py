"""Fixed budgets: what is recommended after 1, 2, 5 and 100 % of the paper's horizon.

One run of the whole horizon is read at each of its budgets. An agent whose schedules depend on the
horizon is told that of the whole run, not the budget.
"""

from __future__ import annotations

from mfbpi_core import Choice, Experiment, RunGrid
from mfbpi_experiment_bpi import agents

#: States of the rivers; the paper runs 10^4 steps for each.
SIZES, QUICK_SIZES = (5, 10, 20), (5,)

#: One percent of the least of these horizons; the other budgets are multiples.
EVERY = 500


def budget(quick: bool) -> Experiment:
    """All tabular agents on RiverSwim at discount 0.99, rivers of 5, 10 and 20 states."""
    return Experiment(
        summary="Value of what is recommended at fixed budgets, all tabular agents.",
        reference="Russo & Proutiere 2023, figures of the tabular results, for the horizons",
        runs=RunGrid(
            agents=agents.defaults(),
            environments=(Choice("riverswim", n_states=QUICK_SIZES if quick else SIZES),),
            discount=0.99,
            seeds="0:2" if quick else "0:10",
            eval_every=EVERY,
            metrics=("value_error",),
        ),
        figures={"budgets": "mfbpi_experiment_bpi.run_figures:budgets"},
        notes="Budgets are read from runs of the whole horizon, which agents are told.",
    )
