"""Forked RiverSwim: two rivers from one source, of nearly equal reward, with a way across.

With length N there are 2 N - 1 states: the source 0, river 1 with states 1 to N - 1 and river 2
with states N to 2 N - 2, each counted upstream. Actions are left (0), right (1) and switch (2).

- left moves one state down, surely; from the first state of either river to the source, where it
  stays;
- right in the source stays with probability 0.7 and moves up river 1 with 0.3;
- right in an inner state moves down with 0.1, stays with 0.6 and moves up with 0.3;
- right at the end of a river moves down with 0.7 and stays with 0.3;
- switch jumps to the same place in the other river, surely; in the source and at the ends it stays.

Rewards are Bernoulli: left in the source has mean 0.05, right at the end of river 1 mean 1, right
at the end of river 2 mean 0.95, all else is 0. The walk starts in the source and never ends.

Variant ``"published"`` is the law that the published code simulates and that the published tables
come from. It differs in one entry: right in the first state of river 2 slips, with probability
0.1, to the end of river 1 (the state before it by number) instead of down to the source.

Source: Russo & Proutiere 2023, "Model-Free Active Exploration in Reinforcement Learning",
appendix on environments.
"""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core import RunProtocol, TabularMDP, parameter
from mfbpi_lib_tabular.models.environment import TabularEnvironment

LEFT, RIGHT, SWITCH = 0, 1, 2
SMALL_REWARD, LARGE_REWARD, SECOND_REWARD = 0.05, 1.0, 0.95
DOWN, STAY, UP = 0.1, 0.6, 0.3  # right in an inner state
AT_END_DOWN, AT_SOURCE_STAY = 0.7, 0.7

#: Steps for each place: the paper runs T = 2 10^4 N.
STEPS_PER_PLACE = 20_000

VARIANTS = ("paper", "published")


@attrs.frozen(kw_only=True)
class Config:
    """Parameters of Forked RiverSwim."""

    length: int = parameter(
        3, "length N of each river, the source included; 2 N - 1 states", ge=3, source="appendix"
    )
    variant: str = parameter(
        "paper",
        "law of the first state of river 2: as the paper says, or as its code simulates",
        choices=VARIANTS,
    )


class ForkedRiverSwim(TabularEnvironment):
    """Forked RiverSwim; see the module for its dynamics."""

    def __init__(self, config: Config) -> None:
        super().__init__(forked_riverswim(config.length, config.variant))
        self.protocol = RunProtocol(horizon=STEPS_PER_PLACE * config.length)


def forked_riverswim(length: int, variant: str = "paper") -> TabularMDP:
    """The model with rivers of ``length`` places, the source included.

    Args:
        length: N, 3 or more.
        variant: ``"paper"`` or ``"published"``; see the module.

    Returns:
        Successor lists with the slots down (or across), stay, up.
    """
    successors = _successors(length)
    if variant == "published":
        successors[length, RIGHT, 0] = length - 1
    n_states = len(successors)
    ends = [length - 1, n_states - 1]
    probabilities = np.zeros((n_states, 3, 3))  # P[s, a, (down or across, stay, up)]
    probabilities[:, [LEFT, SWITCH], 0] = 1.0
    probabilities[:, RIGHT] = DOWN, STAY, UP
    probabilities[0, RIGHT] = 0.0, AT_SOURCE_STAY, 1.0 - AT_SOURCE_STAY
    probabilities[ends, RIGHT] = AT_END_DOWN, 1.0 - AT_END_DOWN, 0.0
    rewards = np.zeros((n_states, 3))  # r[s, a]
    rewards[0, LEFT] = SMALL_REWARD
    rewards[ends, RIGHT] = LARGE_REWARD, SECOND_REWARD
    return TabularMDP.from_successors(successors, probabilities, rewards, reward_law="bernoulli")


def _successors(length: int) -> npt.NDArray[np.int64]:
    """States reached by (down or across, stay, up), int64 [2 N - 1, 3, 3]."""
    states = np.arange(2 * length - 1)
    ends = [length - 1, 2 * length - 2]
    down, up = np.maximum(states - 1, 0), np.minimum(states + 1, len(states) - 1)
    down[length] = 0  # the first state of river 2
    up[length - 1] = length - 1
    across = np.where(states < length, states + length - 1, states - length + 1)
    across[[0, *ends]] = [0, *ends]
    stay_or_up = np.stack([states, up], axis=1)
    return np.stack(
        [np.column_stack([first, stay_or_up]) for first in (down, down, across)], axis=1
    )
