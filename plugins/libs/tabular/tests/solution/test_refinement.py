from fractions import Fraction

import numpy as np
import pytest

from mfbpi_core.data.mdp import TabularMDP
from mfbpi_lib_tabular import testing
from mfbpi_lib_tabular.numerics import doubled
from mfbpi_lib_tabular.numerics.doubled import Doubled
from mfbpi_lib_tabular.solution import planning, refinement


def _exact(pair):
    """The sums of two arrays as fractions."""
    return [Fraction(float(h)) + Fraction(float(low)) for h, low in zip(*pair, strict=True)]


def _pairs(rng, n):
    """Random numbers of many sizes to twice the precision."""
    high = rng.normal(size=n) * 10.0 ** rng.integers(-8, 9, size=n)
    return doubled.plus_number(doubled.of(high), high * rng.normal(size=n) * 2.0**-54)


def test_doubled_operations_keep_their_bounds():
    """Sums, differences and products of 500 random pairs against fractions."""
    rng = np.random.default_rng(0)
    x, y, z = _pairs(rng, 500), _pairs(rng, 500), rng.normal(size=500)
    a, b, c = _exact(x), _exact(y), [Fraction(float(number)) for number in z]
    expected = {
        "plus": (doubled.plus(x, y), [p + q for p, q in zip(a, b, strict=True)]),
        "minus": (doubled.minus(x, y), [p - q for p, q in zip(a, b, strict=True)]),
        "plus_number": (doubled.plus_number(x, z), [p + q for p, q in zip(a, c, strict=True)]),
        "times_number": (doubled.times_number(x, z), [p * q for p, q in zip(a, c, strict=True)]),
    }
    for name, (found, right) in expected.items():
        for got, want in zip(_exact(found), right, strict=True):
            assert abs(got - want) <= Fraction(doubled.UNIT) * abs(want), name


@pytest.mark.parametrize("n", [1, 2, 3, 7, 64])
def test_doubled_total(n):
    """Numbers that cancel: the sum is off by the bound of its rounds, in relation to the sizes."""
    x = _pairs(np.random.default_rng(n), n)
    (found,) = _exact(Doubled(*(np.atleast_1d(part) for part in doubled.total(x))))

    numbers = _exact(x)
    rounds = int(np.ceil(np.log2(n)))
    allowed = rounds * Fraction(doubled.UNIT) * sum(abs(number) for number in numbers)
    assert abs(found - sum(numbers)) <= allowed


@pytest.mark.parametrize("discount", [0.9, 0.999, 0.999999])
def test_values_are_exact_within_the_bound(riverswim, discount):
    """The Bellman residual of the refined pair, in fractions, is within the defect claimed."""
    mdp = riverswim(12)
    plan = planning.solve(mdp, discount)

    found = refinement.refine(mdp, plan.policy, plan.values, discount)

    values = _exact((found.values, found.rest))
    gamma = Fraction(discount)
    for s, a in enumerate(plan.policy):
        mean = sum(p * values[t] for t, p in testing.exact_law(mdp, s, int(a)))
        residual = Fraction(float(mdp.mean_rewards[s, a])) + gamma * mean - values[s]
        assert abs(residual) <= found.defect
    assert found.defect < 1e-29 / (1.0 - discount)


@pytest.mark.parametrize("n_states", [30, 400])
def test_any_values_are_refined(riverswim, garnet, n_states):
    """From far off, and by dense, banded and iterative solvers alike, the same values come out."""
    for mdp in (riverswim(n_states), garnet(n_states)):
        plan = planning.solve(mdp, 0.99)
        near = refinement.refine(mdp, plan.policy, plan.values, 0.99)

        far = refinement.refine(mdp, plan.policy, np.zeros(n_states), 0.99)

        np.testing.assert_allclose(far.values, near.values, rtol=1e-15)
        assert max(near.noise, far.noise) < 1e-15


def test_a_better_action_counts_in_the_error(riverswim):
    """V* differs from the value of "always left" by more than its equations say."""
    mdp = riverswim(5)
    left = refinement.refine(mdp, np.zeros(5, dtype=np.int64), np.zeros(5), 0.9)
    everything = np.ones((5, 2), dtype=np.bool_)

    best = planning.solve(mdp, 0.9).values

    assert left.value_error(np.zeros((5, 2), dtype=np.bool_)) < 1e-28
    assert np.abs(left.values - best).max() <= left.value_error(everything)


def test_no_margin_is_said(exit_door):
    """A discount that rounding cannot tell from 1 leaves every error open."""
    discount = 1.0 - 2.0**-52
    found = refinement.refine(exit_door, np.array([0, 0]), np.zeros(2), discount)

    assert found.margin <= 0.0
    assert found.gap_error(np.zeros((2, 2), dtype=np.bool_)) == np.inf


def test_nothing_to_refine():
    """Without any reward every value is exactly 0."""
    mdp = TabularMDP.from_dense(np.full((2, 2, 2), 0.5), np.zeros((2, 2)))

    found = refinement.refine(mdp, np.zeros(2, dtype=np.int64), np.zeros(2), 0.9)

    assert (found.values == 0.0).all()
    assert (found.advantage == 0.0).all()
