"""Ties of the published variant, proven in exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest

from mfbpi_env_forked_riverswim.environment import forked_riverswim
from mfbpi_lib_tabular.solution import gaps, planning


def exact(number: float) -> Fraction:
    """The decimal that a floating-point number of the model stands for."""
    return Fraction(str(round(float(number), 12)))


def solve_exactly(system: list[list[Fraction]]) -> list[Fraction]:
    """Gauss-Jordan elimination of [n, n + 1] equations with non-zero pivots."""
    n = len(system)
    for i in range(n):
        pivot = system[i][i]
        system[i] = [entry / pivot for entry in system[i]]
        for k in range(n):
            factor = system[k][i]
            if k != i and factor:
                pairs = zip(system[k], system[i], strict=True)
                system[k] = [a - factor * b for a, b in pairs]
    return [row[n] for row in system]


def exact_gaps(length: int, variant: str, discount: float) -> list[list[Fraction]]:
    """Values of the plan's policy less its action values, without rounding, [S][A]."""
    mdp = forked_riverswim(length, variant)
    policy, gamma = planning.solve(mdp, discount).policy, exact(discount)
    p = [[[exact(x) for x in row] for row in rows] for rows in mdp.transitions]
    r = [[exact(x) for x in row] for row in mdp.mean_rewards]
    states = range(mdp.n_states)
    system = [
        [int(s == t) - gamma * p[s][policy[s]][t] for t in states] + [r[s][policy[s]]]
        for s in states
    ]
    values = solve_exactly(system)
    return [
        [
            values[s] - r[s][a] - gamma * sum(x * v for x, v in zip(p[s][a], values, strict=True))
            for a in range(3)
        ]
        for s in states
    ]


@pytest.mark.parametrize("discount", [0.95, 0.99])
@pytest.mark.parametrize(
    ("length", "variant"), [(5, "published"), (8, "published"), (8, "paper"), (10, "published")]
)
def test_ties_found_are_the_exact_ones(length: int, variant: str, discount: float) -> None:
    """The pairs listed as ties have the gap zero, all other gaps of the plan are positive."""
    mdp = forked_riverswim(length, variant)
    plan = planning.solve(mdp, discount)
    found = gaps.separate(mdp, plan, discount)

    exactly = exact_gaps(length, variant, discount)

    zero = [
        (s, a)
        for s, row in enumerate(exactly)
        for a, gap in enumerate(row)
        if gap == 0 and a != plan.policy[s]
    ]
    assert min(min(row) for row in exactly) == 0
    assert found.ties == zero
    assert found.unresolved == []
    np.testing.assert_allclose(found.gaps, np.array(exactly, dtype=float), rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize(("length", "n_ties"), [(3, 0), (6, 0), (7, 1), (8, 2), (10, 3), (13, 6)])
def test_published_variant_ties_from_thirteen_states_on(length: int, n_ties: int) -> None:
    """In the middle of river 1, going down and crossing come to the same."""
    mdp = forked_riverswim(length, "published")

    found = gaps.separate(mdp, planning.solve(mdp, 0.95), 0.95)

    assert len(found.ties) == n_ties
    assert all(a == 2 and 1 < s < length for s, a in found.ties)
