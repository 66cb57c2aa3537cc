"""SixArms: six ways from the middle, of which the rarest pays most.

Dynamics, with state 0 in the middle, where the walk starts, and six actions:

- action i in state 0 leads to state i + 1 with probability 1, 0.15, 0.1, 0.05, 0.03 and 0.01, and
  stays otherwise;
- in state 1, every action but action 4 stays and pays 50; action 4 leads back to state 0;
- in state i of 2 to 6, action i - 1 stays and pays 133, 300, 800, 1660 and 6000; every other leads
  back to state 0.

All else pays 0. Rewards are in [0, 6000], as published.

Source: Strehl & Littman 2008, "An analysis of model-based interval estimation for Markov decision
processes".
"""

from __future__ import annotations

import numpy as np

from mfbpi_core import NoConfig, RunProtocol, TabularMDP
from mfbpi_lib_tabular.models.environment import TabularEnvironment

#: Probability that an action of state 0 leads out, and what staying there pays.
LEADS_OUT = (1.0, 0.15, 0.1, 0.05, 0.03, 0.01)
PAYS = (50.0, 133.0, 300.0, 800.0, 1660.0, 6000.0)

#: The action that leaves state 1.
LEAVES_FIRST = 4


class SixArms(TabularEnvironment):
    """SixArms; see the module for its dynamics."""

    protocol = RunProtocol(horizon=70_000)

    def __init__(self, config: NoConfig) -> None:  # noqa: ARG002 - every factory has one
        super().__init__(six_arms())


def six_arms() -> TabularMDP:
    """The model, dense."""
    transitions = np.zeros((7, 6, 7))  # P[s, a, s']
    rewards = np.zeros((7, 6))
    for arm, (probability, pays) in enumerate(zip(LEADS_OUT, PAYS, strict=True)):
        transitions[0, arm, arm + 1] = probability
        transitions[0, arm, 0] = 1.0 - probability
        stays = [a for a in range(6) if a != LEAVES_FIRST] if arm == 0 else [arm]
        transitions[arm + 1, :, 0] = 1.0
        transitions[arm + 1, stays, 0] = 0.0
        transitions[arm + 1, stays, arm + 1] = 1.0
        rewards[arm + 1, stays] = pays
    return TabularMDP.from_dense(transitions, rewards, reward_range=(0.0, max(PAYS)))
