"""Drawing by inversion: the law is exact, and nothing of probability zero is ever drawn."""

import itertools

import numpy as np
import pytest

from mfbpi_core.data.sampling import closed_cdf, draw

#: The least and the largest number that a generator returns, and some between.
UNIFORM = (0.0, 5e-324, 1e-16, 0.25, 0.5, 0.75, 1.0 - 1e-15, np.nextafter(1.0, 0.0))

#: A row for each set of places where four entries may be positive.
PLACES = list(itertools.product((0, 1), repeat=4))[1:]
ROWS = [np.array(places) / sum(places) for places in PLACES]

ODD = {
    "sums to less than one": [0.0, *[0.1] * 10, 0.0, 0.0],
    "subnormal": [0.0, 5e-324, 0.0, 1.0, 0.0, 5e-324, 0.0],
    "nearly sure": [0.0, 1.0 - 1e-16, 0.0, 1e-16, 0.0],
    "sure": [0.0, 0.0, 1.0, 0.0],
    "negative zero": [-0.0, 0.5, -0.0, 0.5, -0.0],
}


def two_ways(row, u):
    """The index by a search in the closed sums, and by drawing once."""
    array = np.array(row)
    return int(np.searchsorted(closed_cdf(array), u, side="right")), draw(array, u)


@pytest.mark.parametrize("u", UNIFORM)
@pytest.mark.parametrize("row", [*ROWS, *ODD.values()], ids=str)
def test_nothing_impossible_is_drawn(row, u):
    """Wherever zeros stand, and however close to 0 and 1 the uniform number is."""
    for index in two_ways(row, u):
        assert row[index] > 0.0


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ([0.5, 0.0, 0.5], [0, 0, 2, 2]),
        ([0.5, 0.0, 0.0, 0.5], [0, 0, 3, 3]),
        ([0.0, 1.0, 0.0], [1, 1, 1, 1]),
        ([0.25, 0.25, 0.0, 0.5], [0, 1, 3, 3]),
    ],
)
def test_law_is_exact(row, expected):
    """The four quarters of the unit interval lead where the probabilities say."""
    for u, index in zip((0.0, 0.25, 0.5, 0.75), expected, strict=True):
        assert two_ways(row, u) == (index, index)


def test_axes_before_the_last_are_rows():
    """Many rows at once are closed as each alone."""
    rows = np.array(ROWS).reshape(3, 5, 4)

    closed = closed_cdf(rows)

    for place in np.ndindex(3, 5):
        np.testing.assert_array_equal(closed[place], closed_cdf(rows[place]))


def test_sums_before_the_end_are_plain_ones():
    """Nothing but the end is changed: rows that had no zeros give the numbers they gave."""
    rows = np.random.default_rng(0).dirichlet(np.ones(6), size=50)

    np.testing.assert_array_equal(closed_cdf(rows)[:, :-1], np.cumsum(rows, axis=1)[:, :-1])
    assert (closed_cdf(rows)[:, -1] == np.inf).all()
