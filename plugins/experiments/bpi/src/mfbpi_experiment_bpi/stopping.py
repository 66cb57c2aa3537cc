"""When a rule with a guarantee stops: all tabular agents on small instances.

Full size takes days of one core, for most runs of most agents reach the cap: give ``--seeds`` to
run a part, and the same ``--out`` with ``--if-exists resume`` to add the next.
"""

from __future__ import annotations

from mfbpi_core import Choice, Experiment, RunGrid
from mfbpi_experiment_bpi import agents

#: Steps after which a run is censored, in full and in small.
CAP, QUICK_CAP = 3_000_000, 60_000

#: Discount of all instances but the rivers that say another.
DISCOUNT = 0.9

#: States and discount of the rivers.
RIVERS = ((3, 0.9), (5, 0.9), (5, 0.95), (10, 0.99))

#: The gap of the near-tie, at which no rule can stop soon.
NEAR_TIE = 1e-5


def stopping(quick: bool) -> Experiment:
    """Rule kl_box at risk 0.1 on nine instances, four of them when quick."""
    rivers = {_river(*river): river[1] for river in (RIVERS[:1] if quick else RIVERS)}
    small = tuple(_small()) if quick else (*_random(), *_small())
    environments = (*_rivers(RIVERS[:1] if quick else RIVERS), *small)
    return Experiment(
        summary="Stopping times of kl_box, all tabular agents; runs that do not stop are censored.",
        runs=RunGrid(
            agents=(*agents.defaults(), *agents.forced()),
            environments=environments,
            discounts=rivers,
            discount=DISCOUNT,
            seeds="0:2" if quick else "0:20",
            steps=QUICK_CAP if quick else CAP,
            eval_every=QUICK_CAP // 4 if quick else CAP // 30,
            metrics=("value_error", "visit_entropy"),
            stop="kl_box",
            delta=0.1,
        ),
        figures={"stops": "mfbpi_experiment_bpi.run_figures:stops"},
        notes="MF-BPI and the others were not made to be certified: their defaults visit some "
        "pairs rarely. Their variants with min_exploration = 0.1 say what that costs.",
    )


def _river(n_states: int, discount: float) -> str:
    return f"riverswim(n_states={n_states},discount={discount:g})"


def _rivers(sizes: tuple[tuple[int, float], ...]) -> tuple[Choice, ...]:
    """One for each size and discount, of which the label tells both."""
    return tuple(Choice("riverswim", label=_river(n, g), n_states=n) for n, g in sizes)


def _random() -> tuple[Choice, ...]:
    return (
        Choice("garnet", n_states=10, n_actions=3, branching=3, mdp_seed=6),
        Choice("dirichlet_mdp"),
    )


def _small() -> tuple[Choice, ...]:
    return Choice("two_states"), Choice("ring_of_three"), Choice("ring_of_three", gap=NEAR_TIE)
