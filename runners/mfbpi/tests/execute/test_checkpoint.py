"""Checkpoints: trees to files and back, and runs that go on inside."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import mfbpi
from mfbpi.execute.saving import encoding
from mfbpi.execute.saving.checkpoint import Checkpoints, Saver
from mfbpi.execute.working.worker import run_task
from mfbpi.plan.grid import TaskPlan
from mfbpi.results.storage import table
from mfbpi.results.storage.directory import CHECKPOINTS, Store
from mfbpi_core.contracts.agent import Agent
from mfbpi_core.contracts.executor import Outcome
from mfbpi_core.data.task import Task
from mfbpi_core.errors import CheckpointError, MfbpiWarning, SolverError

PlanOf = Callable[..., TaskPlan]


@pytest.fixture
def task(plan_of: PlanOf) -> Task:
    """The biased agent on the ring, seed 0."""
    return plan_of(metrics=("rate", "noise")).tasks[0]


def test_tree_comes_back_as_it_was() -> None:
    """Containers, keys that are no texts, special numbers, arrays and numpy's numbers."""
    tree = {
        "a": [1, 2.5, None, True, "text", (1, (2,))],
        3: {"inf": float("inf"), "big": 2**200},
        "array": np.arange(6, dtype=np.int32).reshape(2, 3),
        "empty": np.zeros((0, 2), dtype=np.bool_),
        "number": np.float32(0.1),
    }

    back = encoding.from_bytes(encoding.to_bytes(tree))

    assert back["a"] == tree["a"]
    assert back[3] == tree[3]
    assert type(back["number"]) is np.float32
    for name in ("array", "empty"):
        np.testing.assert_array_equal(back[name], tree[name])
        assert back[name].dtype == tree[name].dtype


@pytest.mark.parametrize(
    "generator",
    [
        np.random.default_rng(3),
        np.random.Generator(np.random.MT19937(3)),
        np.random.RandomState(3),
        np.random.RandomState(np.random.PCG64(3)),
    ],
    ids=["PCG64", "MT19937", "RandomState", "RandomState over PCG64"],
)
def test_generators_go_on(generator: Any) -> None:
    """The copy draws what the original draws next."""
    generator.normal(size=3)

    back = encoding.from_bytes(encoding.to_bytes([generator]))[0]

    np.testing.assert_array_equal(back.normal(size=5), generator.normal(size=5))


def test_what_cannot_be_saved_is_named() -> None:
    """The message says which type it is, and where."""
    with pytest.raises(CheckpointError, match=r"a set at \.agent\.seen\[1\]; expected plain data"):
        encoding.to_bytes({"agent": {"seen": [0, {1}]}})


def rows(outcome: Outcome, tmp_path: Path) -> list[dict[str, Any]]:
    """The rows of a task, but for the time they took."""
    assert outcome.status == "done", outcome.error
    file = tmp_path / "rows.parquet"
    file.write_bytes(outcome.tables[".parquet"])
    return table.read(file).drop_columns(["elapsed_s"]).to_pylist()


def planted(directory: Path, task: Task, content: bytes) -> None:
    """Put a file where the task's checkpoint is looked for."""
    path = Store(directory).checkpoint(task.task_id)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)


