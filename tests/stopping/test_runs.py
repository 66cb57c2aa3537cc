"""Runs that a rule may stop: the same step, rows and certificate however they are carried out."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import mfbpi
from mfbpi.execute.saving.checkpoint import Saver
from mfbpi_core import PluginRef, Registry, Task
from mfbpi_run import cli

#: A river that a uniform agent has certified up to 3 after some 4,000 steps.
RIVER: dict[str, Any] = {
    "agents": "uniform",
    "environments": mfbpi.environment("riverswim", n_states=3),
    "discount": 0.9,
    "steps": 20_000,
    "stop": "kl_box",
    "epsilon": 3.0,
    "executor": "serial",
    "metrics": "visit_entropy",
}


def run(out: Path, **changes: Any) -> mfbpi.Results:
    """The river, with changes."""
    return mfbpi.run(**{**RIVER, "seeds": range(2), "eval_every": 1_000, "out": out, **changes})


def rows(results: mfbpi.Results, *, of: tuple[str, ...]) -> list[tuple[Any, ...]]:
    """The rows of some metrics, without the time that they took."""
    columns = ("env", "seed", "step", "metric", "value")
    found = zip(*(results.table[name].to_pylist() for name in columns), strict=True)
    return sorted(row for row in found if row[3] in of)


RULE = ("certified_gap", "stopping_time", "correct", "value_loss")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> mfbpi.Results:
    """The river, evaluated every 1,000 steps in this process."""
    return run(tmp_path_factory.mktemp("plain") / "out")


def test_runs_stop_before_their_horizon(plain: mfbpi.Results) -> None:
    """Each has a stopping time, a certified gap at each check, and the truth beside it."""
    told = rows(plain, of=RULE)
    times = {row[1]: row[4] for row in told if row[3] == "stopping_time"}
    gaps = [row for row in told if row[3] == "certified_gap"]

    assert times.keys() == {0, 1}
    assert all(100 <= time < 20_000 for time in times.values())
    assert gaps[0][2] == 100
    assert all(row[4] <= 3.0 for row in gaps if row[2] == times[row[1]])
    assert {row[4] for row in told if row[3] == "correct"} == {1.0}
    assert {row[2] for row in rows(plain, of=("visit_entropy",)) if row[1] == 0} >= {times[0]}


@pytest.mark.parametrize(
    "changes",
    [{"eval_every": 77}, {"executor": "process", "jobs": 2}, {"metrics": "t_visit"}],
    ids=["eval_every", "jobs", "metrics"],
)
def test_nothing_else_changes_what_the_rule_says(
    plain: mfbpi.Results, tmp_path: Path, changes: dict[str, Any]
) -> None:
    """Neither the evaluation interval nor the workers nor the metrics, bit for bit."""
    other = run(tmp_path / "out", **changes)

    assert rows(other, of=RULE) == rows(plain, of=RULE)


def test_certificates_are_valid(plain: mfbpi.Results) -> None:
    """Each stopped run has one, which the verifier accepts, and which says how to run it again."""
    for task in plain.tasks:
        path = plain.certificate(task)
        assert path is not None
        assert mfbpi.verify(path).valid
        assert json.loads(path.read_text())["task"]["seed"] == task.seed


def test_a_reader_finds_rows_alone(plain: mfbpi.Results) -> None:
    """Certificates lie in a folder that readers leave out; how a run ended is in its metadata."""
    assert len(list(plain.directory.glob("*.parquet"))) == 2
    metadata = pq.read_schema(next(plain.directory.glob("*.parquet"))).metadata
    origin = json.loads(next(iter(metadata.values())))["stopping"]
    assert origin["status"] == "stopped"
    assert len(origin["policy"]) == 3
    assert origin["agent_policy"] == origin["policy"]  # both are the empirical model's


def test_the_loss_of_the_agents_own_policy_stands_beside_the_rules(plain: mfbpi.Results) -> None:
    """At the end of each run, where the model is known."""
    own = rows(plain, of=("agent_value_loss",))

    assert [row[4] for row in own] == [row[4] for row in rows(plain, of=("value_loss",))]
    assert len(own) == 2


def test_shares_that_have_stopped_are_drawn(plain: mfbpi.Results) -> None:
    """Stopping times are a figure of their own, and no score."""
    assert "stops" in plain.plot().figures
    assert set(plain.plot(metrics=["stopping_time"]).figures) == {"stops"}


def test_censored_runs_have_no_stopping_time(tmp_path: Path) -> None:
    """A run that reaches its horizon has gaps, and neither a stopping time nor a certificate."""
    results = run(tmp_path / "out", steps=500)

    assert {row[3] for row in rows(results, of=RULE)} >= {"certified_gap"}
    assert rows(results, of=("stopping_time",)) == []
    assert results.certificate(results.tasks[0]) is None


def test_a_killed_run_goes_on_to_the_same_end(
    plain: mfbpi.Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Resumed from a checkpoint in its middle, a run stops at the same step with the same rows."""
    saved = Saver.measured

    def killed(self: Saver, *arguments: Any) -> None:
        saved(self, *arguments)
        if arguments[0].run.interaction.step >= 2_000:
            raise RuntimeError("killed")

    monkeypatch.setattr(Saver, "measured", killed)
    with pytest.warns(mfbpi.MfbpiWarning, match="1 of 1 runs .*RuntimeError"):
        assert run(tmp_path / "out", seeds=0, checkpoint_every=1e-9).failures
    monkeypatch.undo()
    resumed = run(tmp_path / "out", seeds=0, if_exists="resume", checkpoint_every=1e-9)

    expected = [row for row in rows(plain, of=RULE) if row[1] == 0]
    assert rows(resumed, of=RULE) == expected
    assert mfbpi.verify(resumed.certificate(resumed.tasks[0])).valid


