import numpy as np
import pytest

from mfbpi_lib_bounds import coefficients
from mfbpi_lib_tabular.solution.terms import PHI_2

GAPS = np.array([[0.0, 0.5], [0.25, 0.0]])
POLICY = np.array([0, 1])
MOMENTS = np.array([[3.0, 1.0], [2.0, 0.1]])
GAMMA = 0.9
#: (1 + 0.9)^2 / (1 - 0.9)^2
SPREAD = 361.0


def test_u_by_hand():
    """H = (2 + 8 phi^2 m)/D^2, d = 1/D^2, c = max(4, 16 g^2 phi^2 m) (1+g)^2/(1-g)^2."""
    made = coefficients.u(GAPS, MOMENTS, POLICY, GAMMA)

    assert made.h[0, 1] == pytest.approx((2 + 8 * PHI_2) * 4)
    assert made.h[1, 0] == pytest.approx((2 + 16 * PHI_2) * 16)
    assert (made.d[0, 1], made.d[1, 0]) == pytest.approx((4, 16))
    assert made.c == pytest.approx([16 * 0.81 * PHI_2 * 3 * SPREAD, 4 * SPREAD])


def test_u_tilde_by_hand():
    """One constant for all states: the largest C over the smallest squared gap."""
    made = coefficients.u_tilde(GAPS, MOMENTS, POLICY, GAMMA)

    assert made.c == pytest.approx([16 * 0.81 * PHI_2 * 3 * SPREAD * 16] * 2)
    assert (made.d[0, 1], made.d[1, 0]) == (1.0, 1.0)


def test_u0_by_hand():
    """H0 = 2/D^2 + max(16 Var/D^2, 6 (MD/D)^(4/3)); H0* takes the smaller of its two terms."""
    variances, spans = np.full((2, 2), 0.01), np.full((2, 2), 8.0)
    made = coefficients.u0(GAPS, variances, spans, POLICY, GAMMA)
    x = 0.25 * 0.1

    assert made.h[0, 1] == pytest.approx(8 + 6 * 16 ** (4 / 3))
    assert made.h[1, 0] == pytest.approx(32 + 6 * 32 ** (4 / 3))
    assert made.c == pytest.approx([2 / x**2 + 6 * (8 / x) ** (4 / 3)] * 2)

    made = coefficients.u0(GAPS, np.full((2, 2), 50.0), spans, POLICY, GAMMA)

    assert made.h[0, 1] == pytest.approx(8 + 16 * 50 * 4)
    assert made.c == pytest.approx([2 / x**2 + 27 / (x**2 * 0.1)] * 2)


def test_value_by_definition():
    """U is the largest H/w + d max_s' c/w over sub-optimal pairs."""
    made = coefficients.u(GAPS, MOMENTS, POLICY, GAMMA)
    w = np.array([[0.1, 0.2], [0.3, 0.4]])
    worst = max(made.c[0] / 0.1, made.c[1] / 0.4)

    expected = max(made.h[0, 1] / 0.2 + 4 * worst, made.h[1, 0] / 0.3 + 16 * worst)
    assert coefficients.evaluate(made, w) == pytest.approx(expected, rel=1e-14)
    assert coefficients.evaluate(made, 2 * w) == pytest.approx(expected / 2, rel=1e-14)


@pytest.mark.parametrize("pair", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_a_pair_left_out_is_infinite(pair):
    """Nothing can be told apart without samples of every pair."""
    w = np.full((2, 2), 0.25)
    w[pair] = 0.0

    assert coefficients.evaluate(coefficients.u(GAPS, MOMENTS, POLICY, GAMMA), w) == np.inf


def test_states_that_do_not_act_are_left_out():
    """A terminal state, with gaps of zero, changes nothing and needs no samples."""
    gaps, moments = np.vstack([GAPS, [[0.0, 0.0]]]), np.vstack([MOMENTS, [[99.0, 99.0]]])
    acting = np.array([True, True, False])
    w = np.array([[0.1, 0.2], [0.3, 0.4], [0.0, 0.0]])
    for maker in (coefficients.u, coefficients.u_tilde):
        smaller = maker(GAPS, MOMENTS, POLICY, GAMMA)

        larger = maker(gaps, moments, np.array([0, 1, 0]), GAMMA, acting)

        assert coefficients.evaluate(larger, w) == coefficients.evaluate(smaller, w[:2])


def test_a_zero_gap_is_infinite():
    """A tie that nobody caught gives an infinite value, not a wrong one."""
    made = coefficients.u(np.zeros((2, 2)), MOMENTS, POLICY, GAMMA)

    assert coefficients.evaluate(made, np.full((2, 2), 0.25)) == np.inf
