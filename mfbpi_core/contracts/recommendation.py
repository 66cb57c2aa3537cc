"""What an agent recommends, checked: actions that exist, a policy, an allocation."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from mfbpi_core.data import exact
from mfbpi_core.data.arrays import Array
from mfbpi_core.data.problem import Observation, Problem
from mfbpi_core.errors import PluginError


class Recommends(Protocol):
    """What recommends: an agent, as far as it is asked here."""

    problem: Problem

    def recommend(self, observation: Observation) -> Any:
        """The action believed best."""

    def recommended_policy(self) -> Any:
        """The recommendation in every state, or None."""

    @property
    def allocation(self) -> Any:
        """The allocation that is aimed at, or None."""


def recommendation(agent: Recommends, observation: Observation) -> int:
    """The action that an agent recommends from an observation.

    Raises:
        PluginError: when it is not an integer from 0 to A-1.
    """
    recommended = agent.recommend(observation)
    action, last = exact.whole(recommended), agent.problem.n_actions - 1
    if action is None or not 0 <= action <= last:
        raise PluginError(
            f"{_named(agent)} recommends {exact.shown(recommended)} for observation "
            f"{exact.shown(observation)}; expected an integer from 0 to {last}"
        )
    return action


def checked_policy(agent: Recommends) -> npt.NDArray[np.int64] | None:
    """The policy that an agent recommends, int64 [S], or None where it has none.

    Raises:
        PluginError: when it has another shape, or entries that are not integers from 0 to A-1.
    """
    policy = agent.recommended_policy()
    if policy is None:
        return None
    array, shape = np.asarray(policy), (agent.problem.n_states,)
    last = agent.problem.n_actions - 1
    if array.shape != shape or array.dtype.kind not in "iu" or not _within(array, last):
        raise PluginError(
            f"{_named(agent)}: recommended_policy is {exact.shown(policy)}, {array.dtype} of "
            f"shape {array.shape}; expected integers from 0 to {last} of shape {shape}"
        )
    return array.astype(np.int64, copy=False)


def checked_allocation(agent: Recommends) -> npt.NDArray[np.float64] | None:
    """The allocation that an agent aims at, float64 [S, A], or None where it has none.

    Raises:
        PluginError: when it has another shape, or entries that are not finite numbers.
    """
    allocation = agent.allocation
    if allocation is None:
        return None
    array, shape = np.asarray(allocation), (agent.problem.n_states, agent.problem.n_actions)
    if array.shape != shape or array.dtype.kind not in "fiu" or not np.isfinite(array).all():
        raise PluginError(
            f"{_named(agent)}: allocation is {exact.shown(allocation)}, {array.dtype} of shape "
            f"{array.shape}; expected finite numbers of shape {shape}"
        )
    return array.astype(np.float64, copy=False)


def _within(actions: Array, last: int) -> bool:
    return bool((actions >= 0).all() and (actions <= last).all())


def _named(agent: Recommends) -> str:
    return f"agent {type(agent).__name__}"