def interrupted(task: Task, directory: Path, monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Run the task and fail after so many evaluations, each of which is saved."""
    measured, left = Saver.measured, [after]

    def failing(self: Saver, run: Any, rows: Any) -> None:
        measured(self, run, rows)
        left[0] -= 1
        if left[0] == 0:
            raise RuntimeError("killed")

    with monkeypatch.context() as patch:
        patch.setattr(Saver, "measured", failing)
        outcome = run_task(task.to_json(), Checkpoints(directory=directory, every_s=0, resume=True))
    assert "killed" in outcome.error


@pytest.mark.parametrize("after", [1, 2, 3])
def test_resumed_run_equals_an_uninterrupted_one(
    after: int, task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever it was cut: row for row, bit for bit."""
    whole = rows(run_task(task.to_json()), tmp_path)
    interrupted(task, tmp_path, monkeypatch, after)
    assert Store(tmp_path).checkpoint(task.task_id).exists()

    resumed = run_task(task.to_json(), Checkpoints(directory=tmp_path, every_s=1e9, resume=True))

    assert rows(resumed, tmp_path) == whole


def test_overwriting_ignores_a_checkpoint(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without resume the run starts at its start, whatever lies there."""
    planted(tmp_path, task, b"nonsense")

    fresh = run_task(task.to_json(), Checkpoints(directory=tmp_path, every_s=1e9, resume=False))

    assert rows(fresh, tmp_path) == rows(run_task(task.to_json()), tmp_path)


def test_unusable_checkpoint_is_said_and_not_used(task: Task, tmp_path: Path) -> None:
    """The task starts again from its beginning, and the file says so too."""
    planted(tmp_path, task, b"nonsense")

    places = Checkpoints(directory=tmp_path, every_s=1e9, resume=True)
    with pytest.warns(MfbpiWarning) as said:
        outcome = run_task(task.to_json(), places)

    assert rows(outcome, tmp_path) == rows(run_task(task.to_json()), tmp_path)
    [line] = [str(warning.message) for warning in said]
    assert line.startswith("biased on ring, seed 0 starts again from its beginning: the")
    assert f"{task.task_id}.npz cannot be used" in line
    content = pq.read_table(io.BytesIO(outcome.tables[".parquet"]))
    assert "cannot be used" in table.provenance(content)["not_resumed"]
    assert str(tmp_path) not in table.provenance(content)["not_resumed"]


def test_run_that_cannot_be_saved_goes_on(task: Task, tmp_path: Path, monkeypatch: Any) -> None:
    """An agent may hold what no file can: its run ends without a checkpoint, and says why."""
    monkeypatch.setattr(
        "mfbpi_core.contracts.agent.Agent.state_dict", lambda self: {"held": {1, 2}}
    )

    with pytest.warns(MfbpiWarning, match=r"goes on without being saved: .* a set at \.run"):
        outcome = run_task(task.to_json(), Checkpoints(directory=tmp_path, every_s=0, resume=True))

    assert outcome.status == "done"
    content = pq.read_table(io.BytesIO(outcome.tables[".parquet"]))
    assert "a set at .run" in table.provenance(content)["checkpoint_problem"]
    assert not Store(tmp_path).checkpoint(task.task_id).exists()


class Dice(np.random.Generator):
    """A generator with a method of its own, which numpy copies as one without it."""

    def roll(self) -> int:
        """One to six."""
        return int(self.integers(1, 7))


def test_run_with_a_generator_of_its_own_class_goes_on(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends as one does whose agent holds anything else that no file can."""
    expected, made = rows(run_task(task.to_json()), tmp_path), Agent.__init__

    def holding(self: Any, *args: Any) -> None:
        made(self, *args)
        self.dice = [Dice(np.random.PCG64(1))]

    monkeypatch.setattr(Agent, "__init__", holding)
    places = Checkpoints(directory=tmp_path, every_s=0, resume=True)
    with pytest.warns(MfbpiWarning, match=r"goes on without being saved: .*\.Dice at \w+\.dice\[0"):
        outcome = run_task(task.to_json(), places)

    assert outcome.status == "done"
    assert rows(outcome, tmp_path) == expected
    content = pq.read_table(io.BytesIO(outcome.tables[".parquet"]))
    assert "Dice at " in table.provenance(content)["checkpoint_problem"]
    assert not Store(tmp_path).checkpoint(task.task_id).exists()


@pytest.mark.parametrize("saved", ["on its way", "in the end"])
def test_an_agent_that_cannot_go_on_fails(
    saved: str, task: Task, tmp_path: Path, monkeypatch: Any
) -> None:
    """Where it says so itself when its state is taken, its rows are worth nothing."""

    def state_dict(self: Any) -> Any:
        raise SolverError("learning left the range of float32")

    monkeypatch.setattr("mfbpi_core.contracts.agent.Agent.state_dict", state_dict)
    every_s = 0.0 if saved == "on its way" else 1e9
    places = Checkpoints(directory=tmp_path, every_s=every_s, resume=True)
    outcome = run_task(task.to_json(), places, save_agent=saved == "in the end")

    assert outcome.status == "failed"
    assert outcome.cause == "SolverError: learning left the range of float32"


def test_finished_runs_leave_no_checkpoint(toy_run: Callable[..., Any]) -> None:
    """The driver removes it when the rows are written."""
    ended = toy_run("--out", "x", "--checkpoint-every", "0.000001")

    assert ended.code == 0
    assert not list(Path("x", CHECKPOINTS).iterdir())


def test_checkpoints_elsewhere(task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a directory of their own, which may be a link; a run goes on from there and tidies up."""
    (tmp_path / "fast").mkdir()
    (tmp_path / "scratch").symlink_to(tmp_path / "fast")
    monkeypatch.chdir(tmp_path)
    scratch, few = Path("scratch"), ("plain", "ring", range(2))
    killed = Store(Path("x"), elsewhere=scratch).checkpoint
    with monkeypatch.context() as patch:
        patch.setattr(Saver, "measured", _saved_and_killed(Saver.measured))
        with pytest.warns(mfbpi.MfbpiWarning, match="2 of 2 runs"):
            failed = mfbpi.run(
                *few, out="x", checkpoint_dir=scratch, checkpoint_every=1e-9, **INLINE
            )
    saved = [killed(each.task.task_id) for each in failed.failures]

    assert len(saved) == 2
    assert all(path.exists() and path.is_relative_to(scratch) for path in saved)
    assert not Path("x/_checkpoints").exists()
    resumed = mfbpi.run(*few, out="x", checkpoint_dir=scratch, if_exists="resume", **INLINE)
    assert len(resumed.tasks) == 2
    assert not any(path.exists() for path in saved)


INLINE: dict[str, Any] = {"executor": "inline"}


def _saved_and_killed(measured: Callable[..., None]) -> Callable[..., None]:
    def failing(self: Saver, run: Any, rows: Any) -> None:
        measured(self, run, rows)
        raise RuntimeError("killed")

    return failing
