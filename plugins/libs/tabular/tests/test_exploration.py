"""Sampling rules: greedy, forced, weighted."""

import numpy as np
import pytest

from mfbpi_lib_tabular.exploration import (
    draw_uniform,
    draw_weighted,
    greedy,
    greedy_or_forced,
    is_forced,
    weighted_or_forced,
)


@pytest.mark.parametrize(
    ("values", "action"), [([1.0], 0), ([1.0, 3.0, 2.0], 1), ([2.0, 2.0, 1.0], 0)]
)
def test_greedy_takes_the_first_best(values, action):
    """Ties go to the lowest action."""
    assert greedy(np.array(values)) == action


def test_forced_share_follows_the_visits():
    """Probability max(least, 1 / N) with the present visit counted: 1, 1/2, 1/10, then least."""
    rng = np.random.default_rng(0)
    for visits, share in (([0, 0], 1.0), ([1, 0], 0.5), ([4, 5], 0.1), ([900, 99], 0.01)):
        forced = [is_forced(np.array(visits), 0.01, rng) for _ in range(20_000)]

        assert np.mean(forced) == pytest.approx(share, abs=0.012)


def test_no_exploration_draws_no_number():
    """With least probability 0 nothing is forced and the generator stands still."""
    rng = np.random.default_rng(0)

    assert not is_forced(np.zeros(2, dtype=np.int64), 0.0, rng)
    assert rng.random() == np.random.default_rng(0).random()


def test_uniform_actions():
    """Each of five actions is drawn in a fifth of the cases."""
    rng = np.random.default_rng(1)
    counts = np.bincount([draw_uniform(5, rng) for _ in range(20_000)], minlength=5)

    np.testing.assert_allclose(counts / 20_000, 0.2, atol=0.015)


def test_weighted_actions():
    """Drawn in proportion to weights of any scale; weight 0 never."""
    rng = np.random.default_rng(2)
    weights = np.array([0.0, 3e-9, 0.0, 1e-9, 0.0])
    counts = np.bincount([draw_weighted(weights, rng) for _ in range(20_000)], minlength=5)

    np.testing.assert_allclose(counts / 20_000, [0, 0.75, 0, 0.25, 0], atol=0.015)
    assert counts[[0, 2, 4]].tolist() == [0, 0, 0]


def test_no_weight_means_uniform():
    """A state to which the allocation gives nothing is explored uniformly."""
    rng = np.random.default_rng(3)

    assert {draw_weighted(np.zeros(3), rng) for _ in range(100)} == {0, 1, 2}


@pytest.mark.parametrize("choose", [greedy_or_forced, weighted_or_forced])
def test_forced_or_by_the_rule(choose):
    """The first visit is uniform; with many visits, or without force, the rule has its way."""
    rng = np.random.default_rng(4)
    row, few, many = np.array([0.0, 2.0, 0.0]), np.zeros(3, np.int64), np.full(3, 10**9)

    assert {choose(row, few, 1e-3, rng) for _ in range(100)} == {0, 1, 2}
    assert {choose(row, few, 0.0, rng) for _ in range(100)} == {1}
    assert {choose(row, many, 1e-12, rng) for _ in range(100)} == {1}
