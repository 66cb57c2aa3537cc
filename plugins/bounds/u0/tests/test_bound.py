import numpy as np
import pytest

from mfbpi_bound_u0.bound import U0, Config
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_lib_tabular.testing import riverswim


@pytest.mark.parametrize(
    ("n_states", "discount", "expected"),
    [(5, 0.95, 2787802.0), (10, 0.95, 27132470.0), (20, 0.95, 128277300.0), (10, 0.99, 79976790.0)],
)
def test_riverswim_without_constraint(n_states, discount, expected):
    """Reference optima, to all their digits."""
    found = U0(discount, Config()).solve(riverswim(n_states))

    assert found.value == pytest.approx(expected, rel=1e-6)
    assert found.relative_gap < 1e-12


def test_value_by_hand():
    """One state that pays 1 or 0.5: H0 = 2/D^2 = 8, x = 0.05, H0* = 2/x^2 = 800."""
    mdp = TabularMDP.from_dense(np.ones((1, 2, 1)), [[1.0, 0.5]])

    assert U0(0.9, Config()).evaluate(mdp, np.array([[0.8, 0.2]])) == pytest.approx(1040.0)
    best = (np.sqrt(8.0) + np.sqrt(800.0)) ** 2
    assert U0(0.9, Config()).solve(mdp).value == pytest.approx(best)
