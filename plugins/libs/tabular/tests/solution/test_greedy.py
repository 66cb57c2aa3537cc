import numpy as np
import pytest

from mfbpi_lib_tabular.solution import greedy


@pytest.mark.parametrize("shape", [(4, 3), (2_000, 1), (2_000, 3), (2_000, 8), (2_000, 9)])
def test_best_is_the_first_of_the_largest(shape):
    """Action by action or along the axis, with many equal values, as numpy finds it."""
    values = np.random.default_rng(0).integers(-3, 3, size=shape).astype(np.float64)

    actions, most = greedy.best(values)

    assert np.array_equal(actions, values.argmax(axis=1))
    assert np.array_equal(most, values.max(axis=1))
    assert actions.dtype == np.int64


def test_an_action_within_the_tolerance_is_kept():
    """Only what is better by more than the tolerance replaces it."""
    values = np.array([[1.0, 1.5], [1.0, 3.0]])

    assert greedy.improve(values, np.zeros(2, dtype=np.int64), 0.5).tolist() == [0, 1]