def test_tasks_without_a_rule_keep_their_names() -> None:
    """The canonical JSON of a task says nothing of a rule that it does not have."""
    plain = PluginRef(name="a")
    task = Task(
        agent=plain, environment=plain, metrics=(), seed=0, horizon=1, eval_every=1, discount=0.9
    )

    assert "stop" not in task.to_json()
    assert task.task_id == "24b1c7a13ed330ac"
    assert Task.from_json(task.to_json()) == task


WRONG = {
    "no such rule": ({"stop": "kl_bax"}, "did you mean kl_box?"),
    "delta 0": ({"delta": 0.0}, "`delta` is 0; expected a number between 0 and 1"),
    "delta 1": ({"delta": 1.0}, "`delta` is 1; expected"),
    "epsilon": ({"epsilon": -1.0}, "`epsilon` is -1; expected a number of 0 or more"),
    "scope": ({"scope": "some"}, "`scope` is 'some'; expected one of all, visited, initial"),
    "exact": ({"epsilon": 0.0, "scope": "visited"}, "epsilon = 0 needs scope all"),
    "parameter": ({"stop": mfbpi.stopping_rule("kl_box", k=1)}, "unknown parameter 'k'"),
    "alone": ({"stop": None}, "`epsilon` without a stopping rule"),
    "arrays": ({"environments": "slipping_deep_sea", "agents": "bsp"}, "needs integer states"),
}


@pytest.mark.parametrize(("changes", "says"), WRONG.values(), ids=WRONG.keys())
def test_what_cannot_be_asked_is_refused(
    tmp_path: Path, changes: dict[str, Any], says: str
) -> None:
    """Before anything runs, with what was given and what was expected."""
    with pytest.raises(mfbpi.UsageError) as refused:
        run(tmp_path / "out", **changes)

    assert says in str(refused.value)
    assert not (tmp_path / "out").exists()


def test_rules_without_a_guarantee_have_to_be_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A heuristic stops nothing unless the user says so."""
    import attrs

    spec = Registry.discover().get("stopping_rule", "kl_box").spec
    found = Registry.get

    def heuristic(self: Registry, kind: str, name: str) -> Any:
        plugin = found(self, kind, name)
        changed = attrs.evolve(spec, guarantee="none")
        return attrs.evolve(plugin, spec=changed) if kind == "stopping_rule" else plugin

    monkeypatch.setattr(Registry, "get", heuristic)
    with pytest.raises(mfbpi.UsageError, match=r"has no guarantee.*`allow_heuristic`"):
        run(tmp_path / "out")
    assert run(tmp_path / "out", allow_heuristic=True, seeds=0).found


def test_the_command_does_the_same(
    plain: mfbpi.Results, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """``mfbpi run --stop`` has the same rows; wrong usage ends with exit code 2 and two lines."""
    asked = "run --agent uniform --env riverswim -E n_states=3 --discount 0.9 --steps 20000"
    how = "--seeds 0:2 --eval-every 1000 --metric visit_entropy --executor serial --epsilon 3"
    command = [*f"{asked} {how}".split(), "--out", str(tmp_path / "out")]

    assert cli.main([*command, "--stop", "kl_box"]) == 0
    assert rows(mfbpi.load(tmp_path / "out"), of=RULE) == rows(plain, of=RULE)
    capsys.readouterr()
    assert cli.main(command) == 2
    said = capsys.readouterr().err
    assert "--epsilon without a stopping rule; choose one with --stop" in said
    assert len(said.strip().splitlines()) <= 2
