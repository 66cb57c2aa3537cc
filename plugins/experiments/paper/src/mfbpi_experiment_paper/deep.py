"""The deep comparisons of the paper, on problems of bsuite.

Full sizes take days of one core: give ``--seeds`` to run a part, and the same ``--out`` with
``--if-exists resume`` to add the next.

Source: Russo & Proutiere 2023, section 5 and the appendix on numerical results.
"""

from __future__ import annotations

import attrs

from mfbpi_core import Choice, Experiment, RunGrid

AGENTS = ("dbmf_bpi", "bsp2", "bsp", "ids")


#: Rules by which the published code draws the priors on DeepSea; ids has none.
PUBLISHED_PRIORS = {
    "dbmf_bpi": {"prior_initialiser": "wide_fan_normal"},
    "bsp2": {"prior_initialiser": "wide_fan_uniform"},
    "bsp": {"prior_initialiser": "wide_fan_uniform"},
}


def deepsea(quick: bool) -> Experiment:
    """Four agents on slipping DeepSea, N = 10 to 50, 100 N episodes each, published priors."""
    return attrs.evolve(
        _deepsea(quick, tuple(Choice(name, **PUBLISHED_PRIORS.get(name, {})) for name in AGENTS)),
        notes="The published priors are of different rules, and a tenth of what their scales "
        "suggest: compare with paper/deepsea_priors, where all agents have priors of one rule.",
    )


def deepsea_priors(quick: bool) -> Experiment:
    """The same with priors of one rule, that of CartPole."""
    rule = {"prior_initialiser": "truncated_normal"}
    return _deepsea(quick, tuple(Choice(name, **rule) for name in PUBLISHED_PRIORS))


def _deepsea(quick: bool, agents: tuple[Choice, ...]) -> Experiment:
    return Experiment(
        summary="Successes and exploration on slipping DeepSea, five sizes.",
        reference="Russo & Proutiere 2023, figures of slipping DeepSea",
        runs=RunGrid(
            agents=agents,
            environments=(
                Choice(
                    "slipping_deep_sea",
                    size=(10,) if quick else (10, 20, 30, 40, 50),
                    variant="published",
                ),
            ),
            seeds="0:2" if quick else "0:10",
            steps=600 if quick else None,
            metrics=("deep_sea", "t_visit", "t_avg"),
            arrays=not quick,
        ),
        figures={
            "deepsea": "mfbpi_experiment_paper.run_figures:deepsea",
            "deepsea_curves": "mfbpi_experiment_paper.run_figures:deepsea_curves",
        },
    )


def cartpole(quick: bool) -> Experiment:
    """Four agents on Cartpole swing-up, k = 1, 3, 5, 10, 200 episodes each."""
    return Experiment(
        summary="Upright time and exploration on Cartpole swing-up, four agents.",
        reference="Russo & Proutiere 2023, figures of Cartpole swing-up",
        runs=RunGrid(
            agents=tuple(Choice(name) for name in AGENTS),
            environments=(Choice("cartpole_swingup", k=(5,) if quick else (1, 3, 5, 10)),),
            seeds="0:2" if quick else "0:10",
            steps=600 if quick else None,
            metrics=("cartpole", "visit_entropy", "recent_visit_entropy"),
            arrays=not quick,
        ),
        figures={
            "cartpole": "mfbpi_experiment_paper.run_figures:cartpole",
            "cartpole_curves": "mfbpi_experiment_paper.run_figures:cartpole_curves",
        },
        notes="Entropies are over fixed cells; the published ones pool the ranges over agents, so "
        "that an agent's number depends on its rivals, and are not comparable digit by digit.",
    )
