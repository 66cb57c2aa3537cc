"""Spaces: integers, arrays, cells, and actions by number."""

from __future__ import annotations

import itertools
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from mfbpi_core import Environment
from mfbpi_core.errors import MfbpiError
from mfbpi_env_gymnasium.environment import Config, adopt, build

FLAG = spaces.Discrete(2)
FEW = spaces.Tuple((spaces.Discrete(3, start=1), spaces.MultiBinary(2)))


class Sampled(gymnasium.Env[Any, Any]):
    """Shows what its space draws and pays 1; keeps the last action."""

    def __init__(self, observed: spaces.Space[Any], acted: spaces.Space[Any]) -> None:
        self.observation_space, self.action_space = observed, acted
        self.last: Any = None

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Begin."""
        super().reset(seed=seed)
        self.observation_space.seed(seed)
        return self.observation_space.sample(), {}

    def step(self, action: Any) -> Any:
        """Take any action of the space."""
        assert self.action_space.contains(action)
        self.last = action
        return self.observation_space.sample(), 1.0, False, False, {}


def shows(space: spaces.Space[Any], acted: spaces.Space[Any] = FLAG, **options: Any) -> Environment:
    """An environment with these spaces."""
    found = adopt(Sampled(space, acted), options)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "space",
    [
        spaces.Box(-1, 1, (2, 3)),
        spaces.MultiDiscrete([2, 3]),
        spaces.MultiBinary(4),
        FEW,
        spaces.Dict({"x": spaces.Box(0, 1, (2,)), "y": spaces.Discrete(3)}),
    ],
)
def test_arrays_are_gymnasiums(space: spaces.Space[Any]) -> None:
    """A Box keeps its shape, all else is flattened by Gymnasium itself."""
    environment = shows(space)
    observation, _ = environment.reset(seed=0)
    raw, _ = Sampled(space, FLAG).reset(seed=0)
    expected = raw if isinstance(space, spaces.Box) else spaces.flatten(space, raw)
    assert environment.observation_shape == observation.shape
    assert np.array_equal(observation, np.asarray(expected, dtype=np.float32))


def test_integers_lose_their_offset_or_become_one_hot() -> None:
    """5 of Discrete(3, start=4) is 1, or (0, 1, 0)."""
    space = spaces.Discrete(3, start=4)
    plain, encoded = shows(space), shows(space, observations="one_hot")
    assert plain.n_states == 3
    assert plain.reset(seed=1)[0] in range(3)
    assert encoded.reset(seed=1)[0].tolist() == np.eye(3)[plain.reset(seed=1)[0]].tolist()


def test_cells_number_all_combinations() -> None:
    """Numbers in order, the first the slowest; beyond the ends, the last cells."""
    space = spaces.Dict({"a": spaces.Box(0, 1, (1,)), "b": spaces.Discrete(3, start=1)})
    environment: Any = shows(space, observations="cells", cells=4)
    assert environment.n_states == 12
    number = environment._convert
    assert number({"a": [0.0], "b": 1}) == 0
    assert number({"a": [0.3], "b": 3}) == 5
    assert number({"a": [9.0], "b": 3}) == 11
    assert number({"a": [-9.0], "b": 1}) == 0


def test_every_action_is_taken_once() -> None:
    """The numbers of a Tuple's actions are its combinations, offsets included."""
    acted = spaces.Tuple((spaces.Discrete(2, start=5), spaces.MultiDiscrete([2, 3])))
    environment: Any = shows(FLAG, acted)
    environment.reset(seed=0)
    taken = []
    for action in range(environment.n_actions):
        environment.step(action)
        first, rest = environment.raw.last
        taken.append((first, *rest.tolist()))
    assert taken == list(itertools.product((5, 6), (0, 1), (0, 1, 2)))


def test_states_go_on_bit_for_bit() -> None:
    """CartPole, saved in the middle of an episode and loaded into another, goes on alike."""
    one, two = (build(Config(environment_id="CartPole-v1")) for _ in range(2))
    one.reset(seed=3)
    one.step(0)
    two.load_state_dict(one.state_dict())
    for action in (1, 0, 1):
        assert one.step(action)[0].tolist() == two.step(action)[0].tolist()
    assert one.reset()[0].tolist() == two.reset()[0].tolist()
    assert one.max_episode_steps == 500
    assert "episodes" in one.provides


@pytest.mark.parametrize(
    ("space", "acted", "options", "said"),
    [
        (spaces.Sequence(FLAG), FLAG, {}, "does not flatten"),
        (spaces.Box(0, 1), FLAG, {"observations": "one_hot"}, "not integers"),
        (spaces.Box(-np.inf, 1), FLAG, {"observations": "cells"}, "has no limits"),
        (spaces.Box(0, 1), FLAG, {"observations": "cells", "low": (0.0, 1.0)}, "low has 2"),
        (spaces.Box(0, 1), FLAG, {"observations": "cells", "low": (2.0,)}, "low=2 to high=1"),
        (spaces.Box(0, 1, (9,)), FLAG, {"observations": "cells"}, "give fewer cells"),
        (spaces.Box(0, 1), FLAG, {"low": (0.0,)}, "expected observations=cells"),
        (FLAG, spaces.Box(0, 1), {}, "are continuous"),
        (FLAG, spaces.MultiBinary(20), {}, "combinations; expected at most"),
        (FLAG, FLAG, {"reward_range": (1.0, 0.0)}, "reward_range is"),
        (FLAG, FLAG, {"max_episode_steps": 3}, "made already"),
    ],
)
def test_what_cannot_be_shown_is_said(
    space: spaces.Space[Any], acted: spaces.Space[Any], options: dict[str, Any], said: str
) -> None:
    """One sentence, which names what was expected."""
    with pytest.raises(MfbpiError, match=said):
        shows(space, acted, **options)
