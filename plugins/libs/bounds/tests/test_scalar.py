import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from mfbpi_lib_bounds.scalar import Model


def _model(c, h, d) -> Model:
    return Model(c=c, h=np.array(h, dtype=float), d=np.array(d, dtype=float), top=float(max(d)))


def test_one_pole_by_hand():
    """f(rho) = rho (1 + 4/(rho - 1)) is least at rho = 3, where it is 9."""
    x, value = _model(1.0, [4.0], [1.0]).minimum()

    assert (x, value) == pytest.approx((2.0, 9.0), rel=1e-15)


def test_slope_is_the_derivative():
    """Compared with a difference quotient."""
    model = _model(3.0, [4.0, 2.0], [1.0, 0.5])
    quotient = (model.value(2.001) - model.value(1.999)) / 0.002

    assert model.slope(2.0) == pytest.approx(quotient, rel=1e-5)


def test_without_poles_the_least_value_is_a_limit():
    """Weights of zero leave a function that rises from rho = max d on."""
    assert _model(2.0, [0.0, 1.0], [3.0, 0.0]).minimum() == pytest.approx((0.0, 7.0))


def test_without_c_the_least_value_is_at_infinity():
    """Then f falls to the sum of all h."""
    model = _model(0.0, [4.0, 3.0], [1.0, 0.5])

    assert model.minimum() == (np.inf, 7.0)
    assert model.floor(np.inf) == 7.0


positive = st.floats(1e-6, 1e9)


@settings(max_examples=60, deadline=None)
@given(positive, st.lists(st.tuples(positive, positive), min_size=1, max_size=8))
def test_minimum_over_many_magnitudes(c, poles):
    """Newton's method finds the least value whatever the scales; the floor is just below it."""
    model = _model(c, [h for h, _ in poles], [d for _, d in poles])

    x, value = model.minimum()

    around = [model.value(x * factor) for factor in np.geomspace(0.01, 100.0, 41)]
    assert value <= min(around) * (1.0 + 1e-14)
    assert model.floor(x) <= value
    assert model.floor(x) == pytest.approx(value, rel=1e-12)
    found = optimize.minimize_scalar(
        lambda log_x: model.value(np.exp(log_x)),
        bracket=(np.log(x) - 1.0, np.log(x) + 1.0),
        tol=1e-9,
    )
    assert found.fun >= model.floor(x) * (1.0 - 1e-14)
