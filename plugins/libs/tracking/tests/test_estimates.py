"""Coefficients of the bounds from estimated models."""

import numpy as np
import pytest

from mfbpi_core import TabularMDP
from mfbpi_lib_bounds import coefficients, planned
from mfbpi_lib_tabular.learning.posterior import Estimate
from mfbpi_lib_tabular.solution import gaps, moments, planning
from mfbpi_lib_tracking.estimates import EstimatedQuantities

DISCOUNT = 0.9
BOUNDS = ("u0", "u")


def of_model(bound: str, model: Estimate, plan: planning.Plan, gap_floor=1e-8, k_max=19):
    """The coefficients of u0 or u."""
    quantities = EstimatedQuantities(model=model, plan=plan, discount=DISCOUNT, gap_floor=gap_floor)
    return planned.u0(quantities) if bound == "u0" else planned.u(quantities, k_max)


def random_model(ending: float = 0.0) -> Estimate:
    """Four states, three actions; each pair ends the task with the probability given."""
    rng = np.random.default_rng(3)
    rows = rng.dirichlet(np.ones(4), size=(4, 3)) * (1.0 - ending)
    return Estimate(rows, rng.uniform(size=(4, 3)))


def plan_of(model: Estimate) -> planning.Plan:
    """Its optimal values."""
    first = np.zeros(4, dtype=np.int64)
    return planning.solve_arrays(model.transitions, model.rewards, DISCOUNT, first)


@pytest.mark.parametrize("bound", BOUNDS)
def test_agree_with_the_bounds_of_the_same_model(bound):
    """An exact model gives the coefficients that the definitions give for it."""
    model = random_model()
    mdp = TabularMDP.from_dense(model.transitions, model.rewards)
    plan = planning.solve(mdp, DISCOUNT)
    delta = gaps.gaps(plan)
    if bound == "u":
        terms = moments.largest_moment_terms(mdp, plan.values, 19)
        expected = coefficients.u(delta, terms, plan.policy, DISCOUNT)
    else:
        variances, spans = moments.variances(mdp, plan.values), moments.spans(mdp, plan.values)
        expected = coefficients.u0(delta, variances, spans, plan.policy, DISCOUNT)

    found = of_model(bound, model, plan_of(model))

    pairs = expected.suboptimal
    np.testing.assert_allclose(found.h[pairs], expected.h[pairs], rtol=1e-10)
    np.testing.assert_allclose(found.d[pairs], expected.d[pairs], rtol=1e-10)
    np.testing.assert_allclose(found.c, expected.c, rtol=1e-10)


def test_an_ending_counts_as_a_next_state_of_value_zero():
    """The variance of V at the next state, with a tenth of the weight on zero."""
    model = random_model(ending=0.1)
    plan = plan_of(model)
    first = np.einsum("sat,t->sa", model.transitions, plan.values)
    second = np.einsum("sat,t->sa", model.transitions, plan.values**2)
    terms = second - first**2
    expected = coefficients.u(gaps.gaps(plan), terms, plan.policy, DISCOUNT)

    found = of_model("u", model, plan, k_max=1)

    pairs = expected.suboptimal
    np.testing.assert_allclose(found.h[pairs], expected.h[pairs], rtol=1e-10)
    np.testing.assert_allclose(found.c, expected.c, rtol=1e-10)


@pytest.mark.parametrize("bound", BOUNDS)
def test_floored_gaps_keep_ties_finite(bound):
    """Without data all actions tie: every coefficient is finite and positive."""
    blank = Estimate(np.full((4, 3, 4), 0.25), np.zeros((4, 3)))

    found = of_model(bound, blank, plan_of(blank), gap_floor=1e-4)

    pairs = found.suboptimal
    assert np.isfinite(found.h[pairs]).all()
    np.testing.assert_allclose(found.h[pairs], 2e8, rtol=1e-6)  # 2 / floor^2, no moments
    assert np.isfinite(found.c).all()
    assert (found.c > 0).all()
