"""What the summary says of solvers that failed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from mfbpi.execute.working import worker
from mfbpi.results import solver_notes
from mfbpi.results.storage import table
from mfbpi_core.data.task import PluginRef, Task

TASK = Task(
    agent=PluginRef(name="follower"),
    environment=PluginRef(name="ring"),
    metrics=(),
    seed=0,
    horizon=10,
    eval_every=5,
    discount=0.9,
)


def write(path: Path, task: Task, profile: dict[str, float] | None) -> Path:
    """A file of results without rows."""
    origin: dict[str, Any] = {"task": attrs.asdict(task)}
    if profile is not None:
        origin["agent_profile"] = profile
    path.write_bytes(table.to_bytes(table.rows_table(task, [], origin)))
    return path


def test_failures_are_added_over_seeds(tmp_path: Path) -> None:
    """One line an agent and environment; agents without failures, or solver, are left out."""
    other = attrs.evolve(TASK, agent=PluginRef(name="other"))
    files = [
        write(tmp_path / "a", TASK, {"solver_s": 1.0, "solver_runs": 40.0, "solver_failures": 2.0}),
        write(tmp_path / "b", TASK, {"solver_s": 1.0, "solver_runs": 50.0, "solver_failures": 0.0}),
        write(tmp_path / "c", other, {"solver_runs": 50.0, "solver_failures": 0.0}),
        write(tmp_path / "d", other, None),
    ]

    (line,) = solver_notes.failures(files)

    assert line.startswith("2 of 90 re-solves of follower on ring failed, in 1 of 2 runs; ")


def test_summary_of_a_run_names_them(
    toy_run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A note on standard error, whatever metrics were asked for."""
    honest = worker._Worker._provenance

    def failing(self: Any, begun: Any) -> dict[str, Any]:
        profile = {"solver_runs": 3.0, "solver_failures": 1.0}
        return honest(self, begun) | {"agent_profile": profile}

    monkeypatch.setattr(worker._Worker, "_provenance", failing)

    ended = toy_run("--seeds", 0)

    assert ended.code == 0
    assert "note: 1 of 3 re-solves of biased on ring failed, in 1 of 1 runs" in ended.err
