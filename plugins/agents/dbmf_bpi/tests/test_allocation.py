"""The allocation over the actions of one state, on numbers worked out by hand."""

import math

import numpy as np
import pytest

from mfbpi_agent_dbmf_bpi.allocation import Allocation, quantile
from mfbpi_lib_tabular.solution.terms import PHI_2


def rule(**constants) -> Allocation:
    """The allocation for gamma = 1/2, k = 2."""
    default = {"discount": 0.5, "k": 2, "gap_offset": 0.0, "gap_floor": 1e-8, "sum_factor": 1.0}
    return Allocation(**{**default, **constants})


def test_allocation_by_hand():
    """Gaps 1 and 2, fourth moments 4, 16 and 9, smallest gap 1/2: term by term."""
    w = rule()(np.array([2.0, 3.0, 1.0]), np.array([4.0, 9.0, 16.0]), 0.5)

    first = 2 + 8 * PHI_2 * 2.0
    third = (2 + 8 * PHI_2 * 4.0) / 4.0
    h = 4 * 1.5**2 * max(1.0, 4 * 0.25 * PHI_2 * 3.0) / (0.5**2 * 0.5**2)
    weights = np.array([first, math.sqrt(h * (first + third)), third])
    np.testing.assert_allclose(w, weights / weights.sum(), rtol=1e-12)


def test_small_moments_leave_the_constant():
    """Where 4 gamma^2 phi^2 m < 1, H is 4 (1 + gamma)^2 / (D_min^2 (1 - gamma)^2)."""
    w = rule()(np.array([0.0, 1.0]), np.zeros(2), 1.0)

    assert w[1] / w[0] == pytest.approx(math.sqrt(36.0 * 2.0) / 2.0)


def test_offset_and_floor():
    """lambda is added to every gap, D_min included; equal values give a finite allocation."""
    w = rule(gap_offset=1.0)(np.array([0.0, 1.0]), np.zeros(2), 1.0)
    assert w[1] / w[0] == pytest.approx(math.sqrt(36.0 / 4 * 0.5) / 0.5)

    tied = rule()(np.zeros(3), np.zeros(3), 0.0)
    assert np.isfinite(tied).all()
    assert tied.sum() == pytest.approx(1.0)
    assert rule()(np.zeros(1), np.zeros(1), 0.0).tolist() == [1.0]


def test_quantiles_equal_numpy():
    """Linear interpolation over the members, ends included."""
    values = np.random.default_rng(0).normal(size=(20, 3))
    for level in (0.0, 0.31, 0.5, 0.999, 1.0):
        np.testing.assert_allclose(quantile(values, level), np.quantile(values, level, axis=0))
