"""What passes between an agent and an environment, checked before either side sees it.

A reward that is NaN or outside the declared range, or a state that does not exist, would go on
as a wrong number; in a compiled agent, whose arrays are not checked, as corrupted memory.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mfbpi_core.contracts.environment import Environment
from mfbpi_core.data import exact
from mfbpi_core.data.arrays import Array, owned
from mfbpi_core.data.problem import Observation
from mfbpi_core.data.transitions import Transitions
from mfbpi_core.errors import PluginError

#: Kinds of numpy's types whose values are always finite numbers.
_FINITE_KINDS = "biu"

#: What ``step`` and ``reset`` return.
_OF_STEP = "(observation, reward, terminated, truncated, info)"
_OF_RESET = "(observation, info)"

Outcome = tuple[Observation, float, bool, bool]


class Guard:
    """The contract of an environment and of the actions in it.

    The ordinary case costs a microsecond or less; all else is looked at more closely, and converted
    where that is exact. Integer states must be integers: 2.0 is refused. Rewards may leave their
    range by a billionth of it: rounding.

    Args:
        environment: what declares sizes and ranges.
        name: how messages call the environment.
        agent_name: how they call the agent.
    """

    def __init__(self, environment: Environment, name: str, agent_name: str) -> None:
        self.name, self.agent_name = name, agent_name
        self.n_actions = environment.n_actions
        self._n_states = environment.n_states
        self._shape = tuple(environment.observation_shape)
        self._range = environment.reward_range
        self._low, self._high = exact.limits(*environment.reward_range)
        self._dtype: Any = None  # of the last array that was looked at closely
        self._zeros: Array | None = None  # as many of them, if it can hold NaN

    def action(self, action: object, observation: Observation, step: int) -> int:
        """The action that an agent selected."""
        number = exact.whole(action)
        if number is None or not 0 <= number < self.n_actions:
            raise PluginError(
                f"{self.agent_name} selected {exact.shown(action)} at step {step}, observation "
                f"{exact.shown(observation)}; expected an integer from 0 to {self.n_actions - 1}"
            )
        return number

    def first(self, returned: Any, step: int) -> Observation:
        """The observation that ``reset`` returned."""
        if (
            not isinstance(returned, tuple)
            or len(returned) != 2
            or not isinstance(returned[1], dict)
        ):
            raise PluginError(
                f"{self.name}: reset before step {step} returned {exact.shown(returned)}; "
                f"expected {_OF_RESET}, as Gymnasium's does from version 0.26 on"
            )
        shown: Observation = returned[0]
        if self._is_ordinary(shown):
            return owned(shown)
        return self._observation(shown, f"{self.name}: reset before step {step}")

    def outcome(self, returned: Any, observation: Observation, action: int, step: int) -> Outcome:
        """What ``step`` returned, without the info."""
        try:
            following, reward, terminated, truncated, _ = returned
        except (TypeError, ValueError):
            raise PluginError(
                f"{self.name}: step {step} returned {exact.shown(returned)}; expected {_OF_STEP}, "
                "as Gymnasium's does from version 0.26 on"
            ) from None
        n_states = self._n_states
        if (
            type(reward) is float
            and self._low <= reward <= self._high
            and type(terminated) is type(truncated) is bool
            and (
                self._is_ordinary(following)
                if n_states is None
                else type(following) is int and 0 <= following < n_states
            )
        ):
            return owned(following), reward, terminated, truncated
        where = _place(self.name, step, observation, action)
        return (
            self._observation(following, where),
            self._reward(reward, where),
            _flag("terminated", terminated, where),
            _flag("truncated", truncated, where),
        )

    def _is_ordinary(self, observation: object) -> bool:
        if self._n_states is not None:
            return type(observation) is int and 0 <= observation < self._n_states
        if type(observation) is not np.ndarray or observation.dtype is not self._dtype:
            return False
        if observation.shape != self._shape:
            return False
        zeros = self._zeros
        if zeros is None:
            return True
        # The fastest way to find NaN and infinity, which times zero are NaN.
        try:
            return math.isfinite(observation.ravel().dot(zeros))
        except (RuntimeWarning, FloatingPointError):
            return False

    def _observation(self, observation: Any, where: str) -> Observation:
        if self._n_states is not None:
            state = exact.whole(observation)
            if state is None or not 0 <= state < self._n_states:
                raise PluginError(
                    f"{where}: observation {exact.shown(observation)}; expected a state, an "
                    f"integer from 0 to {self._n_states - 1}"
                )
            return state
        array = np.asarray(observation)
        numeric = array.dtype.kind in _FINITE_KINDS + "f"
        if array.shape != self._shape or not numeric or not np.isfinite(array).all():
            raise PluginError(
                f"{where}: observation {exact.shown(observation)}, {array.dtype} of shape "
                f"{array.shape}; expected finite numbers of shape {self._shape}"
            )
        self._dtype = array.dtype
        self._zeros = np.zeros(array.size, array.dtype) if array.dtype.kind == "f" else None
        return array if isinstance(observation, list | tuple) else owned(observation)

    def _reward(self, reward: object, where: str) -> float:
        number = exact.real(reward)
        if number is None or not self._low <= number <= self._high:
            low, high = self._range
            raise PluginError(
                f"{where}: reward {exact.shown(reward)}; expected a finite number from {low:g} to "
                f"{high:g}, the environment's reward_range"
            )
        return number

    def length(self, chunk: Transitions, n_steps: int) -> None:
        """Refuse a compiled driver that took other than so many steps."""
        columns = (chunk.observations, chunk.actions, chunk.rewards, chunk.next_observations)
        if not n_steps == len(columns[0]) == len(columns[1]) == len(columns[2]) == len(columns[3]):
            raise PluginError(
                f"{self.agent_name}: advance took {len(chunk)} steps, with columns of "
                f"{[len(column) for column in columns]}; expected {n_steps}"
            )

    def chunk(self, chunk: Transitions, start: int) -> None:
        """Refuse compiled steps, the first after ``start``, that ``step`` must not take."""
        if len(chunk) and not self._is_ordinary_chunk(chunk):
            self._refuse_first(chunk, start)

    def _is_ordinary_chunk(self, chunk: Transitions) -> bool:
        rewards, n_states = chunk.rewards, self._n_states
        # The bare reductions take half the time of the methods; NaN fails both comparisons.
        paid = np.minimum.reduce(rewards) >= self._low and np.maximum.reduce(rewards) <= self._high
        shown = (chunk.observations, chunk.next_observations)
        if n_states is None or any(column.dtype != np.int64 for column in shown):
            return False
        # As unsigned numbers, negative ones are the largest.
        return bool(paid) and all(
            np.maximum.reduce(column.view(np.uint64)) < n_states for column in shown
        )

    def _refuse_first(self, chunk: Transitions, start: int) -> None:
        """Look at each step as if it had been taken in Python."""
        for i, (action, reward) in enumerate(zip(chunk.actions, chunk.rewards, strict=True)):
            before, step = chunk.observations[i], start + i + 1
            where = _place(self.name, step, before, int(action))
            self._observation(before, where)
            self._observation(chunk.next_observations[i], where)
            self._reward(reward, where)


def _place(name: str, step: int, observation: Observation, action: int) -> str:
    return f"{name} at step {step}, observation {exact.shown(observation)}, action {action}"


def _flag(what: str, value: object, where: str) -> bool:
    known = exact.flag(value)
    if known is None:
        raise PluginError(f"{where}: {what} is {exact.shown(value)}; expected True or False")
    return known
