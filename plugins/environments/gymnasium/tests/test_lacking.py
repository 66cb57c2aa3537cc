"""What an environment lacks is said with what to do: a model, states, five values."""

from __future__ import annotations

import re
from typing import Any

import gymnasium
import pytest
from gymnasium import spaces
from gymnasium.wrappers import TimeLimit, TransformReward

from mfbpi_core import Environment
from mfbpi_core.errors import PluginError
from mfbpi_env_gymnasium.environment import Config, adopt, build


class Old(gymnasium.Env[Any, Any]):
    """Written for Gym before 0.26."""

    observation_space = spaces.Discrete(3)
    action_space = spaces.Discrete(2)

    def __init__(self, first: Any = (0, {}), following: Any = (0, 0.0, False, {})) -> None:
        self.first, self.following = first, following

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """Return what was given."""
        super().reset(seed=seed)
        return self.first

    def step(self, _: Any) -> Any:
        """Return what was given."""
        return self.following


class Startless(Old):
    """A table, and no word about where episodes begin."""

    P = {s: {a: [(1.0, 0, 0.0, False)] for a in range(2)} for s in range(3)}  # noqa: RUF012


class Full(Startless):
    """All of it."""

    isd = (1.0, 0.0, 0.0)


def made(raw: gymnasium.Env[Any, Any], **options: Any) -> Environment:
    """The environment of an object."""
    found = adopt(raw, options)
    assert found is not None
    return found


@pytest.mark.parametrize("wrap", [lambda raw: raw, lambda raw: TimeLimit(raw, 5)])
def test_four_values_of_a_step_are_refused_in_a_sentence(wrap: Any) -> None:
    """Also where a wrapper of Gymnasium's is the first to take them apart."""
    env = made(wrap(Old()), reward_range=(0.0, 1.0))
    env.reset(seed=0)

    with pytest.raises(PluginError, match=r"step of Old returned .*expected \(observation, rew"):
        env.step(0)


def test_an_observation_alone_is_no_reset() -> None:
    """As it was before the info."""
    with pytest.raises(PluginError, match=r"reset of Old returned 7; expected \(observation, info"):
        made(Old(first=7), reward_range=(0.0, 1.0)).reset(seed=0)


def test_errors_of_the_environment_itself_pass() -> None:
    """They are not those of a wrapper."""

    class Raising(Old):
        def step(self, _: Any) -> Any:
            raise ValueError("too many values to unpack, says its author")

    env = made(Raising(), reward_range=(0.0, 1.0))
    env.reset(seed=0)

    with pytest.raises(ValueError, match="says its author"):
        env.step(0)


@pytest.mark.parametrize(
    ("raw", "options", "why"),
    [
        (Old(), {}, r"no table P\[s\]\[a\]"),
        (Startless(), {}, "begin: give it the attribute initial_state_distrib"),
        (TransformReward(Full(), lambda r: 2 * r), {}, "a wrapper changes what that says"),
        (Full(), {"observations": "one_hot"}, "observations=one_hot shows it otherwise"),
    ],
)
def test_why_there_is_no_model(raw: Any, options: dict[str, Any], why: str) -> None:
    """The first thing that is not there."""
    env = made(raw, reward_range=(0.0, 1.0), **options)

    assert env.model is None
    assert re.search(why, env.lacking["model"])


def test_what_makes_states() -> None:
    """The parameter is named, and what it makes has states."""
    assert (
        "observations=cells and reward_range"
        in build(Config(environment_id="Blackjack-v1")).lacking["states"]
    )
    cells = build(
        Config(environment_id="Blackjack-v1", observations="cells", reward_range=(-1.0, 1.0))
    )
    assert cells.n_states is not None
    assert "states" not in cells.lacking
    assert made(Full()).lacking == {}
