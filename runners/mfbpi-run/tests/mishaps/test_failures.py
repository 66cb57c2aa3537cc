"""What plugins do wrong: one line that names the plugin, what came, and where."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

#: A plugin with one agent, environment and metric for each fault; line numbers are counted.
SOURCE = """\
import os, time
from mfbpi_core import *
from mfbpi_toy import Lap, Plain, Rate, Ring, RingConfig


class Interrupting(Plain):
    def select_action(self, observation):
        raise KeyboardInterrupt


class Exiting(Plain):
    def select_action(self, observation):
        raise SystemExit(3)


class Stopping(Plain):
    def select_action(self, observation):
        raise BaseException("two\\nlines")


class Dividing(Plain):
    def select_action(self, observation):
        return 1 / 0


class Forking(Plain):
    forked = False

    def select_action(self, observation):
        if not self.forked:
            self.forked = True
            if os.fork():
                os.wait()
        return 0


class Textual(Plain):
    def select_action(self, observation):
        return "1"


class Advising(Plain):
    def recommend(self, observation):
        return 1.7


class NoAgent:
    pass


class Unfinished(Agent):
    def select_action(self, observation):
        return 0


class Picky(Plain):
    @classmethod
    def check(cls, problem, config):
        raise ConfigError("no such device")


class Other(Plain):
    def __init__(self, problem):
        pass


def maker(problem, config, rng):
    return {}


class Plainly:
    bias = 0.5


class OldStep(Ring):
    def step(self, action):
        return super().step(action)[:4]


class OldReset(Ring):
    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed)[0]


class NotPaid(Ring):
    def step(self, action):
        state, _, *rest = super().step(action)
        return state, float("nan"), *rest


class Beyond(Ring):
    def step(self, action):
        return self.n_states, *super().step(action)[1:]


class Nothing(Rate):
    def measure(self, snapshot):
        return {"nothing": None}


from mfbpi_core.errors import ConfigError


@hookimpl
def mfbpi_agents():
    names = ("Interrupting", "Exiting", "Stopping", "Dividing", "Forking", "Textual", "Advising")
    for name in (*names, "NoAgent", "Unfinished", "Picky", "Other", "maker"):
        yield AgentSpec(name=name.lower(), factory="mfbpi_faulty:" + name)
    yield AgentSpec(name="plainly", factory="mfbpi_toy:Plain", config="mfbpi_faulty:Plainly")


@hookimpl
def mfbpi_environments():
    for name in ("OldStep", "OldReset", "NotPaid", "Beyond"):
        yield EnvironmentSpec(
            name=name.lower(), factory="mfbpi_faulty:" + name, config="mfbpi_toy:RingConfig"
        )


@hookimpl
def mfbpi_metrics():
    column = Column(name="nothing")
    yield MetricSpec(
        name="nothing", factory="mfbpi_faulty:Nothing", columns=(column,), default=False
    )
    column = Column(name="misspelt")
    yield MetricSpec(
        name="misspelt", factory="mfbpi_faulty:Nothing", columns=(column,), needs={"sates"}
    )
"""

Command = Callable[..., Any]


@pytest.fixture(autouse=True)
def faulty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Install the plugin, for worker processes too."""
    folder = tmp_path / "faulty"
    info = folder / "mfbpi_faulty-2.0.dist-info"
    info.mkdir(parents=True)
    (folder / "mfbpi_faulty.py").write_text(SOURCE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mfbpi-faulty\nVersion: 2.0\n")
    (info / "entry_points.txt").write_text("[mfbpi]\nfaulty = mfbpi_faulty\n")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), os.environ["PYTHONPATH"]]))


def line_of(text: str) -> int:
    """The number of the first line of the plugin that contains a text."""
    return next(i for i, line in enumerate(SOURCE.splitlines(), 1) if text in line)


def failed(mfbpi: Command, *arguments: str) -> str:
    """The one line that a run says, of which every task fails, on standard error."""
    ended = mfbpi("run", "--executor", "inline", "--seeds", "0:1", "--out", "x", *arguments)
    assert ended.code == 1
    [line] = [each for each in ended.err.splitlines() if each.startswith("failed")]
    [file] = Path("x").glob("*errors/*.json")
    assert line.endswith(f"; see {file.parent.name}/{file.name}")
    assert "Traceback" in json.loads(file.read_text())["error"]
    return str(line)


AGENTS = {
    "interrupting": ("KeyboardInterrupt (", "raise KeyboardInterrupt"),
    "exiting": ("SystemExit: 3 (", "raise SystemExit"),
    "stopping": ("BaseException: two lines (", "raise BaseException"),
    "dividing": ("ZeroDivisionError: division by zero (", "return 1 / 0"),
}


