"""The conversion from dm_env's steps to Gymnasium's."""

from typing import Any

import dm_env
import numpy as np
import pytest
from dm_env import specs

from mfbpi_core.errors import ActionError, UsageError
from mfbpi_lib_bsuite.environment import BsuiteEnvironment


class _Ending:
    """A dm_env environment whose only step ends the episode in a given way."""

    def __init__(self, timestep: dm_env.TimeStep) -> None:
        self.timestep = timestep

    def reset(self) -> dm_env.TimeStep:
        return dm_env.restart(np.zeros((1, 2)))

    def step(self, action: int) -> dm_env.TimeStep:
        return self.timestep

    def action_spec(self) -> specs.DiscreteArray:
        return specs.DiscreteArray(2)

    def observation_spec(self) -> specs.Array:
        return specs.Array((1, 2), np.float64)


def _step(timestep: dm_env.TimeStep) -> tuple[Any, ...]:
    environment = BsuiteEnvironment(_Ending(timestep))
    environment.reset(seed=0)
    return environment.step(1)


def test_last_with_discount_zero_terminates():
    """dm_env.termination is a termination."""
    assert _step(dm_env.termination(0.5, np.ones((1, 2))))[1:4] == (0.5, True, False)


def test_last_with_discount_truncates():
    """dm_env.truncation is a truncation: what would follow still counts."""
    assert _step(dm_env.truncation(0.5, np.ones((1, 2))))[1:4] == (0.5, False, True)


def test_other_steps_go_on():
    """A step in mid-episode is neither, whatever its discount."""
    assert _step(dm_env.transition(0.5, np.ones((1, 2)), 0.0))[1:4] == (0.5, False, False)


def test_observations_are_float32():
    """Whatever dm_env's type, in dm_env's shape."""
    observation = _step(dm_env.transition(0.5, np.ones((1, 2))))[0]

    assert (observation.dtype, observation.shape) == (np.float32, (1, 2))


def test_step_outside_an_episode_is_refused():
    """bsuite would start a new episode and ignore the action."""
    environment = BsuiteEnvironment(_Ending(dm_env.termination(0.0, np.ones((1, 2)))))
    with pytest.raises(UsageError, match="call reset"):
        environment.step(0)
    environment.reset()
    environment.step(0)
    with pytest.raises(UsageError, match="call reset"):
        environment.step(0)


@pytest.mark.parametrize("action", [-1, 2, True, 0.0, None])
def test_bad_action_is_refused(action: Any):
    """The message names the range."""
    environment = BsuiteEnvironment(_Ending(dm_env.transition(0.0, np.ones((1, 2)))))
    environment.reset()
    with pytest.raises(ActionError, match="expected an integer from 0 to 1"):
        environment.step(action)
