"""The arrays from which a tabular environment is simulated; no compiler is needed to make them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mfbpi_core import Problem, TabularMDP
from mfbpi_core.data.exact import limits
from mfbpi_core.data.sampling import closed_cdf
from mfbpi_core.errors import PluginError


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


def require_fit(dynamics: Dynamics, problem: Problem) -> None:
    """Refuse arrays that pay undeclared rewards, or with which compiled code leaves its memory.

    Compiled code checks no index.

    Those of :func:`dynamics_of` always fit; others may have been made by hand.

    Raises:
        PluginError: when they have other sizes, a state that does not exist, a distribution that
            may select no slot, or a reward outside the declared range.
    """
    fault = _fault(dynamics, problem)
    if fault:
        raise PluginError(
            f"the simulator has {fault} (mfbpi_lib_tabular.models.dynamics makes such)"
        )


def _fault(dynamics: Dynamics, problem: Problem) -> str:
    """What is wrong, and what was expected; nothing where all is well."""
    shape, n_states = (problem.n_states, problem.n_actions), problem.n_states
    columns = (dynamics.successors, dynamics.cdf, dynamics.rewards)
    distributions = (dynamics.cdf, dynamics.initial_cdf)
    if any(column.shape[:2] != shape for column in columns):
        return f"sizes {[column.shape[:2] for column in columns]}; expected (S, A) = {shape}"
    if not all(_are_states(s, n_states) for s in (dynamics.successors, dynamics.state)):
        return f"states that do not exist; expected 0 to {n_states} - 1"
    if not all(np.isposinf(cdf[..., -1]).all() for cdf in distributions):
        return "distributions that are not closed; expected the last entries to be infinite"
    low, high = limits(*problem.reward_range)
    paid = dynamics.rewards[~dynamics.terminal]
    if paid.size and not (low <= paid.min() and paid.max() <= high):
        return f"rewards from {paid.min():g} to {paid.max():g}; expected {problem.reward_range}"
    return ""


def _are_states(states: npt.NDArray[np.int64], n_states: int | None) -> bool:
    return bool((states >= 0).all() and (states < (n_states or 0)).all())
