"""Bounds without packaging that others follow, what they return, and what judged a run again."""

from __future__ import annotations

import json
import re
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
            relative_gap=0.0, residual=1.0, solver="by hand",
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
            residual=1.0,  # of whatever walk
            solver="by hand",
        )


class AtOnce(StoppingRule):
    """Stops at the first check."""

    def check(self, counts: Counts) -> Verdict:
        """Whatever was seen."""
        assert self.problem.n_states is not None
        policy = np.zeros(self.problem.n_states, dtype=np.int64)
        return Verdict(stop=True, policy=policy, gap=0.0, reason="")


class Raises(Even):
    """What nobody expects."""

    def solve(self, mdp: TabularMDP, constraint: str = "generative") -> BoundSolution:
        """Nothing."""
        raise ValueError("boom")


class Nothing(Even):
    """No number."""

    def evaluate(self, mdp: TabularMDP, allocation: Any) -> float:
        """Not that of the optimum."""
        return float("nan")


@pytest.mark.parametrize(
    ("given", "message"),
    [(Raises, r"ValueError\('boom'\)"), (Nothing, "solve returned the value nan")],
)
def test_what_a_bound_returns_is_checked(given: type[Bound], message: str) -> None:
    """The message says whose it is."""
    name = given.__name__.lower()
    with pytest.raises(library.UsageError, match=rf"bound {name} of session#\w+: {message}"):
        library.bound(given, library.mdp(P, R), discount=0.9)
    with pytest.raises(library.UsageError, match=r"bound nothing of .*evaluate returned nan; exp"):
        library.bound(Nothing, library.mdp(P, R), discount=0.9, allocation="uniform")


EXPLORER = '''
from mfbpi_core import Agent


class Dice(Agent):
    """Any action."""

    def select_action(self, observation):
        return int(self.rng.integers(self.problem.n_actions))

    def update(self, transition):
        pass

    def recommend(self, observation):
        return 0
'''


def test_an_audit_of_classes_of_a_file(file: Path, mfbpi: Callable[..., Any]) -> None:
    """Rule and agent, with parameters; the same from the command."""
    Path("my_agents.py").write_text(EXPLORER)
    who, how = ("--agent", "./my_agents.py:Dice"), ("--replicas", 2, "--steps", 400, "--json")
    rule = ("--stop", f"./{file}:Often", "-S", "visits=2")
    ended = mfbpi("audit", *rule, *who, "--env", "riverswim", *how)
    assert ended.code in (0, 1), ended.err
    found = library.audit(
        stop=library.stopping_rule(f"./{file}:Often", visits=2),
        agent="./my_agents.py:Dice",
        environment="riverswim",
        replicas=2,
        steps=400,
    )

    told = json.loads(ended.out)
    assert (told["stopped"], told["wrong"]["count"]) == (found.stopped, found.wrong.count)


OWN_BOUND: dict[str, Any] = {"agents": "uniform", "environments": "riverswim", "seeds": 0}


def test_a_metric_follows_a_bound_of_a_file(file: Path, mfbpi: Callable[..., Any]) -> None:
    """In workers too; the task says what it is, and not where."""
    file.write_text(
        FILE.replace("float(np.min(allocation))", "max(float(np.min(allocation)), 0.01)")
    )
    metric = library.metric("allocation", bound=f"./{file}:Rarest")
    results = library.run(**OWN_BOUND, metrics=metric, steps=50, jobs=1, out="library")
    given = ("--agent", "uniform", "--env", "riverswim", "--seeds", 0, "--steps", 50, "--jobs", 1)
    measured = ("--metric", "allocation", "-M", f"allocation.bound=./{file}:Rarest")
    ended = mfbpi("run", *given, *measured, "--out", "command")

    assert ended.code == 0, ended.err
    assert library.load("command").tasks == results.tasks
    ((metric_of_task,),) = (task.metrics for task in results.tasks)
    assert re.fullmatch(r"my_judges\.py#[0-9a-f]{16}:rarest", metric_of_task.config["bound"])
    assert "visits_bound" in results.table["metric"].to_pylist()
    path = results.files[0]
    with pytest.raises(library.UsageError, match=r"bound is my_judges.py#.*it is with `code`"):
        library.reproduce(path)
    assert library.reproduce(path, code=[f"./{file}:Rarest"]).is_same


def test_a_metric_follows_a_bound_of_a_session() -> None:
    """Its class is given as the parameter; one that is no bound is refused."""
    metric = library.metric("allocation", bound=Even)
    results = library.run(**OWN_BOUND, metrics=metric, steps=50, executor="serial")

    assert results.tasks[0].metrics[0].config["bound"].endswith(":even")
    with pytest.raises(library.UsageError, match="derived from StoppingRule; expected a class der"):
        library.run(**OWN_BOUND, metrics=library.metric("allocation", bound=AtOnce), steps=50)


def test_an_agent_is_called_after_its_own_bound(file: Path) -> None:
    """By the bound's name: where the file is says nothing of the agent."""
    agent = library.agent("mdp_nas", bound=f"./{file}:Rarest")
    results = library.run(
        **{**OWN_BOUND, "agents": agent}, metrics="value_error", steps=20, executor="serial"
    )

    assert results.tasks[0].agent.shown == "mdp_nas(bound=rarest)"


RUNS: dict[str, Any] = {
    **{"agents": "biased", "environments": "ring", "seeds": range(2), "steps": 4_000},
    **{"metrics": "rate", "allow_heuristic": True},
}


JUDGE = """
from mfbpi_core import Metric


class Rate(Metric):
    \"\"\"Steps over steps.\"\"\"

    columns = ("own_rate",)

    def measure(self, snapshot):
        return {"own_rate": 1.0}
"""


def test_what_judged_a_run_is_needed_to_reproduce_it(file: Path, mfbpi: Callable[..., Any]) -> None:
    """A rule and a metric of files: the message says how to give them."""
    Path("my_metrics.py").write_text(JUDGE)
    rule = library.stopping_rule(f"./{file}:Often", visits=100)
    asked = {**RUNS, "metrics": "./my_metrics.py:Rate", "seeds": 0}
    (path,) = library.run(**asked, stop=rule, out="x", executor="inline").files
    metric, stop = ("--code", "./my_metrics.py:Rate"), ("--code", f"./{file}:Often")

    for given, missing in (((), "metric"), (metric, "stopping_rule"), (stop, "metric")):
        ended = mfbpi("reproduce", path, *given)
        assert ended.code == 2
        assert f"the {missing} is my_" in ended.err
        assert "say where it is with --code, such as './FILE.py:CLASS'" in ended.err
    ended = mfbpi("reproduce", path, *metric, *stop)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.endswith("the same, bit for bit\n")
