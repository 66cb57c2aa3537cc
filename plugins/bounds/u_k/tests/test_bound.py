import pytest

from mfbpi_bound_u_k.bound import UK, Config
from mfbpi_lib_tabular.testing import riverswim


@pytest.mark.parametrize(
    ("n_states", "discount", "expected"),
    [
        (5, 0.95, 10644890.0),
        (10, 0.95, 79094110.0),
        (20, 0.95, 305007000.0),
        (10, 0.99, 401411300.0),
    ],
)
def test_riverswim_without_constraint(n_states, discount, expected):
    """Reference optima, to all their digits."""
    found = UK(discount, Config(k=1)).solve(riverswim(n_states))

    assert found.value == pytest.approx(expected, rel=1e-6)
    assert found.relative_gap < 1e-12


def test_orders_grow():
    """(M^k)^(2^(1-k)) does not decrease in k, and neither does the bound."""
    values = [UK(0.95, Config(k=k)).solve(riverswim(5)).value for k in (1, 2, 5)]

    assert values == sorted(values)
