"""Compiled simulation of tabular environments, and the chunks that rollouts fill.

A rollout is a compiled function of the plugin that calls these. Module-level compiled functions
that call each other are found in numba's cache on disk; closures never are. The cache does not
notice that a function in another file changed: after editing this file, run ``make clean``.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from mfbpi_core import Transitions
from mfbpi_lib_tabular.dynamics import Dynamics


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


@numba.njit(cache=True)
def draw(cdf: npt.NDArray[np.float64], rng: np.random.Generator) -> int:
    """Draw an index from cumulative probabilities by inversion; lists are short."""
    u = rng.random()
    index = 0
    while cdf[index] <= u:
        index += 1
    return index


@numba.njit(cache=True)
def sample_transition(
    dynamics: Dynamics, action: int, rng: np.random.Generator
) -> tuple[float, int, bool, bool]:
    """Take ``action`` in ``dynamics.state``.

    Returns:
        ``(reward, next_state, terminated, truncated)``. The simulation stands in the next state;
        after the end of an episode, :func:`start_state` begins the next one.
    """
    state = dynamics.state[0]
    slot = draw(dynamics.cdf[state, action], rng)
    reward = dynamics.rewards[state, action, slot]
    if dynamics.bernoulli:
        reward = 1.0 if rng.random() < reward else 0.0
    following = dynamics.successors[state, action, slot]
    dynamics.state[0] = following
    dynamics.clock[0] += 1
    terminated = dynamics.terminal[following]
    truncated = not terminated and 0 < dynamics.time_limit <= dynamics.clock[0]
    return reward, following, terminated, truncated


@numba.njit(cache=True)
def start_state(dynamics: Dynamics, rng: np.random.Generator) -> int:
    """Begin an episode in a state drawn from the initial distribution."""
    state = draw(dynamics.initial_cdf, rng)
    dynamics.state[0] = state
    dynamics.clock[0] = 0
    return state


@numba.njit(cache=True)
def record(
    chunk: Chunk,
    t: int,
    state: int,
    action: int,
    reward: float,
    following: int,
    terminated: bool,
    truncated: bool,
) -> None:
    """Write step ``t`` of a chunk."""
    chunk.observations[t] = state
    chunk.actions[t] = action
    chunk.rewards[t] = reward
    chunk.next_observations[t] = following
    chunk.terminated[t] = terminated
    chunk.truncated[t] = truncated


@numba.njit(cache=True)
def take_step(
    dynamics: Dynamics, chunk: Chunk, t: int, action: int, rng: np.random.Generator
) -> tuple[int, float, int, bool]:
    """Take ``action``, write it as step ``t``, and begin a new episode if it ended one.

    Returns:
        ``(state, reward, next_state, terminated)``, what an agent learns from.
    """
    state = dynamics.state[0]
    reward, following, terminated, truncated = sample_transition(dynamics, action, rng)
    record(chunk, t, state, action, reward, following, terminated, truncated)
    if terminated or truncated:
        start_state(dynamics, rng)
    return state, reward, following, terminated
