"""Small instances, built from their definitions, for the tests of this library."""

from collections.abc import Callable

import numpy as np
import pytest

from mfbpi_core.mdp import TabularMDP


def _riverswim(n_states: int) -> TabularMDP:
    """RiverSwim (Strehl & Littman 2008) with the constants of Russo & Proutiere (2023)."""
    s = np.arange(n_states)
    down, up = np.maximum(s - 1, 0), np.minimum(s + 1, n_states - 1)
    successors = np.zeros((n_states, 2, 3), dtype=np.int64)
    probabilities = np.zeros((n_states, 2, 3))
    successors[:, 0, 0], probabilities[:, 0, 0] = down, 1.0
    successors[:, 1], probabilities[:, 1] = np.stack([down, s, up], axis=1), [0.1, 0.6, 0.3]
    probabilities[0, 1], probabilities[-1, 1] = [0.7, 0.0, 0.3], [0.7, 0.3, 0.0]
    rewards = np.zeros((n_states, 2))
    rewards[0, 0], rewards[-1, 1] = 0.05, 1.0
    return TabularMDP.from_successors(successors, probabilities, rewards, reward_law="bernoulli")


def _garnet(n_states: int, n_actions: int = 3, branching: int = 5, seed: int = 0) -> TabularMDP:
    """A random sparse instance (Archibald et al. 1995)."""
    rng = np.random.default_rng(seed)
    shape = (n_states, n_actions, branching)
    return TabularMDP.from_successors(
        rng.integers(n_states, size=shape),
        rng.dirichlet(np.ones(branching), size=shape[:2]),
        rng.random(shape[:2]),
    )


@pytest.fixture
def riverswim() -> Callable[[int], TabularMDP]:
    """Builder of RiverSwim from its number of states."""
    return _riverswim


@pytest.fixture
def garnet() -> Callable[..., TabularMDP]:
    """Builder of random sparse instances."""
    return _garnet


@pytest.fixture
def two_identical_actions() -> TabularMDP:
    """Four states of RiverSwim's "right" in which both actions do the same."""
    river = _riverswim(4)
    return TabularMDP.from_successors(
        river.successors[:, [1, 1]], river.probabilities[:, [1, 1]], river.mean_rewards[:, [1, 1]]
    )


@pytest.fixture
def exit_door() -> TabularMDP:
    """State 0: leave (reward 1, episode over) or wait (reward 0.5, stay). State 1 is terminal."""
    transitions = np.zeros((2, 2, 2))  # P[s, a, s']
    transitions[0, 0, 1] = transitions[0, 1, 0] = 1.0
    transitions[1, :, 1] = 1.0
    return TabularMDP.from_dense(
        transitions, [[1.0, 0.5], [0.0, 0.0]], terminal=np.array([False, True])
    )
