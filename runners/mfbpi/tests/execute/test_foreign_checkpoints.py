"""Checkpoints of other tasks and other versions, invented ones, and places that take none."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pyarrow.parquet as pq
import pytest

from mfbpi.execute.saving import encoding
from mfbpi.execute.saving.checkpoint import Checkpoints
from mfbpi.execute.working.worker import run_task
from mfbpi.notices import routed
from mfbpi.plan.grid import TaskPlan
from mfbpi.results.storage import provenance, table
from mfbpi.results.storage.directory import Store
from mfbpi_core.contracts.executor import Outcome
from mfbpi_core.data.task import Task
from mfbpi_core.errors import CheckpointError

PlanOf = Callable[..., TaskPlan]
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def task(plan_of: PlanOf) -> Task:
    """The biased agent on the ring, seed 0, with arrays."""
    return plan_of(metrics=("rate", "noise"), arrays=True).tasks[0]


@pytest.fixture
def path(task: Task) -> Path:
    """The checkpoint of the task, made at the end of its run."""
    run(task, every_s=0.0, resume=False)
    found = Store(Path()).checkpoint(task.task_id)
    assert found.exists()
    return found


def run(task: Task, every_s: float = 1e9, resume: bool = True) -> Outcome:
    """Run a task here, and save it in this directory."""
    with routed(_say, _say):
        places = Checkpoints(directory=Path(), every_s=every_s, resume=resume)
        return run_task(task.to_json(), places)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def tables(outcome: Outcome) -> list[Any]:
    """Rows, but for the time they took, and arrays."""
    assert outcome.status == "done", outcome.error
    rows, arrays = (
        pq.read_table(io.BytesIO(outcome.tables[suffix]))
        for suffix in (".parquet", ".arrays.parquet")
    )
    return [rows.drop_columns(["elapsed_s"]).to_pylist(), arrays.to_pylist()]


def edit(path: Path, change: Callable[[Any], Any]) -> None:
    """Change what a checkpoint holds."""
    tree = encoding.from_bytes(path.read_bytes())
    change(tree)
    path.write_bytes(encoding.to_bytes(tree))


def test_checkpoint_of_the_end_has_everything(task: Task, path: Path, capsys: Captured) -> None:
    """Killed between its last checkpoint and its end, a run still gives rows and arrays."""
    assert tables(run(task)) == tables(run_task(task.to_json()))
    assert capsys.readouterr().err == ""


def test_checkpoint_of_another_seed_is_not_used(task: Task, path: Path, capsys: Captured) -> None:
    """Under this task's name it is still another task's."""
    other = attrs.evolve(task, seed=1)
    path.rename(Store(Path()).checkpoint(other.task_id))

    assert tables(run(other)) == tables(run_task(other.to_json()))
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("biased on ring, seed 1 starts again from its beginning")
    assert line.endswith("cannot be used (it is that of another task)")


def set_step(tree: Any) -> None:
    """Step 10**9 of 60."""
    tree["run"]["interaction"]["step"] = 10**9


def add_row(*row: Any) -> Callable[[Any], None]:
    """One row more."""
    return lambda tree: tree["rows"][0].append(list(row))


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        (set_step, "its step is 1000000000; expected 0 to 60"),
        (add_row(60, 0, "reward", 1.0, 9.0), "it has rows of reward, which is not measured"),
        (add_row(80, 0, "rate", 1.0, 9.0), "the steps of its rows do not lead to step 60"),
        (add_row(40, 0, "rate", 1.0, 9.0), "it has two rows of one metric at one step"),
        (add_row(61, 0, "rate", 1.0, 9.0), "do not lead to step 60"),
        (add_row(60, 0, "rate", "1.0", 9.0), "for a row"),
        (add_row(60, 0, "rate", float("nan"), 9.0), "for a row"),
        (add_row(60, 0, "rate", True, 9.0), "for a row"),
        (add_row(60.0, 0, "rate", 1.0, 9.0), "for a row"),
        (add_row(-60, 0, "rate", 1.0, 9.0), "for a row"),
        (add_row(60, 0), "for a row"),
        (lambda tree: tree["rows"].append([]), "ValueError"),
        (lambda tree: tree.update(rows=3), "TypeError"),
        (lambda tree: tree.update(rows=[3]), "its rows are no list"),
        (lambda tree: tree.update(format=99), "it is of another version of mfbpi"),
        (lambda tree: tree.pop("versions"), "KeyError"),
        (lambda tree: tree["versions"]["libraries"].update(numpy="1.0"), "numpy 1.0 then and"),
        (lambda tree: tree["versions"]["plugins"].update({"mfbpi-toy": "0.1"}), "mfbpi-toy 0.1"),
        (
            lambda tree: tree["versions"]["made_of"].update({"/proc/kmsg": "x"}),
            "kmsg x then and not",
        ),
        (lambda tree: tree["versions"].update(made_of=["x"]), "AttributeError"),
        (lambda tree: tree["versions"]["plugins"].pop("mfbpi-toy"), "without mfbpi-toy"),
    ],
)
def test_invented_checkpoint_is_not_used(
    change: Callable[[Any], Any], cause: str, task: Task, path: Path, capsys: Captured
) -> None:
    """One sentence says what does not fit, and the run is that of its seed."""
    edit(path, change)

    assert tables(run(task)) == tables(run_task(task.to_json()))
    [line] = capsys.readouterr().err.splitlines()
    assert "starts again from its beginning" in line
    assert cause in line


def test_upgraded_plugin_starts_again(
    task: Task, path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plugin of version 0.1 before the kill and of 0.2 after it are two programs."""
    real = provenance._version
    newer = {"mfbpi-lib-statistics": "9", "numpy": "9"}
    monkeypatch.setattr(provenance, "_version", lambda name: newer.get(name, real(name)))
    run(task)

    [line] = capsys.readouterr().err.splitlines()
    assert "it was made with other versions:" in line
    assert f"numpy {np.__version__} then and 9 now" in line


