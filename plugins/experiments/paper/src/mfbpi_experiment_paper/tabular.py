"""The tabular comparisons of the paper.

Source: Russo & Proutiere 2023, section 5 and the appendix on numerical results.
"""

from __future__ import annotations

from mfbpi_core import Choice, Experiment, RunGrid

AGENTS = ("mf_bpi", "o_bpi", "mdp_nas", "ps_mdp_nas", "q_ucb", "psrl", "q_learning")

#: Seeds, and steps of the small sizes; the large ones follow the environments' protocol.
SEEDS, QUICK_SEEDS, QUICK_STEPS = "0:10", "0:4", 20_000

_FIGURES = {
    "scores": "mfbpi_experiment_paper.run_figures:scores",
    "curves": "mfbpi_experiment_paper.run_figures:curves",
}


def riverswim(quick: bool) -> Experiment:
    """Seven agents on RiverSwim (5 to 50 states) and Forked RiverSwim (5 to 49)."""
    sizes, lengths = ((5, 10), (3, 5)) if quick else ((5, 10, 20, 30, 50), (3, 5, 10, 15, 25))
    return Experiment(
        summary="Value of the recommended policy, seven agents, ten instances.",
        reference="Russo & Proutiere 2023, figures of the tabular results",
        runs=RunGrid(
            agents=tuple(Choice(name) for name in AGENTS),
            environments=(
                Choice("riverswim", n_states=sizes),
                Choice("forked_riverswim", length=lengths, variant="published"),
            ),
            seeds=QUICK_SEEDS if quick else SEEDS,
            steps=QUICK_STEPS if quick else None,
            metrics=("value_error", "visit_entropy"),
        ),
        figures=_FIGURES,
    )


def forced(quick: bool) -> Experiment:
    """MF-BPI with 50 members against one member, which explores by force alone."""
    return Experiment(
        summary="Bootstrapped against forced exploration, on the smallest instances.",
        reference="Russo & Proutiere 2023, appendix; the published code never updates one member",
        runs=RunGrid(
            agents=(Choice("mf_bpi", ensemble_size=(1, 50)),),
            environments=(
                Choice("riverswim", n_states=(5,)),
                Choice("forked_riverswim", length=(3,), variant="published"),
            ),
            seeds=QUICK_SEEDS if quick else SEEDS,
            steps=QUICK_STEPS if quick else None,
            metrics=("value_error", "visit_entropy"),
        ),
        figures=_FIGURES,
    )
