"""RiverSwim: a chain of states in which the large reward is upstream.

Dynamics, with actions left (0) and right (1):

- left moves one state down, surely; in state 0 it stays there;
- right in state 0 stays with probability 0.7 and moves up with 0.3;
- right in an inner state moves down with 0.1, stays with 0.6 and moves up with 0.3;
- right in the last state moves down with 0.7 and stays with 0.3.

Rewards are Bernoulli: left in state 0 has mean 0.05, right in the last state has mean 1, all else
is 0. The walk starts in state 0 and never ends.

Sources: Strehl & Littman 2008, "An analysis of model-based interval estimation for Markov decision
processes"; constants as in Russo & Proutiere 2023, "Model-Free Active Exploration in
Reinforcement Learning", appendix on environments.
"""

from __future__ import annotations

import attrs
import numpy as np

from mfbpi_core import RunProtocol, TabularMDP, parameter
from mfbpi_lib_tabular.models.environment import TabularEnvironment

LEFT, RIGHT = 0, 1
SMALL_REWARD, LARGE_REWARD = 0.05, 1.0
DOWN, STAY, UP = 0.1, 0.6, 0.3  # right in an inner state
AT_END_DOWN, AT_START_STAY = 0.7, 0.7

#: Steps for each state: the paper runs T = 10^4 |S|.
STEPS_PER_STATE = 10_000


@attrs.frozen(kw_only=True)
class Config:
    """Parameters of RiverSwim."""

    n_states: int = parameter(5, "number of states S", ge=2, source="the paper's smallest")


class RiverSwim(TabularEnvironment):
    """RiverSwim; see the module for its dynamics."""

    def __init__(self, config: Config) -> None:
        super().__init__(riverswim(config.n_states))
        self.protocol = RunProtocol(horizon=STEPS_PER_STATE * config.n_states)


def riverswim(n_states: int) -> TabularMDP:
    """The model with ``n_states`` states.

    Args:
        n_states: S, 2 or more.

    Returns:
        Successor lists with the slots down, stay, up.
    """
    states = np.arange(n_states)
    down, up = np.maximum(states - 1, 0), np.minimum(states + 1, n_states - 1)
    successors = np.stack([down, states, up], axis=1)[:, None, :].repeat(2, axis=1)  # [S, A, 3]
    probabilities = np.zeros((n_states, 2, 3))  # P[s, a, (down, stay, up)]
    probabilities[:, LEFT, 0] = 1.0
    probabilities[:, RIGHT] = DOWN, STAY, UP
    probabilities[0, RIGHT] = 0.0, AT_START_STAY, 1.0 - AT_START_STAY
    probabilities[-1, RIGHT] = AT_END_DOWN, 1.0 - AT_END_DOWN, 0.0
    rewards = np.zeros((n_states, 2))  # r[s, a]
    rewards[0, LEFT] = SMALL_REWARD
    rewards[-1, RIGHT] = LARGE_REWARD
    return TabularMDP.from_successors(successors, probabilities, rewards, reward_law="bernoulli")
