"""A class that overrides step or reset is not the table that it inherits."""

from __future__ import annotations

import re
from typing import Any

import gymnasium
import pytest
from gymnasium import spaces
from gymnasium.envs.toy_text.cliffwalking import CliffWalkingEnv
from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv

from mfbpi_core import Environment
from mfbpi_env_gymnasium.environment import Config, adopt, build


class Shaped(FrozenLakeEnv):
    """Pays for each move."""

    def step(self, a: Any) -> Any:
        """Pay."""
        base: Any = super()
        state, reward, terminated, truncated, info = base.step(a)
        return state, float(reward) - 0.01, terminated, truncated, info


class Heir(Shaped):
    """Inherits it."""


class Elsewhere(CliffWalkingEnv):
    """Begins elsewhere."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """Begin."""
        _, info = super().reset(seed=seed)
        self.s = 0
        return 0, info


class Paying:
    """The same for any."""

    step = Shaped.step


class Mixed(Paying, FrozenLakeEnv):
    """Pays for each move, by another base class."""


class Drawn(FrozenLakeEnv):
    """Changes how it is made and drawn, and nothing else."""

    def __init__(self, **named: Any) -> None:
        super().__init__(map_name="4x4", **named)

    def render(self) -> Any:
        """Nothing."""


class Anew(Shaped):
    """Says what it pays in a table of its own."""

    def __init__(self, **named: Any) -> None:
        super().__init__(**named)
        self.P = {
            s: {a: [(p, n, r - 0.01, t) for p, n, r, t in here] for a, here in row.items()}
            for s, row in self.P.items()
        }


class Tables(gymnasium.Env[Any, Any]):
    """A table, to be completed by a step."""

    observation_space = action_space = spaces.Discrete(2)
    isd = (1.0, 0.0)

    def __init__(self) -> None:
        self.P = {s: {a: [(1.0, a, 0.0, False)] for a in range(2)} for s in range(2)}


class Completed(Tables):
    """It is stepped in no other way."""

    def step(self, _: Any) -> Any:
        """Stay."""
        return 0, 0.0, False, False, {}


def made(raw: gymnasium.Env[Any, Any]) -> Environment:
    """The environment of an object."""
    found = adopt(raw, {})
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (Shaped(), "Shaped overrides step, .* that it inherits from FrozenLakeEnv says: set self"),
        (Heir(), "Shaped overrides step"),
        (Mixed(), "Paying overrides step"),
        (Elsewhere(), "Elsewhere overrides reset, .* from CliffWalkingEnv"),
    ],
)
def test_what_overrides_is_stepped(raw: Any, said: str) -> None:
    """With the reason, as for wrappers."""
    env = made(raw)

    assert env.model is None
    assert re.search(said, env.lacking["model"])


def test_steps_pay_what_the_class_pays() -> None:
    """-0.01, where the table of its base says 0."""
    env = made(Shaped(is_slippery=False))
    env.reset(seed=0)

    assert env.step(0)[1] == -0.01


def test_a_step_that_was_replaced_in_an_object() -> None:
    """It belongs to no class."""
    lake: Any = FrozenLakeEnv()
    lake.step = lambda _: (0, 1.0, False, False, {})

    assert "its step was replaced" in made(lake).lacking["model"]


@pytest.mark.parametrize("raw", [Drawn(), Anew(), Completed()])
def test_what_is_its_table_stays_one(raw: Any) -> None:
    """Made or drawn otherwise; a table of its own; a step where there was none."""
    assert made(raw).model is not None


@pytest.mark.parametrize(
    "name", ["FrozenLake-v1", "FrozenLake8x8-v1", "CliffWalking-v1", "Taxi-v4"]
)
def test_gymnasiums_own_stay_tables(name: str) -> None:
    """All that have one."""
    assert build(Config(environment_id=name)).model is not None