@pytest.mark.parametrize("name", ["seed", "RandomState", "Generator", "test", "os"])
def test_file_names_no_code(name: str) -> None:
    """Only numpy's bit generators are made by name; anything else is never called."""
    text = json.dumps({"__mfbpi__": "generator", "state": {"__mfbpi__": "dict", "items": []}})
    planted = text.replace("[]", json.dumps([["bit_generator", name]]))
    content = io.BytesIO()
    np.savez(content, tree=np.array(planted))

    with pytest.raises(CheckpointError, match=name):
        encoding.from_bytes(content.getvalue())


@pytest.mark.parametrize("name", ["MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"])
def test_every_bit_generator_of_numpy_goes_on(name: str) -> None:
    """The copy draws what the original draws next."""
    generator = np.random.Generator(getattr(np.random, name)(3))

    (back,) = encoding.from_bytes(encoding.to_bytes([generator]))

    assert back.normal() == generator.normal()


def test_place_that_takes_no_checkpoint_is_said_once(task: Task, capsys: Captured) -> None:
    """The run goes on; the file says so too."""
    Path("_checkpoints").write_bytes(b"a file, where a folder should be")
    outcome = run(task, every_s=0.0)

    assert tables(outcome) == tables(run_task(task.to_json()))
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("biased on ring, seed 0 goes on without being saved: cannot")
    content = pq.read_table(io.BytesIO(outcome.tables[".parquet"]))
    assert "cannot write _checkpoints/" in table.provenance(content)["checkpoint_problem"]


def test_checkpoint_that_is_a_link_or_a_pipe_is_not_read(
    task: Task, path: Path, capsys: Captured
) -> None:
    """Nor waited for; and a link's target is not written to when the run is saved."""
    content = path.read_bytes()
    path.rename("elsewhere")
    path.symlink_to(Path("elsewhere").absolute())
    run(task, every_s=0.0)

    assert "it is a link; expected a regular file" in capsys.readouterr().err
    assert Path("elsewhere").read_bytes() == content
    assert not path.is_symlink()


def test_checkpoints_of_work_that_is_done_are_removed(
    path: Path, toy_run: Callable[..., Any]
) -> None:
    """A driver killed after it wrote the rows has left one behind; others stay."""
    toy_run("--out", "x")
    done = next(Path("x").glob("*.parquet")).stem
    Path("x/_checkpoints").mkdir(exist_ok=True)
    for name in (done, path.stem):
        Path(f"x/_checkpoints/{name}.npz").write_bytes(path.read_bytes())
    toy_run("--out", "x", "--if-exists", "resume")

    assert [left.stem for left in Path("x/_checkpoints").iterdir()] == [path.stem]
