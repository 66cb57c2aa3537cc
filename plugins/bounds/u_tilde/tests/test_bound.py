import numpy as np
import pytest

from mfbpi_bound_u_tilde.bound import Config, UTilde
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_lib_tabular.testing import riverswim


def test_value_by_hand():
    """One state that pays 1 or 0.5: H(s, a) = 2/D^2 = 8, H = 4 (1.9/0.1)^2 / D^2 = 5776."""
    mdp = TabularMDP.from_dense(np.ones((1, 2, 1)), [[1.0, 0.5]])
    bound = UTilde(0.9, Config())

    assert bound.evaluate(mdp, np.array([[0.8, 0.2]])) == pytest.approx(40.0 + 7220.0)
    assert bound.solve(mdp).value == pytest.approx((np.sqrt(8.0) + np.sqrt(5776.0)) ** 2)


@pytest.mark.parametrize("n_states", [5, 10])
def test_optimum_is_spread_evenly_over_optimal_pairs(n_states):
    """The closed form gives every pair (s, pi*(s)) the same weight."""
    found = UTilde(0.95, Config()).solve(riverswim(n_states))

    top = np.sort(found.allocation.max(axis=1))
    assert top == pytest.approx(np.full(n_states, top[0]))
