"""One task, rebuilt from its JSON."""

from __future__ import annotations

import getpass
import io
import json
import platform
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mfbpi.execute.working.worker import run_task
from mfbpi.plan.grid import TaskPlan
from mfbpi.results.storage import provenance, table
from mfbpi_core.contracts.executor import Outcome
from mfbpi_core.data.task import Task

PlanOf = Callable[..., TaskPlan]


@pytest.fixture
def task(plan_of: PlanOf) -> Task:
    """The biased agent on the ring, seed 0, with every metric that may apply there."""
    return plan_of(metrics=("rate", "noise", "aim"), arrays=True).tasks[0]


def table_of(outcome: Outcome, suffix: str = ".parquet") -> pa.Table:
    """One of the outcome's tables."""
    assert outcome.status == "done", outcome.error
    return pq.read_table(io.BytesIO(outcome.tables[suffix]))


def rows_of(task: Task) -> list[dict[str, Any]]:
    """The rows of a task but for the time that they took."""
    return table_of(run_task(task.to_json())).drop_columns(["elapsed_s"]).to_pylist()


def test_rows_start_at_zero_and_end_at_the_horizon(task: Task) -> None:
    """The last row is at the horizon even where the interval does not divide it."""
    rows = rows_of(attrs.evolve(task, horizon=50))

    assert [row["step"] for row in rows if row["metric"] == "noise"] == [0, 20, 40, 50]
    assert [row["step"] for row in rows if row["metric"] == "rate"] == [20, 40, 50]


def test_poisoned_global_generators_change_nothing(task: Task) -> None:
    """Neither numpy's nor Python's generator is used, or touched."""
    before = rows_of(task)
    np.random.seed(123)  # noqa: NPY002 - the generator under test
    state = np.random.get_state()[1].copy()  # type: ignore[index]  # noqa: NPY002

    assert rows_of(task) == before
    assert (np.random.get_state()[1] == state).all()  # type: ignore[index]  # noqa: NPY002


def test_common_steps_agree_for_any_evaluation_interval(task: Task) -> None:
    """Evaluating more often changes no number."""
    often = rows_of(attrs.evolve(task, eval_every=5))
    seldom = rows_of(attrs.evolve(task, eval_every=20))
    common = {(row["step"], row["metric"]): row["value"] for row in often}

    assert len(often) > len(seldom)
    for row in seldom:
        assert common[row["step"], row["metric"]] == row["value"]


def test_seeds_differ(task: Task) -> None:
    """Another seed is another run."""
    values = [[row["value"] for row in rows_of(attrs.evolve(task, seed=seed))] for seed in range(4)]

    assert len({tuple(each) for each in values}) == 4


def test_two_agents_meet_the_same_environment_noise(task: Task, plan_of: PlanOf) -> None:
    """Rewards on the ring do not depend on the action, so the rates agree."""
    other = plan_of(agents=("plain",)).tasks[0]
    rates = [
        [row["value"] for row in rows_of(each) if row["metric"] == "rate"] for each in (task, other)
    ]

    assert rates[0] == rates[1]


def test_skipped_metric_has_its_reason(task: Task) -> None:
    """What does not apply has no rows, and the file says why."""
    outcome = run_task(task.to_json())
    origin = table.provenance(table_of(outcome))

    assert "aim" not in table_of(outcome).column("metric").to_pylist()
    assert "allocation" in origin["skipped_metrics"]["aim"]
    assert "pixels" in origin["skipped_metrics"]["deep"]


def test_provenance_says_where_the_numbers_come_from(task: Task) -> None:
    """The task, versions, platform and durations, whose parts sum to at most the total."""
    origin = table.provenance(table_of(run_task(task.to_json())))
    durations = origin["durations"]

    assert Task.from_json(json.dumps(origin["task"])) == task
    assert origin["plugins"]["mfbpi-toy"] == "1.0"
    assert {"mfbpi-core", "mfbpi-run"} <= origin["plugins"].keys()
    assert {"numpy", "pyarrow", "python"} <= origin["libraries"].keys()
    assert set(origin["platform"]) == {"system", "machine", "implementation"}
    assert set(origin["git"]) == {"commit", "dirty"}
    assert all(seconds >= 0.0 for seconds in durations.values())
    assert durations["learning_s"] + durations["metrics_s"] <= durations["total_s"]


def test_nothing_names_the_host_or_a_path(task: Task) -> None:
    """No host name, no user name, no absolute path, in the metadata or anywhere in the file."""
    content = run_task(task.to_json()).tables[".parquet"]
    origin = str(table.provenance(pq.read_table(io.BytesIO(content))))

    assert platform.node().encode() not in content
    assert str(Path.cwd()).encode() not in content
    assert str(Path.home()).encode() + b"/" not in content
    assert f"'{getpass.getuser()}'" not in origin


def test_arrays_are_kept_on_request(task: Task) -> None:
    """In a table of their own; without the request there is none."""
    kept = table_of(run_task(task.to_json()), ".arrays.parquet")
    without = run_task(attrs.evolve(task, arrays=False).to_json())

    assert kept.column("array").to_pylist() == ["rewards"]
    assert kept.column("shape").to_pylist() == [[1, 60]]
    assert set(without.tables) == {".parquet"}


def test_task_that_raises_gives_a_failed_outcome(plan_of: PlanOf) -> None:
    """With the traceback, and without a path in it."""
    outcome = run_task(plan_of(agent_settings=("fail_at_seed=0",)).tasks[0].to_json())

    assert outcome.status == "failed"
    assert outcome.error.startswith("Traceback")
    assert "agent biased of mfbpi-toy 1.0" in outcome.error
    assert "seed 0 fails, see notes.txt" in outcome.error
    assert "somebody" not in outcome.error
    assert '"/' not in outcome.error


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('File "/usr/lib/x/y.py"', 'File "y.py"'),
        ("open('/data/me/x.csv')", "open('x.csv')"),
        ("see https://example.org/a/b", "see https://example.org/a/b"),
        ("a ratio of 3/4 or mfbpi_run/x.py", "a ratio of 3/4 or mfbpi_run/x.py"),
    ],
)
def test_paths_are_made_relative(text: str, expected: str) -> None:
    """Absolute paths shrink to a name; what only looks like one stays."""
    assert provenance.without_paths(text) == expected


def test_revision_is_the_commit_of_the_source_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And whether it was changed since; nothing is claimed for files that git does not track."""
    folder = tmp_path / "tree"
    folder.mkdir()
    source = folder / "__init__.py"
    source.write_text("x = 1\n")

    def git(*arguments: str) -> str:
        identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
        command = ["git", "-C", str(folder), *identity, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    monkeypatch.setattr(provenance, "mfbpi_core", SimpleNamespace(__file__=str(source)))
    revision = provenance.revision.__wrapped__
    git("init")
    assert dict(revision()) == {"commit": None, "dirty": None}
    git("add", "__init__.py")
    git("commit", "-m", "first")
    assert dict(revision()) == {"commit": git("rev-parse", "HEAD"), "dirty": False}
    source.write_text("x = 2\n")
    assert dict(revision()) == {"commit": git("rev-parse", "HEAD"), "dirty": True}
