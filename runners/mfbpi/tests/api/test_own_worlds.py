"""Environments and metrics without packaging, in files and of this session."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mfbpi as library
from mfbpi.notices import MfbpiNote

FILE = '''
import attrs
import numpy as np

from mfbpi_core import Agent, Environment, Metric, parameter
from mfbpi_core.contracts.environment import RunProtocol


class Corridor(Environment):
    """Left and right; the right end pays."""

    @attrs.frozen(kw_only=True)
    class Config:
        """Its parameters."""

        length: int = parameter(3, "cells", ge=2)

    def __init__(self, config):
        self.config, self.place = config, 0
        self.n_actions, self.n_states = 2, config.length
        self.protocol = RunProtocol(horizon=40, eval_every=20, seeds=2)

    def reset(self, *, seed=None, options=None):
        self.place = 0
        return 0, {}

    def step(self, action):
        self.place = int(np.clip(self.place + 2 * action - 1, 0, self.config.length - 1))
        return self.place, float(self.place == self.config.length - 1), False, False, {}


class Furthest(Metric):
    """The furthest cell so far."""

    columns = ("furthest",)
    needs = {"states"}

    @attrs.frozen(kw_only=True)
    class Config:
        """Its parameters."""

        scale: float = parameter(1.0, "multiplies it")

    def __init__(self, problem, environment, config, rng):
        super().__init__(problem, environment, config, rng)
        self.most = 0

    def observe(self, transitions):
        self.most = max(self.most, int(transitions.next_observations.max()))

    def measure(self, snapshot):
        return {"furthest": self.config.scale * self.most}


class Nameless(Furthest):
    columns = ()


class Misnamed(Furthest):
    columns = ("Fur thest",)
'''


@pytest.fixture
def file() -> Path:
    """An environment and metrics in the working directory."""
    path = Path("my_world.py")
    path.write_text(FILE)
    return path


def furthest(results: library.Results) -> list[float]:
    """What was measured at the end of each run."""
    table = results.table
    ends = zip(table["step"].to_pylist(), table["value"].to_pylist(), strict=True)
    return [value for step, value in ends if step == 40]


def test_classes_of_a_file_run_in_workers(file: Path, mfbpi: Callable[..., Any]) -> None:
    """From the command and from Python, with parameters and by their paths."""
    world, metric = f"./{file}:Corridor", f"./{file}:Furthest"
    given = ("--agent", "plain", "--env", world, "-E", "length=5", "--metric", metric)
    ended = mfbpi("run", *given, "-M", "furthest.scale=2", "--out", "command", "--jobs", 1)
    assert ended.code == 0, ended.err

    results = library.run(
        agents="plain",
        environments=library.environment(world, length=5),
        metrics=library.metric(metric, scale=2.0),
        out="library",
        jobs=1,
    )
    assert results.failures == ()
    assert results.tasks == library.load("command").tasks
    assert {task.environment.shown for task in results.tasks} == {"corridor(length=5)"}
    assert set(results.table["metric"].to_pylist()) == {"furthest"}
    assert furthest(results) == furthest(library.load("command"))


def test_classes_of_a_session_run(file: Path) -> None:
    """Given themselves, in another process too."""
    cell: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(FILE, "a cell", "exec"), cell)
    given = {"agents": "plain", "environments": cell["Corridor"], "metrics": cell["Furthest"]}
    results = library.run(**given, out="there", jobs=1)

    assert results.failures == ()
    assert furthest(results) == furthest(library.run(**given, executor="inline", out="here"))
    assert library.make_environment(cell["Corridor"], length=7).n_states == 7


def test_environment_of_a_file_is_described(file: Path, mfbpi: Callable[..., Any]) -> None:
    """As any other: this one has no model."""
    ended = mfbpi("describe", "--env", f"./{file}:Corridor")

    assert ended.code == 2
    assert "environment corridor has no exact model" in ended.err


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"environments": "my_world.py:Furthest"}, "Furthest is derived from Metric; expected a"),
        ({"metrics": "my_world.py:Corridor"}, "Corridor is derived from Environment; expected a"),
        ({"metrics": "my_world.py:Nameless"}, r"Nameless: `columns` is \(\); expected what Name"),
        ({"metrics": "my_world.py:Misnamed"}, "Misnamed: Column.name is 'Fur thest'; expected"),
        (
            {"metrics": int},
            "the class builtins.int; expected names, classes derived from Metric",
        ),
    ],
)
def test_errors_say_what_is_wrong(file: Path, changes: dict[str, Any], message: str) -> None:
    """Before anything is run."""
    given = {"agents": "plain", "environments": "ring", "executor": "inline", **changes}
    with pytest.raises(library.UsageError, match=message):
        library.run(**given)
    assert not Path("results").exists()


READS = '''
import json
from pathlib import Path

from mfbpi_core import Environment
from mfbpi_core.contracts.environment import RunProtocol


class Reads(Environment):
    """Pays what a file says."""

    n_actions = n_states = 2
    protocol = RunProtocol(horizon=40, eval_every=20, seeds=2)
    made_of = (Path("pays.json"),)

    def __init__(self, config):
        self.pays = json.loads(Path("pays.json").read_text())

    def reset(self, *, seed=None, options=None):
        return 0, {}

    def step(self, action):
        return 0, self.pays, False, False, {}
'''


def test_a_file_that_an_own_environment_reads_is_compared_when_runs_are_resumed() -> None:
    """Whether or not a parameter names it; the numbers that are kept are of what it held then."""
    Path("reads.py").write_text(READS)
    asked = {"environments": "./reads.py:Reads", "metrics": "reward", "executor": "serial"}
    Path("pays.json").write_text("0.25")
    library.run("biased", seeds=0, out="x", **asked)
    Path("pays.json").write_text("0.75")

    with pytest.warns(MfbpiNote, match=r"other versions: pays\.json \w+ then and \w+ now"):
        library.run("biased", seeds=0, out="x", if_exists="resume", **asked)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ('Path("gone.json")', "made_of is .*; expected a tuple"),
        ('("pays.json",)', "made_of names 'pays.json', which is not there, or is no module"),
        ('(Path("."),)', "made_of names '.', which is not there, or is no file"),
        ("(3,)", "made_of names 3; expected a Path or a module"),
    ],
)
def test_parts_that_cannot_be_told_from_others_are_refused(parts: str, said: str) -> None:
    """Before anything is run, for results could not say which they were made with."""
    Path("reads.py").write_text(READS.replace('(Path("pays.json"),)', parts))
    Path("pays.json").write_text("0.25")

    with pytest.raises(library.MfbpiError, match=said):
        library.run("biased", "./reads.py:Reads", executor="serial")