@pytest.mark.parametrize(("agent", "says", "place"), [(k, *v) for k, v in AGENTS.items()])
def test_whatever_an_agent_raises_fails_its_task(
    mfbpi: Command, agent: str, says: str, place: str
) -> None:
    """The line has the type, the message, file and line of the plugin, and the error's file."""
    line = failed(mfbpi, "--agent", agent, "--env", "ring")

    assert f"failed: {agent} on ring, seed 0: {says}mfbpi_faulty.py:{line_of(place)})" in line


CONTRACTS = {
    ("textual", "ring"): "agent textual of mfbpi-faulty 2.0 selected '1' at step 1, observation 0",
    ("advising", "ring"): "agent Advising recommends 1.7 for observation 0; expected an integer",
    ("plain", "oldstep"): "environment oldstep of mfbpi-faulty 2.0: step 1 returned (",
    ("plain", "oldreset"): "environment oldreset of mfbpi-faulty 2.0: reset before step 1 return",
    ("plain", "notpaid"): "at step 1, observation 0, action 0: reward nan; expected a finite num",
    ("plain", "beyond"): "observation 3; expected a state, an integer from 0 to 2",
    ("maker", "ring"): "agent maker of mfbpi-faulty 2.0: mfbpi_faulty:maker returned {}; expected",
}


@pytest.mark.parametrize(("agent", "environment"), CONTRACTS)
def test_broken_contracts_are_named(mfbpi: Command, agent: str, environment: str) -> None:
    """Plugin, step, pair, what came and what was expected."""
    chosen = ("--agent", agent, "--env", environment, "-A", "plain.bias=0")
    line = failed(mfbpi, *(chosen if agent == "plain" else chosen[:4]))

    assert "PluginError: " in line
    assert CONTRACTS[agent, environment] in line


def test_value_that_is_none_fails_at_the_first_measurement(mfbpi: Command) -> None:
    """Metric and column are named, before a step was taken."""
    line = failed(mfbpi, "--agent", "plain", "--env", "ring", "--metric", "nothing")

    assert "PluginError: metric nothing returned nothing=None; expected a finite number" in line


BEFORE = {
    "noagent": "mfbpi_faulty:NoAgent is not a subclass of mfbpi_core.Agent",
    "unfinished": "mfbpi_faulty:Unfinished is abstract: it does not define recommend, update",
    "other": "mfbpi_faulty:Other cannot be called with (problem, config, rng)",
    "picky": "no such device",
    "plainly": "mfbpi_faulty:Plainly is <class 'mfbpi_faulty.Plainly'>; expected an attrs class",
}


@pytest.mark.parametrize("agent", BEFORE)
def test_what_no_task_could_build_is_refused_before_the_grid(mfbpi: Command, agent: str) -> None:
    """Once, in one line, and no directory is made."""
    ended = mfbpi("run", "--agent", agent, "--env", "ring", "--seeds", "0:20", "--out", "x")

    assert ended.code != 0
    [line] = ended.err.splitlines()
    assert BEFORE[agent] in line
    assert not Path("x").exists()


def test_run_that_measures_nothing_says_so_before_it_starts(mfbpi: Command) -> None:
    """Its only metric needs an allocation, which the agent's class does not have."""
    chosen = ("--agent", "plain", "--env", "ring", "--metric", "aim")
    ended = mfbpi("run", *chosen, "--dry-run", "--out", "x")

    assert "nothing will be measured of agent plain on ring: no metric applies there" in ended.err


def test_misspelt_need_is_a_warning(mfbpi: Command) -> None:
    """A default metric that is left out for a need that is nearly a word."""
    ended = mfbpi("run", "--agent", "plain", "--env", "ring", "--dry-run", "--out", "x")

    warning = "metric misspelt is left out: it needs sates; did you mean states?"
    assert [line for line in ended.err.splitlines() if warning in line]
    assert "nothing will be measured" not in ended.err


@pytest.mark.parametrize("executor", ["process", "serial"])
def test_copy_of_a_process_does_no_work(mfbpi: Command, executor: str) -> None:
    """An agent that forks: one outcome for each task, and the copy ends."""
    chosen = ("--agent", "forking", "--env", "ring", "--seeds", "0:2", "--jobs", "1")
    ended = mfbpi("run", *chosen, "--executor", executor, "--out", "x", "--json")

    assert ended.code == 0
    assert [task["status"] for task in ended.json["tasks"]] == ["done", "done"]
    assert ended.json["summary"][0]["n"] == 2
