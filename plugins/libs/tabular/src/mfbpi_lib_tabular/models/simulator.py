"""Compiled simulation of tabular environments, and the chunks that rollouts fill.

A rollout is a compiled function of the plugin that calls these. Module-level compiled functions
that call each other are found in numba's cache on disk; closures never are. The cache does not
notice that a function in another file changed: after editing this file, run ``make clean``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mfbpi_core import Transitions
from mfbpi_lib_tabular.compiled import leaf
from mfbpi_lib_tabular.models.dynamics import Dynamics


class Chunk(NamedTuple):
    """Columns of n steps, to be filled by a rollout; see :class:`mfbpi_core.Transitions`."""

    observations: npt.NDArray[np.int64]
    actions: npt.NDArray[np.int64]
    rewards: npt.NDArray[np.float64]
    next_observations: npt.NDArray[np.int64]
    terminated: npt.NDArray[np.bool_]
    truncated: npt.NDArray[np.bool_]

    @classmethod
    def empty(cls, n_steps: int) -> Chunk:
        """Room for ``n_steps`` steps."""
        return cls(
            observations=np.empty(n_steps, dtype=np.int64),
            actions=np.empty(n_steps, dtype=np.int64),
            rewards=np.empty(n_steps, dtype=np.float64),
            next_observations=np.empty(n_steps, dtype=np.int64),
            terminated=np.empty(n_steps, dtype=np.bool_),
            truncated=np.empty(n_steps, dtype=np.bool_),
        )

    def to_transitions(self) -> Transitions:
        """The same columns as the core's type; the loop sets ``start``."""
        return Transitions(start=0, **self._asdict())


@leaf
def sample_transition(
    dynamics: Dynamics, action: int, u: float, v: float
) -> tuple[float, int, bool, bool]:
    """Take ``action`` in ``dynamics.state``.

    Args:
        dynamics: the simulation.
        action: the action.
        u: uniform number that selects the next state, by inversion; lists are short.
        v: uniform number that decides a Bernoulli reward; any where rewards are not drawn.

    Returns:
        ``(reward, next_state, terminated, truncated)``. The simulation stands in the next state;
        after the end of an episode, :func:`start_state` begins the next one.
    """
    state = dynamics.state[0]
    slot = 0
    while dynamics.cdf[state, action, slot] <= u:
        slot += 1
    reward = dynamics.rewards[state, action, slot]
    if dynamics.bernoulli:
        reward = 1.0 if v < reward else 0.0
    following = dynamics.successors[state, action, slot]
    dynamics.state[0] = following
    dynamics.clock[0] += 1
    terminated = dynamics.terminal[following]
    limit, clock = dynamics.time_limit, dynamics.clock[0]
    return reward, following, terminated, not terminated and 0 < limit <= clock


@leaf
def start_state(dynamics: Dynamics, u: float) -> None:
    """Begin an episode in the state that a uniform number selects."""
    state = 0
    while dynamics.initial_cdf[state] <= u:
        state += 1
    dynamics.state[0] = state
    dynamics.clock[0] = 0


@leaf
def take_step(
    dynamics: Dynamics, chunk: Chunk, t: int, action: int, u: float, v: float
) -> tuple[float, int, bool, bool]:
    """Take ``action`` and write it as step ``t``; ``u`` and ``v`` as in :func:`sample_transition`.

    Returns:
        ``(reward, next_state, terminated, ended)``; ``ended`` asks for :func:`start_state`.
    """
    chunk.observations[t] = dynamics.state[0]
    reward, following, terminated, truncated = sample_transition(dynamics, action, u, v)
    chunk.actions[t] = action
    chunk.rewards[t] = reward
    chunk.next_observations[t] = following
    chunk.terminated[t] = terminated
    chunk.truncated[t] = truncated
    return reward, following, terminated, terminated or truncated
