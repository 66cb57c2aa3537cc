"""Bounds and stopping rules without packaging, in files and of this session."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mfbpi as library
from mfbpi_core import Bound, BoundSolution, StoppingRule, TabularMDP, Verdict
from mfbpi_core.data.counts import Counts

P = np.array([[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.3, 0.7]]])
R = np.array([[0.0, 0.1], [0.7, 0.0]])

FILE = '''
import attrs
import numpy as np

from mfbpi_core import Bound, BoundSolution, StoppingRule, Verdict, parameter


class Rarest(Bound):
    """One over the rarest pair."""

    @attrs.frozen(kw_only=True)
    class Config:
        """Its parameters."""

        factor: float = parameter(1.0, "multiplies it", gt=0.0)

    def evaluate(self, mdp, allocation):
        return self.config.factor / float(np.min(allocation))

    def solve(self, mdp, constraint="generative"):
        even = np.full((mdp.n_states, mdp.n_actions), 1.0 / (mdp.n_states * mdp.n_actions))
        return BoundSolution(
            value=self.evaluate(mdp, even), allocation=even, status="optimal",
            relative_gap=0.0, residual=0.0, solver="by hand",
        )


class Often(StoppingRule):
    """Stops once every pair was visited often enough."""

    guarantee = "none"

    @attrs.frozen(kw_only=True)
    class Config:
        """Its parameters."""

        visits: int = parameter(5, "least visits of a pair", ge=1)

    def check(self, counts):
        n_states, n_actions = self.problem.n_states, self.problem.n_actions
        done = int(counts.visits.min()) >= self.config.visits
        policy = np.zeros(n_states, dtype=np.int64)
        return Verdict(stop=done, policy=policy, gap=0.0, reason="" if done else "too few")
'''


@pytest.fixture
def file() -> Path:
    """A bound and a rule in the working directory."""
    path = Path("my_judges.py")
    path.write_text(FILE)
    return path


def test_a_bound_of_a_file(file: Path, mfbpi: Callable[..., Any]) -> None:
    """From the command and from Python, with a parameter."""
    given = ("--bound", f"./{file}:Rarest", "-B", "factor=2")
    np.savez("two.npz", P=P, R=R)
    ended = mfbpi("bound", *given, "--mdp", "two.npz", "--discount", "0.9", "--json")
    assert ended.code == 0, ended.err
    told = json.loads(ended.out)
    found = library.bound(f"./{file}:Rarest", library.mdp(P, R), discount=0.9, factor=2.0)
    assert found.allocation is not None

    assert told["value"] == found.value == pytest.approx(2.0 * found.allocation.size)
    assert told["bound"] == "rarest(factor=2.0)"


class Even(Bound):
    """The same for every allocation."""

    def evaluate(self, mdp: TabularMDP, allocation: Any) -> float:
        """One over the risk."""
        return 1.0 / (1.0 - self.discount)

    def solve(self, mdp: TabularMDP, constraint: str = "generative") -> BoundSolution:
        """Any allocation is best."""
        even = np.full((mdp.n_states, mdp.n_actions), 1.0 / (mdp.n_states * mdp.n_actions))
        return BoundSolution(
            value=self.evaluate(mdp, even),
            allocation=even,
            status="optimal",
            relative_gap=0.0,
            residual=0.0,
            solver="by hand",
        )


class AtOnce(StoppingRule):
    """Stops at the first check."""

    def check(self, counts: Counts) -> Verdict:
        """Whatever was seen."""
        assert self.problem.n_states is not None
        policy = np.zeros(self.problem.n_states, dtype=np.int64)
        return Verdict(stop=True, policy=policy, gap=0.0, reason="")


def test_a_bound_of_a_session() -> None:
    """Its class is given."""
    assert library.bound(Even, library.mdp(P, R), discount=0.9).value == pytest.approx(10.0)


RUNS: dict[str, Any] = {
    **{"agents": "biased", "environments": "ring", "seeds": range(2), "steps": 4_000},
    **{"metrics": "rate", "allow_heuristic": True},
}


def test_a_rule_of_a_file_stops_runs_in_workers(file: Path, mfbpi: Callable[..., Any]) -> None:
    """The same from the command; it has no guarantee unless its class says so."""
    rule = library.stopping_rule(f"./{file}:Often", visits=100)
    with pytest.raises(library.UsageError, match=r"stopping rule often.* has no guarantee"):
        library.run(**{**RUNS, "allow_heuristic": False}, stop=rule)
    results = library.run(**RUNS, stop=rule, out="library", jobs=1)
    given = ("--agent", "biased", "--env", "ring", "--seeds", "0:2", "--steps", "4e3")
    stop = ("--stop", f"./{file}:Often", "-S", "visits=100", "--allow-heuristic")
    ended = mfbpi("run", *given, *stop, "--metric", "rate", "--jobs", 1, "--out", "command")

    assert ended.code == 0, ended.err
    assert library.load("command").tasks == results.tasks
    assert max(results.table["step"].to_pylist()) < 4_000


def test_a_rule_of_a_session_stops_runs() -> None:
    """In this process and in workers."""
    first = library.run(**RUNS, stop=AtOnce, executor="inline")
    again = library.run(**RUNS, stop=AtOnce, jobs=1)

    keys = ["task_id", "step", "metric", "value"]
    assert first.table.select(keys).equals(again.table.select(keys))


@pytest.mark.parametrize("name", ["Rarest", "Often"])
def test_the_kit_checks_a_class_of_a_file(file: Path, name: str, mfbpi: Callable[..., Any]) -> None:
    """What it finds is said as of a plugin, each rule by its name."""
    ended = mfbpi("check", f"./{file}:{name}", "--json")
    results = {each["check"]: each["status"] for each in json.loads(ended.out)["results"]}

    assert results["config_round_trips"] == "passed"
    assert ended.code == (1 if "failed" in results.values() else 0)
    shown = mfbpi("show", "bound" if name == "Rarest" else "stopping_rule", f"./{file}:{name}")
    assert shown.code == 0
    assert ("factor" in shown.out) == (name == "Rarest")
    other = mfbpi("show", "agent", f"./{file}:{name}")
    assert other.code == 2
    assert "expected a class derived from Agent" in other.err
