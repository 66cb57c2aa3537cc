"""Small instances, built from their definitions, for the tests of this library."""

from collections.abc import Callable

import numpy as np
import pytest

from mfbpi_core.data.mdp import TabularMDP
from mfbpi_lib_tabular import testing


@pytest.fixture
def riverswim() -> Callable[..., TabularMDP]:
    """Builder of RiverSwim from its number of states."""
    return testing.riverswim


@pytest.fixture
def garnet() -> Callable[..., TabularMDP]:
    """Builder of random sparse instances."""
    return testing.garnet


@pytest.fixture
def two_identical_actions() -> TabularMDP:
    """Four states of RiverSwim's "right" in which both actions do the same."""
    river = testing.riverswim(4)
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
