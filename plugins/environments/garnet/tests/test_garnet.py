"""Garnet: its law, what its seeds fix, and its size."""

import time

import numpy as np
import pytest

from mfbpi_core.errors import ConfigError
from mfbpi_env_garnet.environment import Config, Garnet, distinct, garnet


@pytest.mark.parametrize("branching", [1, 2, 5, 20])
def test_successors_are_distinct_states(branching):
    """Each pair lists b different states, and b = S lists them all."""
    mdp = garnet(20, 3, branching)

    assert mdp.successors.shape == (20, 3, branching)
    assert (np.diff(mdp.successors, axis=2) > 0).all()
    assert mdp.successors.min() >= 0
    assert mdp.successors.max() < 20


def test_every_set_of_successors_is_equally_likely():
    """Of the ten pairs out of five states, each is drawn in a tenth of 20,000 rows."""
    rows = distinct(5, (20_000, 2), np.random.default_rng(0))
    counts = np.bincount(rows[:, 0] * 5 + rows[:, 1], minlength=25)
    drawn = counts[counts > 0]

    assert len(drawn) == 10
    # Five standard deviations of a binomial count of mean 2000.
    np.testing.assert_allclose(drawn, 2000, atol=5 * np.sqrt(20_000 * 0.1 * 0.9))


def test_probabilities_are_uniform_pieces():
    """Dirichlet(1, 1, 1, 1): mean 1/4 and variance 3/80 of every piece, rows sum to one."""
    pieces = garnet(2000, 3, 4).probabilities

    np.testing.assert_allclose(pieces.sum(axis=2), 1.0, atol=1e-14)
    np.testing.assert_allclose(pieces.mean(axis=(0, 1)), 0.25, atol=0.012)
    np.testing.assert_allclose(pieces.var(axis=(0, 1)), 3 / 80, atol=0.004)


def test_mean_rewards_are_uniform_for_each_pair():
    """Mean 1/2, variance 1/12, within [0, 1]."""
    means = garnet(2000, 3, 4).mean_rewards

    assert means.shape == (2000, 3)
    assert means.mean() == pytest.approx(0.5, abs=0.02)
    assert means.var() == pytest.approx(1 / 12, abs=0.005)
    assert means.min() >= 0.0
    assert means.max() <= 1.0


def test_mdp_seed_fixes_the_instance_and_the_run_seed_does_not():
    """Equal mdp_seed, equal instance whatever the run and the reward law."""
    first, again = Garnet(Config()), Garnet(Config(reward_law="deterministic"))
    first.reset(seed=1)
    again.reset(seed=2)
    other = garnet(20, 3, 5, mdp_seed=1)

    np.testing.assert_array_equal(first.model.successors, again.model.successors)
    np.testing.assert_array_equal(first.model.probabilities, again.model.probabilities)
    np.testing.assert_array_equal(first.model.mean_rewards, again.model.mean_rewards)
    assert (other.mean_rewards != first.model.mean_rewards).all()


def test_reward_laws():
    """Bernoulli rewards are 0 or 1; deterministic ones equal the mean of the pair."""
    drawn, sure = Garnet(Config()), Garnet(Config(reward_law="deterministic"))
    state, _ = sure.reset(seed=0)
    drawn.reset(seed=0)

    assert {drawn.step(0)[1] for _ in range(50)} == {0.0, 1.0}
    assert sure.step(2)[1] == sure.model.mean_rewards[state, 2]


def test_a_large_instance_is_built_quickly():
    """100,000 states, 3 actions, 5 successors in seconds, stored sparse."""
    started = time.perf_counter()
    mdp = garnet(100_000, 3, 5)
    elapsed = time.perf_counter() - started

    assert mdp.probabilities.shape == (100_000, 3, 5)
    assert elapsed < 5.0  # 0.5 s on an idle machine


def test_more_successors_than_states_are_refused():
    """The message gives both numbers."""
    with pytest.raises(ConfigError, match="branching is 6 with n_states 5"):
        Config(n_states=5, branching=6)


@pytest.mark.parametrize(("key", "value"), [("n_states", 0), ("branching", 0), ("mdp_seed", -1)])
def test_parameters_out_of_range_are_refused(key, value):
    """The message names the parameter and the value."""
    with pytest.raises(ConfigError, match=f"{key} is {value}"):
        Config(**{key: value})
