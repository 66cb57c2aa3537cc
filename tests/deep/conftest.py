"""Small tasks of deep agents, their rows, and a worker that is killed in the middle."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mfbpi.execute.saving.checkpoint import Checkpoints, Saver
from mfbpi.execute.working.worker import run_task
from mfbpi.plan import grid as plan
from mfbpi.plan import selection as choices
from mfbpi.results.storage import table
from mfbpi_core.contracts.executor import Outcome
from mfbpi_core.contracts.experiment import RunSettings
from mfbpi_core.data.task import Task
from mfbpi_core.plugins.registry import Registry


@pytest.fixture
def make_tasks() -> Callable[..., tuple[Task, ...]]:
    """The tasks of an agent in an environment, given their settings."""

    def make(
        agent: str,
        environment: str,
        agent_settings: tuple[str, ...] = (),
        environment_settings: tuple[str, ...] = (),
        **settings: Any,
    ) -> tuple[Task, ...]:
        registry = Registry.discover()
        made = plan.make(
            registry,
            choices.agents(registry, [agent], agent_settings),
            choices.environments(registry, [environment], environment_settings),
            RunSettings(**settings),
        )
        return made.tasks

    return make


@pytest.fixture
def rows(tmp_path: Path) -> Callable[[Outcome], list[dict[str, Any]]]:
    """The rows of a task, but for the time they took."""

    def read(outcome: Outcome) -> list[dict[str, Any]]:
        assert outcome.status == "done", outcome.error
        file = tmp_path / "rows.parquet"
        file.write_bytes(outcome.tables[".parquet"])
        return table.read(file).drop_columns(["elapsed_s"]).to_pylist()

    return read


@pytest.fixture
def killed(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Path, int], Outcome]:
    """Run work that saves itself in a directory after every evaluation, and dies after some."""

    def run(text: str, directory: Path, n_evaluations: int) -> Outcome:
        measured, left = Saver.measured, [n_evaluations]

        def failing(self: Saver, run: Any, rows: Any) -> None:
            measured(self, run, rows)
            assert not self.problem
            left[0] -= 1
            if left[0] == 0:
                raise RuntimeError("killed")

        with monkeypatch.context() as patch:
            patch.setattr(Saver, "measured", failing)
            outcome = run_task(text, Checkpoints(directory=directory, every_s=0, resume=True))
        assert "killed" in outcome.error
        return outcome

    return run


@pytest.fixture
def resumed() -> Callable[[str, Path], Outcome]:
    """Go on from what is saved in a directory."""

    def run(text: str, directory: Path) -> Outcome:
        return run_task(text, Checkpoints(directory=directory, every_s=1e9, resume=True))

    return run
