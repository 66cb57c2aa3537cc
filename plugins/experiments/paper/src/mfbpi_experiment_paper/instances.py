"""What the paper tabulates and plots about its instances; nothing is run.

Source: Russo & Proutiere 2023, appendix on the environments and on the bounds.
"""

from __future__ import annotations

from mfbpi_core import Choice, Experiment, InstanceStudy

#: Orders of the moments; at 19 the exponent 2^k is 524,288.
MOMENTS = tuple(range(1, 20))

#: Sizes of the tables.
RIVERSWIM_SIZES = (5, 10, 25, 50, 100)
FORKED_LENGTHS = (3, 6, 13, 25, 50)
RANDOM_SIZES = (5, 10, 25, 50, 100)

#: Draws of the random instances: the paper's number, and one for a quick look.
DRAWS, QUICK_DRAWS = 300, 10


def instances(quick: bool) -> Experiment:
    """The three tables of instance quantities, at discount 0.95."""
    n_sizes = 3 if quick else 5
    return Experiment(
        summary="Gaps, spans, variances and moments of the three environments.",
        reference="Russo & Proutiere 2023, appendix, tables of the environments",
        studies=(
            InstanceStudy(
                environments=(
                    Choice("riverswim", n_states=RIVERSWIM_SIZES[:n_sizes]),
                    _forked(FORKED_LENGTHS[:n_sizes]),
                    _random(RANDOM_SIZES[:n_sizes], quick),
                ),
                discounts=(0.95,),
                quantities=True,
            ),
        ),
        notes="Published tables truncate: 0.0769... is printed as 7.6e-2. Forked RiverSwim is the "
        "published variant, whose optimal policy is not unique from length 7 (13 states) on.",
    )


def moments(quick: bool) -> Experiment:
    """The largest (M^k)^(2^-k) against k."""
    return Experiment(
        summary="Largest normalised moment of V* at the next state, against its order k.",
        reference="Russo & Proutiere 2023, appendix",
        studies=(
            InstanceStudy(
                environments=(
                    Choice("riverswim", n_states=(5, 10, 25, 50)),
                    _forked((3, 6, 13)),
                    _random((5, 10, 25), quick),
                ),
                discounts=(0.95, 0.99),
                moments=MOMENTS,
            ),
        ),
        figures={"moments": "mfbpi_experiment_paper.instance_figures:moments"},
    )


def bounds(quick: bool) -> Experiment:
    """U0, U and U1 at their own and each other's optimal allocations."""
    return Experiment(
        summary="Bounds on the sample complexity, minimised over generative allocations.",
        reference="Russo & Proutiere 2023, appendix, comparison of the bounds",
        studies=(
            InstanceStudy(
                environments=(
                    Choice("riverswim", n_states=(5, 10, 20) if quick else (5, 10, 20, 30, 50)),
                    _forked((3, 5) if quick else (3, 5, 6)),
                    _random((5, 10) if quick else (5, 10, 20), quick),
                ),
                discounts=(0.95, 0.99),
                bounds=(
                    Choice("u0", label="U0"),
                    Choice("u", label="U"),
                    Choice("u_k", label="U1", k=1),
                ),
            ),
        ),
        figures={
            "bounds": "mfbpi_experiment_paper.instance_figures:bounds",
            "elsewhere": "mfbpi_experiment_paper.instance_figures:elsewhere",
        },
        finding="mfbpi_experiment_paper.instance_figures:order_of_bounds",
        notes="The paper says that U is below U0. Its code computes x ** 2/3, which is (x^2)/3, "
        "where the bound U0 has x^(2/3), and lacks a power 4/3. The arithmetic of one instance is "
        "worked out in the README of mfbpi-bound-u0.",
    )


def _forked(lengths: tuple[int, ...]) -> Choice:
    return Choice("forked_riverswim", length=lengths, variant="published")


def _random(sizes: tuple[int, ...], quick: bool) -> Choice:
    draws = tuple(range(QUICK_DRAWS if quick else DRAWS))
    return Choice("random_mdp", replicate="mdp_seed", n_states=sizes, mdp_seed=draws)
