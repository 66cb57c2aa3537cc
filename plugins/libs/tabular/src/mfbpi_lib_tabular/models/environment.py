"""An environment that follows a tabular model, steppable in Python and in compiled code."""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from mfbpi_core import Cells, Environment, TabularMDP
from mfbpi_core.data import exact
from mfbpi_core.data.arrays import Array
from mfbpi_core.data.plain import StateDict
from mfbpi_core.errors import ActionError, CheckpointError, ModelError
from mfbpi_core.running.generators import restore_generator, state_with_seeds
from mfbpi_lib_tabular.analysis import reach
from mfbpi_lib_tabular.models.dynamics import Dynamics, dynamics_of


def _identity(observations: Array) -> npt.NDArray[np.int64]:
    """Cells of a tabular environment are its states."""
    return observations.astype(np.int64, copy=False)


class TabularEnvironment(Environment):
    """Interaction with a :class:`TabularMDP`; observations are its states.

    A step draws two uniform numbers where rewards are random, one for the next state and one for
    the reward, and one where they are deterministic; ``reset`` draws one for the first state. The
    compiled simulator draws the same numbers in the same order from the same generator, and keeps
    its state here, so that both can be mixed freely.

    Attributes:
        mdp: the model.
        max_episode_steps: time limit after which an episode is truncated, 1 or more, or None.

    Raises:
        ModelError: when the time limit is none.
    """

    def __init__(self, mdp: TabularMDP, max_episode_steps: int | None = None) -> None:
        if max_episode_steps is not None and (exact.whole(max_episode_steps) or 0) < 1:
            raise ModelError(
                f"max_episode_steps is {max_episode_steps!r}; expected an integer of 1 or more, or "
                "None for no limit"
            )
        self.mdp = mdp
        self.n_states = mdp.n_states
        self.n_actions = mdp.n_actions
        self.reward_range = mdp.reward_range
        self.max_episode_steps = max_episode_steps
        self._dynamics: Dynamics = dynamics_of(mdp, max_episode_steps)
        self._rng = np.random.default_rng()

    @property
    def model(self) -> TabularMDP:
        """The model itself."""
        return self.mdp

    @functools.cached_property
    def cells(self) -> Cells:
        """One cell for each state; reachable are those in which a walk from the start acts."""
        missing = reach.unreachable_states(self.mdp)
        acting = ~self.mdp.terminal | (self.mdp.initial > 0.0)
        acting[missing] = False
        return Cells(count=self.mdp.n_states, index=_identity, reachable=acting)

    @property
    def simulator(self) -> tuple[Dynamics, np.random.Generator]:
        """The arrays and the generator that a compiled rollout needs."""
        return self._dynamics, self._rng

    @property
    def observation(self) -> int:
        """The present state."""
        return int(self._dynamics.state[0])

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, object] | None = None,  # noqa: ARG002 - Gymnasium's signature
    ) -> tuple[int, dict[str, object]]:
        """Start an episode in a state drawn from the initial distribution."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        state = _draw(self._dynamics.initial_cdf, self._rng)
        self._dynamics.state[0] = state
        self._dynamics.clock[0] = 0
        return state, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, object]]:
        """Take ``action`` in the present state; see :meth:`Environment.step`."""
        self._check(action)
        arrays = self._dynamics
        state = int(arrays.state[0])
        slot = _draw(arrays.cdf[state, action], self._rng)
        reward = float(arrays.rewards[state, action, slot])
        if arrays.bernoulli:
            reward = float(self._rng.random() < reward)
        following = int(arrays.successors[state, action, slot])
        arrays.state[0] = following
        arrays.clock[0] += 1
        terminated = bool(arrays.terminal[following])
        truncated = not terminated and 0 < arrays.time_limit <= int(arrays.clock[0])
        return following, reward, terminated, truncated, {}

    def state_dict(self) -> StateDict:
        """The present state, the clock and the generator."""
        arrays = self._dynamics
        return {
            "state": int(arrays.state[0]),
            "clock": int(arrays.clock[0]),
            "rng": state_with_seeds(self._rng, ".rng"),
        }

    def load_state_dict(self, state: StateDict) -> None:
        """Restore what :meth:`state_dict` returned.

        Raises:
            CheckpointError: when the state is none of this model; compiled code would follow it.
        """
        if not 0 <= state["state"] < self.mdp.n_states:
            raise CheckpointError(
                f"the saved state is {state['state']}; expected 0 to {self.mdp.n_states - 1} "
                "(was it saved with another environment?)"
            )
        restore_generator(self._rng, state["rng"])
        self._dynamics.state[0] = state["state"]
        self._dynamics.clock[0] = state["clock"]

    def _check(self, action: int) -> None:
        is_integer = isinstance(action, int | np.integer) and not isinstance(action, bool)
        if not is_integer or not 0 <= action < self.n_actions:
            raise ActionError(
                f"action is {action!r}; expected an integer from 0 to {self.n_actions - 1}"
            )


def _draw(cdf: npt.NDArray[np.float64], rng: np.random.Generator) -> int:
    """Draw an index from cumulative probabilities by inversion."""
    return int(np.searchsorted(cdf, rng.random(), side="right"))
