"""Two chains.

**Chain**, with the actions forward (0) and back (1), starting in state 0:

- forward leads to the next state, and stays in the last one, where it pays 10;
- back leads to state 0 and pays 2;
- with probability ``slip`` the other action is executed, and paid.

**Double chain**, with the actions left (0) and right (1), starting in the middle: each leads to the
neighbour on its side, and to that on the other with probability ``slip``; the ends are walls. Every
action in the last state pays 1.

Sources: Dearden, Friedman & Russell 1998, "Bayesian Q-learning"; Strens 2000, "A Bayesian framework
for reinforcement learning"; Kaufmann, Menard, Domingues, Jonsson, Leurent & Valko 2021, "Adaptive
reward-free exploration".
"""

from __future__ import annotations

import attrs
import numpy as np

from mfbpi_core import RunProtocol, TabularMDP, parameter
from mfbpi_lib_tabular.models.environment import TabularEnvironment

#: What forward pays in the last state of the chain, and back everywhere.
FAR, NEAR = 10.0, 2.0

#: Steps for each state.
STEPS_PER_STATE = 10_000


@attrs.frozen(kw_only=True)
class ChainConfig:
    """Parameters of the chain."""

    n_states: int = parameter(5, "number of states S", ge=2, source="Strens 2000")
    slip: float = parameter(
        0.2, "probability that the other action is executed", ge=0, le=1, source="Strens 2000"
    )


class Chain(TabularEnvironment):
    """The chain; see the module for its dynamics."""

    def __init__(self, config: ChainConfig) -> None:
        super().__init__(chain(config.n_states, config.slip))
        self.protocol = RunProtocol(horizon=STEPS_PER_STATE * config.n_states)


def chain(n_states: int, slip: float) -> TabularMDP:
    """The model of the chain; slots: forward, back."""
    states = np.arange(n_states)
    ahead = np.minimum(states + 1, n_states - 1)
    successors = np.stack([ahead, np.zeros_like(ahead)], axis=1)[:, None].repeat(2, axis=1)
    probabilities = np.empty((n_states, 2, 2))  # P[s, a, (forward, back)]
    probabilities[:, 0] = 1.0 - slip, slip
    probabilities[:, 1] = slip, 1.0 - slip
    rewards = np.zeros((n_states, 2, 2))
    rewards[-1, :, 0] = FAR
    rewards[:, :, 1] = NEAR
    return TabularMDP.from_successors(successors, probabilities, rewards, reward_range=(0.0, FAR))


@attrs.frozen(kw_only=True)
class DoubleChainConfig:
    """Parameters of the double chain."""

    n_states: int = parameter(31, "number of states S", ge=3, source="Kaufmann et al. 2021")
    slip: float = parameter(
        0.1, "probability of a move to the other side", ge=0, le=1, source="Kaufmann et al. 2021"
    )


class DoubleChain(TabularEnvironment):
    """The double chain; see the module for its dynamics."""

    def __init__(self, config: DoubleChainConfig) -> None:
        super().__init__(double_chain(config.n_states, config.slip))
        self.protocol = RunProtocol(horizon=STEPS_PER_STATE * config.n_states)


def double_chain(n_states: int, slip: float) -> TabularMDP:
    """The model of the double chain; slots: left, right."""
    states = np.arange(n_states)
    sides = np.stack([np.maximum(states - 1, 0), np.minimum(states + 1, n_states - 1)], axis=1)
    probabilities = np.empty((n_states, 2, 2))  # P[s, a, (left, right)]
    probabilities[:, 0] = 1.0 - slip, slip
    probabilities[:, 1] = slip, 1.0 - slip
    rewards = np.zeros((n_states, 2))
    rewards[-1] = 1.0
    initial = np.eye(n_states)[n_states // 2]
    return TabularMDP.from_successors(
        sides[:, None].repeat(2, axis=1), probabilities, rewards, initial=initial
    )
