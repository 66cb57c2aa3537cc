from __future__ import annotations

from pathlib import Path
from types import ModuleType

import attrs
import pytest

from mfbpi_core import NoConfig, Task
from mfbpi_core.errors import ConfigError
from mfbpi_executor_process.executor import Process


@attrs.frozen
class Pair:
    """A task that counts as several."""

    task: Task
    n_tasks: int

    @property
    def task_id(self) -> str:
        """That of the task."""
        return self.task.task_id

    @property
    def label(self) -> str:
        """Likewise."""
        return self.task.label

    def to_json(self) -> str:
        """Likewise."""
        return self.task.to_json()


def limited(jobs: int, seconds: float) -> Process:
    """An executor with a time limit."""
    executor = Process(jobs, NoConfig())
    executor.limit_time(seconds)
    return executor


@pytest.mark.parametrize("action", ["sleep", "hold"])
def test_task_over_the_limit_is_stopped(kit: ModuleType, tmp_path: Path, action: str) -> None:
    """Whatever it is doing; its worker is gone, and the others are done."""
    stuck = kit.make_task(action, directory=str(tmp_path))
    tasks = [stuck, *(kit.make_task("work", seed=s) for s in range(4))]

    outcomes = {o.task_id: o for o in limited(2, 1.5).map(kit.run, tasks)}

    assert outcomes.pop(stuck.task_id).error == "timed out after 1.5 s"
    assert [o.status for o in outcomes.values()] == ["done"] * 4
    assert not any(kit.is_alive(int(path.name)) for path in tmp_path.iterdir())


def test_limit_is_for_each_of_several_tasks_together(kit: ModuleType, tmp_path: Path) -> None:
    """Three together may take three times as long."""
    works = [
        Pair(kit.make_task("sleep", seed=n, directory=str(tmp_path), seconds=1.6), n)
        for n in (1, 3)
    ]
    outcomes = {o.task_id: o for o in limited(2, 0.8).map(kit.run, works)}

    assert outcomes[works[0].task_id].error == "timed out after 0.8 s"
    assert outcomes[works[1].task_id].status == "done"


def test_message_says_how_many_were_together(kit: ModuleType, tmp_path: Path) -> None:
    """With the time that the whole had."""
    work = Pair(kit.make_task("sleep", directory=str(tmp_path)), 2)
    (outcome,) = limited(1, 0.5).map(kit.run, [work])

    assert outcome.error == "timed out after 1 s, 2 tasks together"


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan")])
def test_limit_is_checked(seconds: float) -> None:
    """It must be above 0."""
    with pytest.raises(ConfigError, match="expected more than 0"):
        Process(1, NoConfig()).limit_time(seconds)
