"""Seeds of a deep agent that run together give the rows that they give on their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mfbpi_core.experiment import RunSettings
from mfbpi_core.registry import Registry
from mfbpi_core.task import Task
from mfbpi_core.types import Outcome
from mfbpi_run import choices, plan, table, together
from mfbpi_run.checkpoint import Checkpoints, Saver
from mfbpi_run.cli import main
from mfbpi_run.store import CHECKPOINT, Store
from mfbpi_run.worker import run_task

AGENTS = ("dbmf_bpi", "bsp", "bsp2", "ids")
#: With their settings: the smallest DeepSea that still slips, and short stretches of cartpole.
ENVIRONMENTS = {"slipping_deep_sea": ["size=4"], "cartpole_swingup": []}


def work_of(agent: str, environment: str) -> together.Together:
    """Three seeds of a small agent."""
    registry = Registry.discover()
    made = plan.make(
        registry,
        choices.agents(registry, [agent], ["hidden=16", "ensemble_size=5"]),
        choices.environments(registry, [environment], ENVIRONMENTS[environment]),
        RunSettings(steps=280, eval_every=70, seeds="3:6", metrics=("visit_entropy",)),
    )
    (work,) = together.grouped(registry, made.tasks, replicas=3)
    assert isinstance(work, together.Together)
    return work


def rows(outcome: Outcome, directory: Path) -> list[dict[str, Any]]:
    """The rows of a task, but for the time they took."""
    assert outcome.status == "done", outcome.error
    file = directory / "rows.parquet"
    file.write_bytes(outcome.tables[".parquet"])
    return table.read(file).drop_columns(["elapsed_s"]).to_pylist()


def ran(work: together.Together, *args: Any) -> list[tuple[Task, Outcome]]:
    """The tasks, each with its outcome."""
    return together.separated(work, run_task(work.to_json(), *args))


@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize("agent", AGENTS)
def test_rows_are_those_of_seeds_on_their_own(agent: str, environment: str, tmp_path: Path) -> None:
    """The same rows of all three, up to rounding."""
    for task, outcome in ran(work_of(agent, environment)):
        alone = rows(run_task(task.to_json()), tmp_path)
        found = rows(outcome, tmp_path)
        assert len(found) == 4
        for row, expected in zip(found, alone, strict=True):
            assert row == {**expected, "value": pytest.approx(expected["value"], rel=1e-9)}


def test_killed_together_goes_on_bit_for_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One checkpoint holds all replicas."""
    work = work_of("dbmf_bpi", "slipping_deep_sea")
    whole = [rows(outcome, tmp_path) for _, outcome in ran(work)]
    measured, left = Saver.measured, [3]

    def failing(self: Saver, run: Any, so_far: Any) -> None:
        measured(self, run, so_far)
        left[0] -= 1
        if left[0] == 0:
            raise RuntimeError("killed")

    with monkeypatch.context() as patch:
        patch.setattr(Saver, "measured", failing)
        cut = ran(work, Checkpoints(directory=tmp_path, every_s=0, resume=True))
    assert all("killed" in outcome.error for _, outcome in cut)
    assert Store(tmp_path).path(work.task_id, CHECKPOINT).exists()

    resumed = ran(work, Checkpoints(directory=tmp_path, every_s=1e9, resume=True))

    assert [rows(outcome, tmp_path) for _, outcome in resumed] == whole


def test_from_the_command_line(tmp_path: Path) -> None:
    """`--replicas` divides the seeds; the files are those of single runs and name their number."""
    command = ["run", "--agent", "bsp", "--env", "slipping_deep_sea", "-E", "size=3"]
    command += ["--steps", "150", "--metric", "deep_sea", "--seeds", "0:3", "--quiet"]
    command += ["--executor", "serial", "--checkpoint-every", "0.001"]
    for out, replicas in (("alone", "1"), ("together", "2")):
        where = ["--out", str(tmp_path / out), "--replicas", replicas]
        assert main([*command, *where]) == 0

    names = sorted(path.name for path in (tmp_path / "alone").iterdir())
    assert sorted(path.name for path in (tmp_path / "together").iterdir()) == names
    found = {}
    for path in (tmp_path / "together").glob("*.parquet"):
        content = table.read(path)
        found[content["seed"][0].as_py()] = table.provenance(content)["replicas"]
        alone = table.read(tmp_path / "alone" / path.name).drop_columns(["elapsed_s"])
        assert content.drop_columns(["elapsed_s"]).equals(alone)
    assert found == {0: 2, 1: 2, 2: 1}
