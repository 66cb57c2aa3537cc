"""A bsuite environment with Gymnasium's signatures."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mfbpi_core import Environment
from mfbpi_core.data.arrays import Array
from mfbpi_core.data.plain import StateDict
from mfbpi_core.errors import ActionError, UsageError
from mfbpi_lib_bsuite.raw import Raw, load_state, reseed, state_of


class BsuiteEnvironment(Environment):
    """Base of environments built on bsuite's.

    A step of dm_env that is ``LAST`` ended the task if its discount is zero (*terminated*), and
    cut it short otherwise (*truncated*). Discounts between zero and one are not passed on.

    Args:
        raw: bsuite's environment.

    Attributes:
        raw: bsuite's environment, with what it counts in ``raw.bsuite_info()``.
        features: ``"episodes"``: every episode ends, after ``max_episode_steps`` at the latest.
    """

    features = frozenset({"episodes"})

    def __init__(self, raw: Raw) -> None:
        self.raw = raw
        self.n_actions = int(raw.action_spec().num_values)
        self.observation_shape = tuple(raw.observation_spec().shape)
        self._in_episode = False

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, object] | None = None,  # noqa: ARG002 - Gymnasium's signature
    ) -> tuple[npt.NDArray[np.float32], dict[str, object]]:
        """Start an episode; a seed, from 0 to 2**32 - 1, restarts every random stream."""
        if seed is not None:
            reseed(self.raw, seed)
        self._in_episode = True
        return self._shown(self.raw.reset().observation), {}

    def step(
        self, action: int
    ) -> tuple[npt.NDArray[np.float32], float, bool, bool, dict[str, object]]:
        """Take an action; see :meth:`mfbpi_core.Environment.step`.

        Raises:
            ActionError: for anything but an integer in 0..A-1.
            UsageError: before the first ``reset``, or after the end of an episode, where bsuite
                would ignore the action and start another episode.
        """
        self._check(action)
        timestep = self._take(int(action))
        last = bool(timestep.last())
        terminated = last and timestep.discount == 0.0
        self._in_episode = not last
        observation = self._shown(timestep.observation)
        return observation, float(timestep.reward), terminated, last and not terminated, {}

    def _take(self, action: int) -> Any:
        """Let bsuite take the action; returns dm_env's ``TimeStep``."""
        return self.raw.step(action)

    def _shown(self, observation: Array) -> npt.NDArray[np.float32]:
        """The observation as shown; bsuite makes a new array each step, so none is copied."""
        return np.asarray(observation, dtype=np.float32)

    def state_dict(self) -> StateDict:
        """The state of bsuite's environment, its random streams included."""
        return {"raw": state_of(self.raw), "in_episode": self._in_episode}

    def load_state_dict(self, state: StateDict) -> None:
        """Restore what :meth:`state_dict` returned; raises :class:`CheckpointError`."""
        load_state(self.raw, state["raw"])
        self._in_episode = state["in_episode"]

    def _check(self, action: Any) -> None:
        is_integer = isinstance(action, int | np.integer) and not isinstance(action, bool)
        if not is_integer or not 0 <= action < self.n_actions:
            raise ActionError(
                f"action is {action!r}; expected an integer from 0 to {self.n_actions - 1}"
            )
        if not self._in_episode:
            raise UsageError("no episode is under way; call reset() before step()")
