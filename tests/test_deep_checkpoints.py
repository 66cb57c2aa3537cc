"""Deep agents saved in the middle of a run go on bit for bit, through a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mfbpi_core.experiment import RunSettings
from mfbpi_core.registry import Registry
from mfbpi_core.task import Task
from mfbpi_core.types import Outcome
from mfbpi_run import choices, plan, table
from mfbpi_run.checkpoint import Checkpoints, Saver
from mfbpi_run.store import CHECKPOINT
from mfbpi_run.worker import run_task


def task_of(agent: str) -> Task:
    """An agent on the smallest DeepSea that still slips, with a batch from early on."""
    registry = Registry.discover()
    made = plan.make(
        registry,
        choices.agents(registry, [agent], []),
        choices.environments(registry, ["slipping_deep_sea"], ["size=4"]),
        RunSettings(steps=360, eval_every=60, seeds="3", metrics=("deep_sea", "t_visit")),
    )
    return made.tasks[0]


def rows(outcome: Outcome, directory: Path) -> list[dict[str, Any]]:
    """The rows of a task, but for the time they took."""
    assert outcome.status == "done", outcome.error
    file = directory / "rows.parquet"
    file.write_bytes(outcome.tables[".parquet"])
    return table.read(file).drop_columns(["elapsed_s"]).to_pylist()


@pytest.mark.parametrize("agent", ["dbmf_bpi", "bsp", "bsp2", "ids"])
def test_killed_run_goes_on_bit_for_bit(
    agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Networks, moments of Adam, replay buffer, generators, environment and metrics."""
    task = task_of(agent)
    whole = rows(run_task(task.to_json()), tmp_path)
    measured, left = Saver.measured, [4]

    def failing(self: Saver, run: Any, rows: Any) -> None:
        measured(self, run, rows)
        assert not self.problem
        left[0] -= 1
        if left[0] == 0:
            raise RuntimeError("killed")

    with monkeypatch.context() as patch:
        patch.setattr(Saver, "measured", failing)
        cut = run_task(task.to_json(), Checkpoints(directory=tmp_path, every_s=0, resume=True))
    assert "killed" in cut.error
    assert (tmp_path / f"{task.task_id}{CHECKPOINT}").exists()

    resumed = run_task(task.to_json(), Checkpoints(directory=tmp_path, every_s=1e9, resume=True))

    assert rows(resumed, tmp_path) == whole
