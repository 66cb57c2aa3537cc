"""What environments return is taken exactly, or refused with what it is and what was expected."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from mfbpi_core import Environment
from mfbpi_core.errors import PluginError
from mfbpi_env_gymnasium.environment import adopt

FOUR = spaces.Discrete(4)
FLAG = spaces.Discrete(2)
PAIR = spaces.Box(-1, 1, (2,))
NAMED = spaces.Dict({"a": FLAG, "b": FLAG})
NAN = float("nan")
CELLS = {"observations": "cells", "cells": 4}


class Foreign:
    """An array of another library, without axes."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """What it holds, as numpy asks for it."""
        return np.array(self.held, dtype)


class Returning(gymnasium.Env[Any, Any]):
    """Begins with one observation; every step returns what was given."""

    action_space = FLAG

    def __init__(self, first: Any = 0, space: Any = FOUR, **step: Any) -> None:
        self.first, self.observation_space, self.returned = first, space, step

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """Begin."""
        super().reset(seed=seed)
        return self.first, {}

    def step(self, _: Any) -> Any:
        """Return what was given."""
        usual = {"observation": self.first, "reward": 0.5, "terminated": False, "truncated": False}
        return (*(usual | self.returned).values(), {})


class Seedless(Returning):
    """Cannot be told a seed."""

    def reset(self) -> Any:  # type: ignore[override]
        """Begin."""
        return 0, {}


class Optionless(Returning):
    """Cannot be told options."""

    def reset(self, *, seed: int | None = None) -> Any:  # type: ignore[override]
        """Begin."""
        return 0, {}


def made(raw: gymnasium.Env[Any, Any], **options: Any) -> Environment:
    """The environment of an object."""
    found = adopt(raw, {"reward_range": (0.0, 1.0)} | options)
    assert found is not None
    return found


@pytest.mark.parametrize("given", [1.75, -0.5, np.float32(1.5), "1", None, NAN, [1], np.array([1])])
def test_a_state_is_an_integer(given: Any) -> None:
    """Of 1.75 or "1" nothing is made; the message has the value, the environment and its space."""
    env = made(Returning(observation=given))
    env.reset(seed=0)

    with pytest.raises(PluginError, match=r"Returning returned the observation .*; expected a sta"):
        env.step(0)
    with pytest.raises(PluginError, match=r"integer from 0 to 3, as its .*space Discrete\(4\)"):
        env.step(0)


@pytest.mark.parametrize("given", [2, np.int32(2), np.uint8(2), np.array(2), Foreign(2)])
def test_integers_of_any_kind_are_states(given: Any) -> None:
    """Python's, numpy's, and arrays without axes."""
    shown, _ = made(Returning(given)).reset(seed=0)

    assert type(shown) is int
    assert shown == 2


def test_states_beyond_the_space_have_the_environments_numbers() -> None:
    """0 of Discrete(4, start=1) is not -1."""
    with pytest.raises(PluginError, match="observation 0; expected a state, an integer from 1 to"):
        made(Returning(0, spaces.Discrete(4, start=1))).reset(seed=0)


@pytest.mark.parametrize("what", ["terminated", "truncated"])
@pytest.mark.parametrize("given", ["False", NAN, 2, None, 1.0, np.array([True])])
def test_a_flag_is_a_truth_value(what: str, given: Any) -> None:
    """Nearly everything is true for Python."""
    env = made(Returning(**{what: given}))
    env.reset(seed=0)

    with pytest.raises(PluginError, match=rf"step of Ret.* as {what}; expected True or False"):
        env.step(0)


@pytest.mark.parametrize("given", [True, np.True_, 1, np.array(True), Foreign(True)])
def test_flags_of_any_kind(given: Any) -> None:
    """Python's, numpy's, and 1."""
    env = made(Returning(terminated=given))
    env.reset(seed=0)

    assert env.step(0)[2] is True


@pytest.mark.parametrize("given", ["0.5", None, 1j, [0.5], np.array([0.5]), np.array([0.5, 1.0])])
def test_a_reward_is_a_real_number(given: Any) -> None:
    """Neither a text nor an array of some."""
    env = made(Returning(reward=given))
    env.reset(seed=0)

    with pytest.raises(PluginError, match=r"step of Ret.* the reward .*; expected a real number"):
        env.step(0)


@pytest.mark.parametrize("given", [np.float32(0.5), np.array(0.5), Foreign(0.5)])
def test_rewards_of_any_kind(given: Any) -> None:
    """Python's, numpy's, and arrays without axes."""
    env = made(Returning(reward=given), reward_scale=2.0)
    env.reset(seed=0)

    assert env.step(0)[1] == 1.0


@pytest.mark.parametrize(
    ("given", "space", "options", "said"),
    [
        ([0.0, NAN], PAIR, CELLS, r"observation \[0.0, nan\]; expected finite numbers"),
        ([0.0, np.inf], PAIR, CELLS, "expected finite numbers"),
        ([0.0, 0.0, 0.0], PAIR, CELLS, r"numbers of shape \(2,\), as its .*space Box\(-1"),
        ([0.0, 0.0, 0.0], PAIR, {}, r"numbers of shape \(2,\)"),
        ([[0.0], [0.0, 1.0]], PAIR, {}, r"numbers of shape \(2,\)"),
        (["0", "1"], PAIR, {}, r"numbers of shape \(2,\)"),
        (None, PAIR, {}, "observation None; expected numbers of shape"),
        ({"a": 1}, NAMED, CELLS, r"expected a dictionary with the key 'b', as its .*space Dict"),
        ({"a": 1}, NAMED, {}, "expected a dictionary with the key 'b'"),
        (1, NAMED, CELLS, "expected a dictionary with the key 'a'"),
        ({"a": 1, "b": -1}, NAMED, {}, "expected a state, an integer from 0 to 1"),
        ({"a": 1, "b": 0.5}, NAMED, CELLS, "expected a state, an integer from 0 to 1"),
        ((1,), spaces.Tuple((FLAG, FLAG)), CELLS, "expected a tuple of 2"),
        ([0.5, 1.0], spaces.MultiDiscrete([2, 3]), CELLS, r"expected integers of shape \(2,\)"),
        ([0, 3], spaces.MultiDiscrete([2, 3]), {}, r"expected integers from \[0, 0\] to \[1, 2\]"),
        ([0, 2], spaces.MultiBinary(2), {}, "expected zeros and ones"),
        (7, spaces.Text(3), {}, "expected what Gymnasium flattens"),
    ],
)
def test_observations_that_are_not_of_their_space(
    given: Any, space: Any, options: dict[str, Any], said: str
) -> None:
    """Whether as they come, flattened or in cells."""
    with pytest.raises(PluginError, match=said):
        made(Returning(given, space), **options).reset(seed=0)


@pytest.mark.parametrize(
    "wrap", [lambda raw: raw, lambda raw: gymnasium.wrappers.TimeLimit(raw, 5)]
)
@pytest.mark.parametrize("raw", [Seedless(), Optionless()])
def test_a_reset_without_seed_or_options(raw: Any, wrap: Any) -> None:
    """What Gymnasium's takes is said, also where a wrapper calls it."""
    said = rf"reset of {type(raw).__name__} is .*expected reset\(\*, seed=None, options=None\)"
    with pytest.raises(PluginError, match=said):
        made(wrap(raw)).reset(seed=0)


def test_type_errors_of_an_environment_itself_pass() -> None:
    """Its methods can be called as they are."""

    class Failing(Returning):
        def step(self, _: Any) -> Any:
            raise TypeError("its own")

    env = made(Failing())
    env.reset(seed=0)

    with pytest.raises(TypeError, match="its own"):
        env.step(0)
