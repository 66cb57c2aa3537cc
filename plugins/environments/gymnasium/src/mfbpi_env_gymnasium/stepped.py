"""An environment of Gymnasium that is stepped."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from mfbpi_core import Cells, Environment
from mfbpi_core.data import exact
from mfbpi_core.data.arrays import Array
from mfbpi_core.data.plain import StateDict
from mfbpi_core.errors import ActionError, UsageError
from mfbpi_env_gymnasium import old, saving, spaces, table, values
from mfbpi_env_gymnasium.options import UNKNOWN, Options
from mfbpi_env_gymnasium.table import PROTOCOL
from mfbpi_env_gymnasium.wrappers import modules, time_limit


class SteppedEnvironment(Environment):
    """Gymnasium's environment behind the spaces of :mod:`.spaces`.

    Gymnasium declares no range of rewards: unless one is given, it is unbounded.

    Attributes:
        raw: Gymnasium's environment.
    """

    protocol = PROTOCOL

    def __init__(self, raw: gymnasium.Env[object, object], options: Options, name: str) -> None:
        self.raw, self._name = raw, name
        self.n_actions, self._action = spaces.choices(raw.action_space, name)
        shown = spaces.shown(raw.observation_space, options, name)
        self.n_states, self.observation_shape = shown.n_states, shown.shape
        self._convert = shown.convert
        self._scale = options.reward_scale
        self.reward_range = options.scaled_range() or UNKNOWN
        self.max_episode_steps = time_limit(raw)
        encoded = options.observations == "one_hot"
        self._words = _words(raw.observation_space, encoded, self.max_episode_steps)
        self.lacking = _lacking(raw, options, self.n_states)
        self._in_episode = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, object] | None = None
    ) -> tuple[Any, dict[str, object]]:
        """Start an episode; a seed restarts the random streams that Gymnasium's one has.

        Raises:
            PluginError: where Gymnasium's environment returns something else.
        """
        observation, info = old.returned(
            self.raw, "reset", old.OF_RESET, seed=seed, options=options
        )
        self._in_episode = True
        return self._convert(observation), info

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, object]]:
        """Take an action; see :meth:`mfbpi_core.Environment.step`.

        Raises:
            ActionError: for anything but an integer in 0..A-1.
            UsageError: before the first ``reset``, or after the end of an episode.
            PluginError: where Gymnasium's environment returns something else.
        """
        self._check(action)
        taken = self._action(int(action))
        observation, reward, terminated, truncated, info = old.returned(
            self.raw, "step", old.OF_STEP, taken
        )
        terminated = values.flag("terminated", terminated, self._name)
        truncated = values.flag("truncated", truncated, self._name) and not terminated
        self._in_episode = not (terminated or truncated)
        paid = values.reward(reward, self._name) * self._scale
        return self._convert(observation), paid, terminated, truncated, info

    @property
    def made_of(self) -> tuple[str, ...]:
        """The modules of its id, class and wrappers; :class:`UsageError` for the session's."""
        return modules(self.raw, self._name)

    @property
    def provides(self) -> frozenset[str]:
        """What is provided, as far as it depends on the environment and on how it is shown."""
        return super().provides | self._words

    @property
    def cells(self) -> Cells | None:
        """One cell for each state, where observations are integers."""
        if self.n_states is None:
            return None
        return Cells(count=self.n_states, index=_identity)

    def picture(self) -> npt.NDArray[np.uint8] | None:
        """Gymnasium's own, where it was made with ``render_mode=rgb_array``."""
        if self.raw.render_mode != "rgb_array" or not self._in_episode:
            return None
        return np.asarray(self.raw.render(), dtype=np.uint8)

    def state_dict(self) -> StateDict:
        """What interaction changes in each layer; raises :class:`CheckpointError`."""
        return {"layers": saving.state_of(self.raw), "in_episode": self._in_episode}

    def load_state_dict(self, state: StateDict) -> None:
        """Restore what :meth:`state_dict` returned; raises :class:`CheckpointError`."""
        saving.load_state(self.raw, state["layers"])
        self._in_episode = state["in_episode"]

    def _check(self, action: object) -> None:
        number = exact.whole(action)
        if number is None or not 0 <= number < self.n_actions:
            raise ActionError(
                f"action is {action!r}; expected an integer from 0 to {self.n_actions - 1}"
            )
        if not self._in_episode:
            raise UsageError("no episode is under way; call reset() before step()")


def _lacking(
    raw: gymnasium.Env[object, object], options: Options, n_states: int | None
) -> dict[str, str]:
    """What is not provided, and what to do about it."""
    why = table.why_none(raw)
    lacking = {"model": why or f"observations={options.observations} shows it otherwise than its P"}
    if n_states is None:
        kind = "auto" if isinstance(raw.observation_space, gymnasium.spaces.Discrete) else "cells"
        lacking["states"] = (
            f"the parameters observations={kind} and reward_range=LOW,HIGH make it one with states"
        )
    return lacking


def _words(space: gymnasium.Space[object], encoded: bool, limit: int | None) -> frozenset[str]:
    """Words of the core that hold: an end of every episode, a single 1 in every array."""
    single = encoded and isinstance(space, gymnasium.spaces.Discrete)
    held = {"episodes": limit is not None, "one_hot": single}
    return frozenset(word for word, holds in held.items() if holds)


def _identity(observations: Array) -> npt.NDArray[np.int64]:
    return observations.astype(np.int64, copy=False)
