"""Garnet: random sparse MDPs in which every pair has the same number b of successors.

For every pair (s, a), independently:

- the b successors are a uniformly random set of b distinct states;
- their probabilities are the lengths of the pieces into which b - 1 uniform points cut the unit
  interval, which is the law Dirichlet(1, ..., 1);
- the mean reward r(s, a) is uniform on [0, 1].

The walk starts in state 0 and never ends. Nothing makes the instance communicating: with b of 2 or
3 some states may be unreachable.

The literature agrees on the transitions, not on the rewards. Rewards here belong to pairs and are
bounded, as the bounds on the characteristic time assume; they are Bernoulli with these means, or
equal to them (``reward_law``). Normal rewards, or rewards in a tenth of the states only, are other
conventions, and give other instances.

The parameter ``mdp_seed`` fixes the draw of the instance; the seed of a run moves only the walk in
it. Source: Archibald, McKinnon & Thomas 1995, "On the generation of Markov decision processes",
Journal of the Operational Research Society 46(3).
"""

from __future__ import annotations

from typing import cast

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core import RunProtocol, Streams, TabularMDP, parameter
from mfbpi_core.data.mdp import RewardLaw
from mfbpi_core.errors import ConfigError
from mfbpi_lib_tabular.models.environment import TabularEnvironment

#: Steps for each state, as in the other tabular environments.
STEPS_PER_STATE = 10_000


@attrs.frozen(kw_only=True)
class Config:
    """Parameters of Garnet."""

    n_states: int = parameter(20, "number of states S", ge=1)
    n_actions: int = parameter(3, "number of actions A", ge=1)
    branching: int = parameter(5, "successors b of each pair, at most S", ge=1)
    mdp_seed: int = parameter(0, "which instance is drawn; runs do not change it", ge=0)
    reward_law: str = parameter(
        "bernoulli",
        "rewards are drawn with mean r(s, a), or equal to it",
        choices=("bernoulli", "deterministic"),
    )

    def __attrs_post_init__(self) -> None:
        """Refuse more successors than states."""
        if self.branching > self.n_states:
            raise ConfigError(
                f"branching is {self.branching} with n_states {self.n_states}; expected at most "
                "one successor for each state"
            )


class Garnet(TabularEnvironment):
    """Garnet; see the module for its law."""

    def __init__(self, config: Config) -> None:
        super().__init__(
            garnet(
                config.n_states,
                config.n_actions,
                config.branching,
                config.mdp_seed,
                cast(RewardLaw, config.reward_law),
            )
        )
        self.protocol = RunProtocol(horizon=STEPS_PER_STATE * config.n_states)


def garnet(
    n_states: int,
    n_actions: int,
    branching: int,
    mdp_seed: int = 0,
    reward_law: RewardLaw = "bernoulli",
) -> TabularMDP:
    """Draw an instance, as successor lists; no array of S x A x S entries is made.

    Args:
        n_states: S, 1 or more.
        n_actions: A, 1 or more.
        branching: b, 1 to S.
        mdp_seed: 0 or more; equal numbers give equal instances, whatever the reward law.
        reward_law: ``"bernoulli"`` or ``"deterministic"``.
    """
    rng = Streams(mdp_seed).generator("mdp")
    successors = distinct(n_states, (n_states * n_actions, branching), rng)
    pieces = rng.exponential(size=(n_states, n_actions, branching))
    return TabularMDP.from_successors(
        successors.reshape(pieces.shape),
        pieces / pieces.sum(axis=2, keepdims=True),
        rng.random((n_states, n_actions)),
        reward_law=reward_law,
    )


def distinct(
    n_states: int, shape: tuple[int, int], rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Rows of distinct states, each row a uniformly random subset: Floyd's method on all rows.

    Args:
        n_states: S.
        shape: number of rows, and of states in a row, at most S.
        rng: source of randomness.

    Returns:
        int64 of the given shape, each row sorted.
    """
    n_rows, size = shape
    chosen = np.empty(shape, dtype=np.int64)
    for i in range(size):
        newest = n_states - size + i
        candidate = rng.integers(newest + 1, size=n_rows)
        taken = (chosen[:, :i] == candidate[:, None]).any(axis=1)
        chosen[:, i] = np.where(taken, newest, candidate)
    chosen.sort(axis=1)
    return chosen
