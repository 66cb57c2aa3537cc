"""Classes of people's own with faults: each is a sentence, in every command that would use them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

WORLDS = """
import numpy as np

from mfbpi_core import Cells, Environment


class Good(Environment):
    n_actions, n_states, reward_range = 2, 4, (0.0, 1.0)

    def __init__(self, config):
        self.place = 0

    def reset(self, *, seed=None, options=None):
        self.place = 0
        return 0, {}

    def step(self, action):
        self.place = (self.place + action) % 4
        return self.place, float(self.place == 3), False, False, {}


class Counted(Good):
    @property
    def cells(self):
        return Cells(count=self.n_states, index=lambda states: states)


class Vectors(Good):
    n_states, observation_shape = None, (2,)


class NoSeed(Good):
    def reset(self):
        return 0, {}


class OldStep(Good):
    def step(self, action):
        return 0, 0.0, False, {}


class Outside(Good):
    def step(self, action):
        return 4, 0.0, False, False, {}


class Breaks(Good):
    def step(self, action):
        raise RuntimeError("it broke")


class NoModel(Good):
    @property
    def model(self):
        raise RuntimeError("it broke")


class NoProtocol(Good):
    @property
    def protocol(self):
        raise RuntimeError("it broke")


class NoConfig(Good):
    def __init__(self):
        pass


class Raises(Good):
    def __init__(self, config):
        raise ValueError("it broke")


class Abstract(Environment):
    n_actions, n_states, reward_range = 2, 4, (0.0, 1.0)
"""


@pytest.fixture(autouse=True)
def _worlds() -> None:
    Path("worlds.py").write_text(WORLDS)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("NoConfig", "cannot be called with (config)"),
        ("Raises", "ValueError('it broke')"),
        ("Abstract", "does not define reset, step"),
        ("NoProtocol", "RuntimeError('it broke')"),
        ("NoModel", "RuntimeError('it broke')"),
        ("Goood", "worlds.py defines no Goood; did you mean Good? it defines: Good, Counted"),
    ],
)
def test_a_class_that_cannot_be_used_is_bad_usage(mfbpi: Run, name: str, words: str) -> None:
    """Exit code 2 before anything runs, in one line."""
    ended = mfbpi("run", "--agent", "uniform", "--env", f"./worlds.py:{name}", "--out", "x")

    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert words in ended.err
    assert not Path("x").exists()


def test_wrong_agents_of_ones_own_are_bad_usage(mfbpi: Run) -> None:
    """An agent's constructor that takes nothing."""
    Path("mine.py").write_text(
        "from mfbpi_core import Agent\nclass Mine(Agent):\n    def __init__(self):\n        pass\n"
    )
    ended = mfbpi("run", "--agent", "./mine.py:Mine", "--env", "riverswim", "--out", "x")

    assert ended.code == 2
    assert ended.err.startswith("error: agent mine of mine.py#")


def test_what_exploration_needs_is_said(mfbpi: Run) -> None:
    """With the line to add, by which the metrics then apply; not where metrics are chosen."""
    options = "--seeds", 0, "--steps", 40, "--executor", "serial", "--quiet"
    said = mfbpi("run", "--agent", "uniform", "--env", "./worlds.py:Good", *options, "--out", "a")
    counted = mfbpi(
        *("run", "--agent", "uniform", "--env", "./worlds.py:Counted", *options, "--out", "b")
    )

    line = "returns mfbpi_core.Cells(count=self.n_states, index=lambda states: states)"
    assert "exploration of good is not measured" in said.err
    assert line in said.err
    assert "visit_entropy" in counted.out
    assert "exploration" not in counted.err


def test_arrays_are_told_of_their_own_cells(mfbpi: Run) -> None:
    """An example with states would not fit."""
    ended = mfbpi(
        *("run", "--agent", "bsp", "--env", "./worlds.py:Vectors", "--dry-run", "--out", "x")
    )

    assert "Cells(count=N, index=FUNCTION), from arrays [n, ...]" in ended.err


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("NoSeed", "reset() does not take reset(seed=0)"),
        ("OldStep", "step 1 returned (0, 0.0, False, {}); expected (observation, reward"),
        ("Outside", "observation 4; expected a state, an integer from 0 to 3"),
        ("Breaks", "playing in Breaks: RuntimeError: it broke (worlds.py:"),
    ],
)
def test_play_says_whose_fault_it_is(mfbpi: Run, name: str, words: str) -> None:
    """In one line, as a run does."""
    ended = mfbpi("play", "--agent", "uniform", "--env", f"./worlds.py:{name}", "--steps", 3)

    assert (ended.code, ended.err.count("\n")) == (1, 1)
    assert words in ended.err


def test_describe_says_whose_fault_it_is(mfbpi: Run) -> None:
    """A model that cannot be made."""
    ended = mfbpi("describe", "--env", "./worlds.py:NoModel")

    assert (ended.code, ended.err.count("\n")) == (1, 1)
    assert "the model of environment no_model: RuntimeError: it broke (worlds.py:" in ended.err


def test_pictures_are_gifs(mfbpi: Run) -> None:
    """A name that promises another format is refused."""
    ended = mfbpi(
        *("play", "--agent", "uniform", "--env", "riverswim", "--gif", "x.png", "--steps", 2)
    )

    assert ended.code == 2
    assert "--gif x.png: expected a name that ends in .gif" in ended.err
    assert not Path("x.png").exists()


@pytest.mark.parametrize("command", ["policy", "collect", "plot", "play"])
def test_a_directory_that_is_not_there_is_said_not_to_be(mfbpi: Run, command: str) -> None:
    """Unlike one without results."""
    Path("empty").mkdir()

    assert "nowhere holds no results (there is no such directory)" in mfbpi(command, "nowhere").err
    assert "empty holds no results; give" in mfbpi(command, "empty").err


def test_a_label_that_is_nearly_right_is_guessed(mfbpi: Run) -> None:
    """Of an agent and of an environment."""
    options = "--seeds", 0, "--steps", 40, "--executor", "serial", "--quiet", "--out", "x"
    mfbpi("run", "--agent", "uniform", "--env", "riverswim", *options)

    assert "did you mean uniform? there are" in mfbpi("policy", "x", "--agent", "unifrm").err
    assert "did you mean riverswim? there are" in mfbpi("policy", "x", "--env", "riversim").err
