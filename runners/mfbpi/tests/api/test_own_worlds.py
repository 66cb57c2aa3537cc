"""Environments and metrics without packaging, in files and of this session."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mfbpi as library

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
