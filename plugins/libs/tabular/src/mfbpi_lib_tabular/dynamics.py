"""The arrays from which a tabular environment is simulated; no compiler is needed to make them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mfbpi_core import TabularMDP
from mfbpi_core.sampling import closed_cdf


class Dynamics(NamedTuple):
    """A model prepared for sampling, and the state of one simulation of it.

    Attributes:
        successors: int64 [S, A, K], state reached by slot k.
        cdf: float64 [S, A, K], cumulative probabilities; infinite from the last used slot on, so
            that no unused one can be selected, wherever it lies.
        rewards: float64 [S, A, K], mean reward of each slot.
        bernoulli: whether rewards are drawn, or equal to their means.
        initial_cdf: float64 [S], cumulative distribution of the first state, closed likewise.
        terminal: bool [S].
        time_limit: steps after which an episode is truncated; 0 for none.
        state: int64 [1], the present state.
        clock: int64 [1], steps since the episode began.
    """

    successors: npt.NDArray[np.int64]
    cdf: npt.NDArray[np.float64]
    rewards: npt.NDArray[np.float64]
    bernoulli: bool
    initial_cdf: npt.NDArray[np.float64]
    terminal: npt.NDArray[np.bool_]
    time_limit: int
    state: npt.NDArray[np.int64]
    clock: npt.NDArray[np.int64]


def dynamics_of(mdp: TabularMDP, time_limit: int | None = None) -> Dynamics:
    """Prepare a model for sampling; the simulation starts when its environment is reset."""
    return Dynamics(
        successors=mdp.successors.copy(),
        cdf=closed_cdf(mdp.probabilities),
        rewards=mdp.rewards.copy(),
        bernoulli=mdp.reward_law == "bernoulli",
        initial_cdf=closed_cdf(mdp.initial),
        terminal=mdp.terminal.copy(),
        time_limit=time_limit or 0,
        state=np.zeros(1, dtype=np.int64),
        clock=np.zeros(1, dtype=np.int64),
    )
