"""RandomMDP: transition probabilities and rewards drawn from Dirichlet distributions.

For every pair (s, a), independently, P(.|s, a) ~ Dirichlet(alpha) and q(s, a, .) ~
Dirichlet(alpha), with

    alpha_1 = 1,   alpha_i = alpha_{i-1} + (i - 1) / 10,   i = 2, ..., S,

so that states of larger number are reached, and pay, more. The reward on reaching s' is
q(s, a, s'), deterministic. The walk starts in state 0 and never ends.

The parameter ``mdp_seed`` fixes the draw of the instance; the seed of a run moves only the walk in
it. Source: Russo & Proutiere 2023, "Model-Free Active Exploration in Reinforcement Learning",
appendix on environments.
"""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core import RunProtocol, Streams, TabularMDP, parameter
from mfbpi_lib_tabular.models.environment import TabularEnvironment

#: alpha_i grows by (i - 1) times this.
GROWTH = 0.1

#: Steps for each state: the paper runs T = 10^4 |S|.
STEPS_PER_STATE = 10_000


@attrs.frozen(kw_only=True)
class Config:
    """Parameters of RandomMDP."""

    n_states: int = parameter(5, "number of states S", ge=2, source="the paper's smallest")
    n_actions: int = parameter(3, "number of actions A", ge=1, source="appendix")
    mdp_seed: int = parameter(0, "which instance is drawn; runs do not change it", ge=0)


class RandomMDP(TabularEnvironment):
    """RandomMDP; see the module for its law."""

    def __init__(self, config: Config) -> None:
        super().__init__(random_mdp(config.n_states, config.n_actions, config.mdp_seed))
        self.protocol = RunProtocol(horizon=STEPS_PER_STATE * config.n_states)


def concentrations(n_states: int) -> npt.NDArray[np.float64]:
    """The parameters alpha of both Dirichlet distributions, float64 [S]."""
    return 1.0 + GROWTH * np.cumsum(np.arange(n_states, dtype=np.float64))


def random_mdp(n_states: int, n_actions: int = 3, mdp_seed: int = 0) -> TabularMDP:
    """Draw an instance.

    Args:
        n_states: S, 2 or more.
        n_actions: A, 1 or more.
        mdp_seed: 0 or more; equal numbers give equal instances.
    """
    rng = Streams(mdp_seed).generator("mdp")
    alpha = concentrations(n_states)
    transitions = rng.dirichlet(alpha, size=(n_states, n_actions))  # P[s, a, s']
    rewards = rng.dirichlet(alpha, size=(n_states, n_actions))  # q[s, a, s']
    return TabularMDP.from_dense(transitions, rewards)
