from fractions import Fraction

import numpy as np
import pytest

from mfbpi_lib_tabular.numerics import backup, doubled
from mfbpi_lib_tabular.numerics.doubled import Doubled


@pytest.mark.parametrize("n_slots", [1, 2, 5, 16, 17, backup.MAX_SLOTS])
def test_means_against_fractions(n_slots):
    """Means of values of many sizes are off by 2^-104 of the largest at most."""
    rng = np.random.default_rng(n_slots)
    n_states, n_pairs = 200, 40
    high = 100.0 * rng.normal(size=n_states) * 10.0 ** -rng.integers(0, 12, size=n_states)
    values = doubled.plus_number(doubled.of(high), high * rng.normal(size=n_states) * 2.0**-54)
    successors = rng.integers(n_states, size=(n_slots, n_pairs))
    weights = rng.dirichlet(np.ones(n_slots), size=n_pairs).T * rng.choice([1.0, 1e-9], n_pairs)

    found = backup.Means(values, n_slots).of(successors, np.ascontiguousarray(weights))

    whole = [Fraction(float(h)) + Fraction(float(low)) for h, low in zip(*values, strict=True)]
    allowed = Fraction(doubled.UNIT) * Fraction(float(np.abs(high).max()))
    for i in range(n_pairs):
        mean = sum(
            Fraction(float(p)) * whole[s]
            for p, s in zip(weights[:, i], successors[:, i], strict=True)
        )
        got = Fraction(float(found.high[i])) + Fraction(float(found.low[i]))
        assert abs(got - mean) <= allowed


def test_means_of_nothing():
    """Values that are all 0."""
    zeros = np.zeros(3)

    found = backup.Means(Doubled(zeros, zeros), 2).of(np.array([[0], [1]]), np.full((2, 1), 0.5))

    assert found.high == found.low == 0.0
