"""Counts, estimates and draws of a model."""

import numpy as np
import pytest

from mfbpi_core.errors import RequirementError
from mfbpi_lib_tabular.learning import memory, posterior
from mfbpi_lib_tabular.learning.posterior import (
    Counts,
    Estimate,
    count,
    draw,
    empirical,
    posterior_mean,
    smoothed,
    walk,
)


def seen() -> Counts:
    """Two states, one action: from 0 once to 0 (reward 1), three times to 1; 1 not yet left."""
    counts = Counts.empty(2, 1)
    count(counts, 0, 0, 1.0, 0, False)
    for _ in range(3):
        count(counts, 0, 0, 0.0, 1, False)
    return counts


def test_counts_beyond_the_memory_are_refused(monkeypatch):
    """16 bytes for each of 1000 x 4 x 1000 entries: 61 MiB, told before any is touched."""
    monkeypatch.setattr(memory, "total", lambda: 2**25)
    with pytest.raises(RequirementError, match=r"fill 0\.0596 GiB at least.* has 0\.0312 GiB; exp"):
        Counts.empty(1000, 4)
    monkeypatch.setattr(memory, "total", lambda: 2**26)
    assert Counts.empty(1000, 4).transitions.shape == (1000, 4, 1000)
    monkeypatch.setattr(memory, "total", lambda: None)
    assert Counts.empty(1000, 4).transitions.shape == (1000, 4, 1000)


def test_the_memory_of_this_machine_is_known():
    """At least what this test takes, on systems that tell."""
    assert (memory.total() or 2**30) > 2**26


def test_counting():
    """Visits, transitions and rewards add up; an ending is not a transition."""
    counts = seen()
    count(counts, 1, 0, 0.5, 0, True)

    assert counts.visits.tolist() == [[4], [1]]
    assert counts.transitions.tolist() == [[[1, 3]], [[0, 0]]]
    assert counts.endings.tolist() == [[0], [1]]
    assert counts.rewards.tolist() == [[1.0], [0.5]]


def test_smoothing_by_hand():
    """One imagined transition to each state: (1 + 1) / (4 + 2), (3 + 1) / 6, and 1/2 unseen."""
    model = smoothed(seen(), 1.0)

    np.testing.assert_allclose(model.transitions[:, 0], [[1 / 3, 2 / 3], [1 / 2, 1 / 2]])
    assert model.rewards.tolist() == [[0.25], [0.0]]


def test_endings_leave_rows_short_of_one():
    """Two endings in four visits: a row with smoothing 1 sums to (2 + 2) / (4 + 2)."""
    counts = Counts.empty(2, 1)
    for ended in (False, True, False, True):
        count(counts, 0, 0, 0.0, 1, ended)

    model = smoothed(counts, 1.0)

    np.testing.assert_allclose(model.transitions[0, 0], [1 / 6, 3 / 6])
    assert draw(counts, 1.0, (0.0, 1.0), np.random.default_rng(0)).transitions[0, 0].sum() < 1.0


@pytest.mark.parametrize("large", [10**9, 0])
def test_draws_have_the_moments_of_the_posterior(large, monkeypatch):
    """Dirichlet(2, 4): means 1/3, 2/3, variance 8/252. Beta(2, 4): the same, for the reward."""
    monkeypatch.setattr(posterior, "LARGE", large)
    rng = np.random.default_rng(0)
    counts = seen()
    models = [draw(counts, 1.0, (0.0, 1.0), rng) for _ in range(20_000)]
    rows = np.array([m.transitions[0, 0] for m in models])
    unseen = np.array([m.transitions[1, 0, 0] for m in models])
    assert unseen.mean() == pytest.approx(1 / 2, abs=0.01)  # Dirichlet(1, 1) is uniform
    assert unseen.var() == pytest.approx(1 / 12, abs=0.003)
    rewards = np.array([m.rewards[0, 0] for m in models])

    np.testing.assert_allclose(rows.sum(axis=1), 1.0, atol=1e-14)
    np.testing.assert_allclose(rows.mean(axis=0), [1 / 3, 2 / 3], atol=0.007)
    np.testing.assert_allclose(rows.var(axis=0), 8 / 252, atol=0.002)
    assert rewards.mean() == pytest.approx(1 / 3, abs=0.007)
    assert rewards.var() == pytest.approx(8 / 252, abs=0.002)


def test_mean_of_the_posterior():
    """Where the draws average to: Beta(1, 1) for the pair that was never visited."""
    model = posterior_mean(seen(), 1.0, (0.0, 1.0))

    np.testing.assert_allclose(model.transitions[0, 0], [1 / 3, 2 / 3])
    np.testing.assert_allclose(model.rewards, [[2 / 6], [1 / 2]])


def test_rewards_of_another_range():
    """In [-1, 3], four visits of sum 1 count 5/4 of the way up: Beta(2.25, 3.75), scaled back."""
    rng = np.random.default_rng(1)
    rewards = [draw(seen(), 1.0, (-1.0, 3.0), rng).rewards[0, 0] for _ in range(20_000)]

    expected = -1.0 + 4.0 * 2.25 / 6.0
    assert np.mean(rewards) == pytest.approx(expected, abs=0.03)
    assert posterior_mean(seen(), 1.0, (-1.0, 3.0)).rewards[0, 0] == pytest.approx(expected)


def test_a_tiny_prior_never_gives_an_empty_row():
    """Gamma variates of shape 0.01 underflow often; every row still sums to one."""
    rng = np.random.default_rng(2)
    for _ in range(300):
        model = draw(Counts.empty(3, 2), 0.01, (0.0, 1.0), rng)

        np.testing.assert_allclose(model.transitions.sum(axis=2), 1.0, atol=1e-14)


def test_starts_are_seen_by_where_transitions_begin():
    """The first state, the one after an ending, and a jump that no transition explains."""
    counts = Counts.empty(3, 1)
    for s, s2, ended in ((0, 1, False), (1, 2, True), (2, 2, False), (2, 1, False), (0, 0, False)):
        count(counts, s, 0, 0.0, s2, ended)

    assert counts.starts.tolist() == [2, 0, 1]


def test_a_walk_goes_on_after_endings():
    """What a row lacks goes to the first states, two of three times to state 0."""
    model = Estimate(np.array([[[0.5, 0.2]], [[0.4, 0.6]]]), np.zeros((2, 1)))

    rows = walk(model, np.array([2, 1]))

    np.testing.assert_allclose(rows, [[0.5 + 0.2, 0.2 + 0.1], [0.4, 0.6]])


def test_empirical_model_by_hand():
    """Frequencies 1/4, 3/4 and mean reward 1/4; the pair never visited is uniform, for nothing."""
    model = empirical(seen())

    assert model.transitions[:, 0].tolist() == [[0.25, 0.75], [0.5, 0.5]]
    assert model.rewards.tolist() == [[0.25], [0.0]]
