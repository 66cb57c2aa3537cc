"""Bounds and stopping rules without packaging, in files and of this session."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import attrs
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
    assert re.fullmatch("my_judges.py#[0-9a-f]{16}", told["origin"])
    shown = mfbpi("bound", *given, "--mdp", "two.npz", "--discount", "0.9").out
    assert f"; bound of {told['origin']}; by hand." in shown
    installed = mfbpi("bound", "--bound", "u0", "--env", "riverswim")
    assert re.search("; bound of mfbpi-bound-u0 [0-9.]+; ", installed.out)


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


class Vague(AtOnce):
    """Says to stop in words."""

    stop: Any = "no"

    def check(self, counts: Counts) -> Verdict:
        """The word."""
        return attrs.evolve(super().check(counts), stop=self.stop)


class OfNumpy(Vague):
    """Says to stop as numpy does."""

    stop = np.bool_(1)


def test_whether_to_stop_is_a_bool() -> None:
    """A word is refused wherever a rule is asked; numpy's are as good as Python's."""
    with pytest.warns(library.MfbpiWarning, match="2 of 2 runs of biased on ring failed"):
        failed = library.run(**RUNS, stop=Vague, executor="inline")
    assert len(failed.failures) == 2
    assert "stop='no'; expected True or False" in failed.failures[0].cause
    who = {"agent": "uniform", "environment": "riverswim", "steps": 200, "replicas": 1}
    with pytest.raises(library.UsageError, match=r"rule vague of .*stop='no'; expected True or"):
        library.audit(stop=Vague, **who)

    assert library.audit(stop=OfNumpy, **who).stopped == 1
    assert library.run(**RUNS, stop=OfNumpy, executor="inline").failures == ()


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


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"guarantee": "proved"}, "guarantee is 'proved'; expected one of 'eps-delta', 'delta-ex"),
        ({"guarantee": 3}, "guarantee is 3; expected one of 'eps-delta'"),
        ({"exact": "no"}, "exact is 'no'; expected True or False"),
    ],
)
def test_what_a_rule_declares_is_checked(declared: dict[str, object], message: str) -> None:
    """Before anything runs."""
    rule = type("Declared", (AtOnce,), declared)
    with pytest.raises(library.UsageError, match=rf"session:Declared: StoppingRuleSpec\.{message}"):
        library.run(**RUNS, stop=rule)


@pytest.mark.parametrize("command", [("run",), ("show", "stopping_rule"), ("check",)])
def test_what_a_rule_of_a_file_declares_is_checked(
    file: Path, command: tuple[str, ...], mfbpi: Callable[..., Any]
) -> None:
    """By every command."""
    file.write_text(FILE.replace('guarantee = "none"', 'guarantee = "proved"'))
    given = (*command, f"./{file}:Often")
    if command == ("run",):
        given = ("run", "--agent", "biased", "--env", "ring", "--stop", f"./{file}:Often")
    ended = mfbpi(*given)

    assert ended.code == 2
    assert (
        "my_judges.py:Often: StoppingRuleSpec.guarantee is 'proved'; expected one of" in ended.err
    )


def test_a_run_has_one_rule_and_one_executor() -> None:
    """Several are refused by name."""
    with pytest.raises(library.UsageError, match="`stop` has at_once, kl_box; expected one"):
        library.run(**RUNS, stop=[AtOnce, "kl_box"])
    with pytest.raises(library.UsageError, match="`executor` has serial, inline; expected one"):
        library.run("biased", "ring", seeds=0, steps=10, executor=["serial", "inline"])


class Escaping(AtOnce):
    """Writes its certificate where it likes."""

    files: ClassVar[Any] = {"": b"{}", "../../../evil": b"x"}

    def certificate(self, *_given: Any, **_named: Any) -> dict[str, bytes]:
        """The files."""
        found: dict[str, bytes] = self.files
        return found


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (Escaping.files, r"certificate names a file '\.\./\.\./\.\./evil'; expected '' for the"),
        ({3: b""}, "certificate names a file 3; expected ''"),
        ({"": "text"}, "certificate returned 'text' for the file ''; expected bytes"),
        (None, "certificate returned None; expected a dict"),
    ],
)
def test_odd_files_of_a_certificate_fail_their_task_alone(files: Any, message: str) -> None:
    """The others go on."""
    rule = type("Escapes", (Escaping,), {"files": files})
    with pytest.warns(library.MfbpiWarning, match="2 of 2 runs of biased on ring failed"):
        results = library.run(**RUNS, stop=rule, executor="inline")

    for each in results.failures:
        assert re.search(rf"PluginError: stopping_rule escapes of .*: {message}", each.cause)
