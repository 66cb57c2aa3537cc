import pytest

from mfbpi_bound_u.bound import Config, U
from mfbpi_lib_tabular.testing import riverswim


@pytest.mark.parametrize(
    ("n_states", "discount", "expected"),
    [
        (5, 0.95, 29387930.0),
        (10, 0.95, 197775000.0),
        (20, 0.95, 585547700.0),
        (10, 0.99, 1420910000.0),
    ],
)
def test_riverswim_without_constraint(n_states, discount, expected):
    """Reference optima, to all their digits."""
    found = U(discount, Config()).solve(riverswim(n_states))

    assert found.value == pytest.approx(expected, rel=1e-6)
    assert found.relative_gap < 1e-12


@pytest.mark.parametrize(
    ("n_states", "discount", "expected"),
    [
        (5, 0.95, 3.192226e7),
        (10, 0.99, 1.632730e9),
        (20, 0.99, 1.349997e10),
        (100, 0.99, 5.229207e11),
    ],
)
def test_riverswim_by_walking(n_states, discount, expected):
    """Reference optima with navigation constraints, certified."""
    found = U(discount, Config()).solve(riverswim(n_states), "navigation")

    assert found.value == pytest.approx(expected, rel=1e-6)
    assert (found.status, found.relative_gap <= 1e-9) == ("optimal", True)
    assert found.residual <= 1e-12


def test_fewer_moments_give_a_smaller_bound():
    """The supremum over k grows with k_max; at k_max = 1 it is the variance."""
    mdp = riverswim(5)
    values = [U(0.95, Config(k_max=k)).solve(mdp).value for k in (1, 2, 19)]

    assert values[0] == pytest.approx(1.064489e7, rel=1e-6)
    assert values == sorted(values)
