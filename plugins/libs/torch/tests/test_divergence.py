"""What leaves the range of float32 is an error, not a number in a table."""

import math

import numpy as np
import pytest

from mfbpi_core import Transition
from mfbpi_core.errors import ConfigError, SolverError, UsageError
from mfbpi_lib_torch.config import DeepConfig
from mfbpi_lib_torch.learning import divergence, paths

PATHS = (paths.COMPILED, paths.TORCH)


def drive(learner, environment, n_steps):
    """Steps of a learner on its own."""
    observation, _ = environment.reset(seed=0)
    for _ in range(n_steps):
        action = learner.select_actions([observation])[0]
        following, reward, terminated, truncated, _ = environment.step(action)
        learner.update([Transition(observation, action, reward, following, terminated, truncated)])
        observation = environment.reset()[0] if terminated or truncated else following


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(("name", "value"), [("learning_rate", 1e30), ("prior_scale", 1e39)])
def test_numbers_that_are_none(make_learner, environment_type, path, name, value):
    """A step or a prior as large as no number is: all comparisons would be false."""
    learner = make_learner(environment_type(), **{name: value})
    learner.take(path)

    with (
        np.errstate(all="ignore"),
        pytest.raises(
            SolverError, match=rf"left the range of float32: .*{name}=1e\+3[09].* or a sm"
        ),
    ):
        drive(learner, environment_type(), 200)


@pytest.mark.parametrize("path", PATHS)
def test_weights_that_never_move_again(make_learner, environment_type, path):
    """The square of a derivative is infinite long before the values are."""
    learner = make_learner(environment_type())
    learner.take(path)
    drive(learner, environment_type(), 30)
    learner.lanes[0].replay.columns["reward"][:] = 1e30

    with pytest.raises(
        SolverError, match=r"network 1 of 1, .*after 64 updates, .*rewards from .*1e"
    ):
        drive(learner, environment_type(), 64)

    assert np.isfinite(learner.q.flat).all()
    assert learner.updates == divergence.PERIOD


@pytest.mark.parametrize("reward", [1e39, -1e300, math.nan, math.inf])
def test_rewards_that_are_no_float32(make_learner, small_sea, reward):
    """They would be stored as infinity."""
    learner, (observation, _) = make_learner(small_sea()), small_sea().reset(seed=0)
    with pytest.raises(UsageError, match=r"has reward .*; expected a float32, 3\.4e\+38 at most"):
        learner.update([Transition(observation, 0, reward, observation)])
    assert learner.lanes[0].replay.added == 0


def test_a_probability_that_no_mask_is_drawn_with():
    """Masks take 24 random bits: below, no member would ever learn."""
    assert DeepConfig(mask_probability=2.0**-24)
    with pytest.raises(ConfigError, match="mask_probability"):
        DeepConfig(mask_probability=1e-46)


def test_large_rewards_are_learned_from(make_learner, small_sea):
    """A million is no reason to stop."""
    learner = make_learner(small_sea())
    drive(learner, small_sea(), 20)
    learner.lanes[0].replay.columns["reward"][:] = 1e6
    drive(learner, small_sea(), 200)
    assert learner.updates == 205
