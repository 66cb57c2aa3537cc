"""``mfbpi policy`` and ``mfbpi play``: what was learnt, printed, written, drawn and acting."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from PIL import Image

import mfbpi as library

Run = Callable[..., Any]

MODULE = '''
import pathlib

import gymnasium
from gymnasium import spaces

pathlib.Path("imported").touch()


class Corridor(gymnasium.Env):
    """Three places."""

    observation_space, action_space = spaces.Discrete(3), spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return 0, {}

    def step(self, action):
        return 1, 0.0, False, False, {}


gymnasium.register("OneWay-v0", entry_point=Corridor)
'''


@pytest.fixture
def river() -> library.Results:
    """One agent in RiverSwim, with two seeds."""
    return library.run("q_learning", "riverswim", range(2), steps=2_000, out="x", executor="serial")


def test_policy_is_printed(mfbpi: Run, river: library.Results) -> None:
    """A row a state, and as JSON everything."""
    ended = mfbpi("policy", "x", "--seed", 1)

    assert ended.code == 0
    assert "q_learning on riverswim, seed 1: 5 states, 2 actions." in ended.out
    shown = mfbpi("policy", "x", "--seed", 1, "--json").json
    assert shown["actions"] == river.policy(seed=1).table.tolist()


def test_policy_is_written_and_drawn(mfbpi: Run, river: library.Results) -> None:
    """Both at once; where is said on standard error."""
    ended = mfbpi("policy", "x", "--seed", 0, "--out", "p.json", "--plot", "p.png")

    assert ended.code == 0
    assert ended.out == ""
    assert json.loads(Path("p.json").read_text())["actions"] == river.policy(seed=0).table.tolist()
    with Image.open("p.png") as picture:
        assert picture.width > 300


@pytest.mark.parametrize(
    ("arguments", "cause"),
    [
        (("policy", "x"), "2 runs may be meant; say --agent, --env or --seed"),
        (("policy", "x", "--seed", 9), "no run is the one asked for"),
        (("policy", "x", "--seed", 0, "--out", "p.txt"), "ends in .csv, .json, .npz"),
        (("policy", "x", "--seed", 0, "--plot", "p.txt"), "ends in .png, .svg, .pdf"),
        (("policy", "nothing"), "nothing holds no results"),
        (("play", "x", "--seed", 0, "--explore"), "run with --save-agent"),
        (("play", "x", "--seed", 0, "-A", "k=1"), "are those of a new agent"),
        (("play",), "give a directory of results, or both --agent NAME and --env NAME"),
        (("play", "x", "--seed", 0, "--gif", "a.gif", "--steps", 9999), "1000 pictures at most"),
    ],
)
def test_wrong_requests_are_answered(
    arguments: tuple[object, ...], cause: str, mfbpi: Run, river: library.Results
) -> None:
    """In a line, and nothing is written."""
    ended = mfbpi(*arguments)

    assert ended.code == 2
    assert cause in ended.err
    assert len(ended.err.splitlines()) == 1


def test_play_shows_the_policy(mfbpi: Run, river: library.Results) -> None:
    """Signs for the states, a line for each step."""
    ended = mfbpi("play", "x", "--seed", 0, "--steps", 4)

    assert ended.code == 0
    assert ended.out.startswith("@....\nstep 1: action ")
    assert ended.out.splitlines()[-1].startswith("4 steps in 1 episode, rewards of ")


def test_play_draws_a_moving_picture(mfbpi: Run, river: library.Results) -> None:
    """A picture for each step."""
    assert mfbpi("play", "x", "--seed", 0, "--steps", 7, "--gif", "a.gif").code == 0
    with Image.open("a.gif") as moving:
        assert moving.format == "GIF"
        assert moving.size == (120, 24)


def test_a_new_agent_plays(mfbpi: Run) -> None:
    """It begins to learn; parameters are given as to `run`."""
    ended = mfbpi(
        *("play", "--agent", "q_learning", "--env", "two_rooms", "-E", "width=3", "--steps", 2)
    )
    assert ended.code == 0
    assert ended.out.startswith("@..#...\n")


def test_code_that_a_directory_names_is_not_imported(
    mfbpi: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Unless whoever reads it says so; nor is it to run a task again."""
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "one_way_world.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(folder))
    results = library.run(
        "q_learning",
        library.environment(
            "gymnasium", environment_id="one_way_world:OneWay-v0", reward_range=[0.0, 1.0]
        ),
        seeds=0,
        steps=50,
        out="x",
        executor="serial",
    )
    Path("imported").unlink()
    monkeypatch.delitem(sys.modules, "one_way_world")
    monkeypatch.delitem(gymnasium.registry, "OneWay-v0")

    for command in (("play", "x"), ("reproduce", results.files[0])):
        ended = mfbpi(*command)
        assert ended.code == 2
        assert "--import one_way_world" in ended.err
    assert mfbpi("policy", "x").code == 0
    assert not Path("imported").exists()
    assert mfbpi("play", "x", "--import", "one_way_world", "--steps", 2).code == 0
    assert Path("imported").exists()
