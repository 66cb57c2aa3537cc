"""Sampling rules: greedy, forced, weighted."""

import numpy as np
import pytest

from mfbpi_lib_tabular.learning.exploration import (
    NEVER,
    draw_uniform,
    draw_weighted,
    greedy,
    is_forced,
    largest,
)

#: The largest uniform number that a generator draws.
BELOW_ONE = np.nextafter(1.0, 0.0)


@pytest.mark.parametrize(
    ("values", "action"), [([1.0], 0), ([1.0, 3.0, 2.0], 1), ([2.0, 2.0, 1.0], 0)]
)
def test_greedy_takes_the_first_best(values, action):
    """Ties go to the lowest action; other states do not count."""
    table = np.array([np.full(len(values), 9.0), values])

    assert greedy(table, 1) == action
    assert largest(table, 1) == max(values)


def test_forced_share_follows_the_visits():
    """Probability max(least, 1 / N) with the present visit counted: 1, 1/2, 1/10, then least."""
    for visits, share in (([0, 0], 1.0), ([1, 0], 0.5), ([4, 5], 0.1), ([900, 99], 0.01)):
        table = np.array([[7, 7], visits])

        assert is_forced(table, 1, 0.01, np.nextafter(share, 0.0))
        assert not is_forced(table, 1, 0.01, share)


def test_never_forces_nothing():
    """The number that stands for none drawn is above every probability."""
    assert not is_forced(np.zeros((1, 2), dtype=np.int64), 0, 0.0, NEVER)


def test_uniform_actions():
    """Each of five actions has a fifth of the numbers, the last one those next to 1."""
    assert [draw_uniform(5, u) for u in (0.0, 0.19, 0.2, 0.5, 0.79, 0.8, BELOW_ONE)] == [
        *(0, 0, 1, 2, 3, 4, 4)
    ]


def test_weighted_actions():
    """Drawn in proportion to weights of any scale; weight 0 never, at no end."""
    table = np.array([[1.0] * 5, [0.0, 3e-9, 0.0, 1e-9, 0.0]])

    actions = [draw_weighted(table, 1, u) for u in (0.0, 0.7499, 0.7501, BELOW_ONE)]

    assert actions == [1, 1, 3, 3]


def test_weighted_actions_of_a_generator():
    """Shares of many draws are those of the weights."""
    table, rng = np.array([[1.0, 5.0, 0.0, 4.0]]), np.random.default_rng(2)
    counts = np.bincount([draw_weighted(table, 0, u) for u in rng.random(20_000)], minlength=4)

    np.testing.assert_allclose(counts / 20_000, [0.1, 0.5, 0.0, 0.4], atol=0.015)


@pytest.mark.parametrize("weight", [0.0, np.nan])
def test_no_weight_means_uniform(weight):
    """A state to which the allocation gives nothing is explored uniformly."""
    table = np.full((1, 3), weight)

    assert [draw_weighted(table, 0, u) for u in (0.1, 0.5, 0.9)] == [0, 1, 2]
