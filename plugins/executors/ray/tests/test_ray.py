"""Workers that die, programs that differ, room that is not there; a cluster of this machine."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mfbpi_core import Outcome, Task
from mfbpi_core.data.task import PluginRef
from mfbpi_core.errors import ConfigError, ExecutorError, PluginError
from mfbpi_executor_ray import cluster, versions
from mfbpi_executor_ray.config import Config
from mfbpi_executor_ray.executor import Ray

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module", autouse=True)
def two_cores() -> Iterator[None]:
    """One cluster for all: who is connected stays so."""
    with cluster.connected(Config(), 2):
        yield


def tasks(count: int, folder: Path) -> list[Task]:
    """Tasks that know a folder."""
    return [
        Task(
            agent=PluginRef(name="a", config={"folder": str(folder)}),
            environment=PluginRef(name="e"),
            metrics=(),
            seed=seed,
            horizon=1,
            eval_every=1,
            discount=0.9,
        )
        for seed in range(count)
    ]


def note_attempt(text: str) -> tuple[Task, int]:
    """The task, and how often it has been begun, this time included."""
    task = Task.from_json(text)
    folder = Path(task.agent.config["folder"])
    (folder / f"{task.seed}-{time.time_ns()}").touch()
    return task, len(list(folder.glob(f"{task.seed}-*")))


def done(task: Task) -> Outcome:
    """That it is."""
    return Outcome(task_id=task.task_id, status="done", tables={".txt": b"x"})


def die_at_first(text: str) -> Outcome:
    """Kill the worker, but only once."""
    task, attempt = note_attempt(text)
    if task.seed == 1 and attempt == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return done(task)


def die_always(text: str) -> Outcome:
    """Kill the worker each time."""
    task, _ = note_attempt(text)
    if task.seed == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return done(task)


def succeed(text: str) -> Outcome:
    """Do nothing."""
    return done(note_attempt(text)[0])


def test_task_whose_worker_died_is_tried_again(tmp_path: Path) -> None:
    """Each of the others runs once."""
    outcomes = list(Ray(2, Config()).map(die_at_first, tasks(6, tmp_path)))

    assert [o.status for o in outcomes] == ["done"] * 6
    assert len(list(tmp_path.iterdir())) == 7


def test_task_that_kills_its_workers_fails(tmp_path: Path) -> None:
    """After as many attempts as are allowed; the others are done."""
    outcomes = {o.task_id: o for o in Ray(2, Config(retries=1)).map(die_always, tasks(4, tmp_path))}
    failed = outcomes[tasks(4, tmp_path)[1].task_id]

    assert failed.status == "failed"
    assert "its worker died, 2 times in all" in failed.error
    assert sorted(o.status for o in outcomes.values()) == ["done"] * 3 + ["failed"]
    assert len(list(tmp_path.glob("1-*"))) == 2


def test_tasks_are_handed_out_one_by_one(tmp_path: Path) -> None:
    """However many there are, no more than the workers are begun before outcomes are taken."""
    outcomes = Ray(2, Config()).map(succeed, tasks(50, tmp_path))
    next(outcomes)
    time.sleep(1.0)

    assert len(list(tmp_path.iterdir())) <= 4
    outcomes.close()


def test_other_programs_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything runs, naming the node and the difference."""
    here = {**versions.here(), "numpy": "0.1", "mfbpi-agent-mine": "1.0"}
    monkeypatch.setattr(cluster, "programs_here", lambda: here)

    with pytest.raises(ExecutorError, match=r"numpy 0\.1 here and .* there") as raised:
        list(Ray(2, Config()).map(succeed, tasks(2, tmp_path)))

    assert "mfbpi-agent-mine 1.0 here and missing there" in str(raised.value)
    assert not list(tmp_path.iterdir())


def test_room_that_no_node_has(tmp_path: Path) -> None:
    """Nobody waits for a GPU that will not come."""
    with pytest.raises(ExecutorError, match=r"no node .* has the 1 cores and 1 GPUs"):
        list(Ray(2, Config(gpus_per_task=1.0)).map(succeed, tasks(2, tmp_path)))


def test_function_that_cannot_be_sent() -> None:
    """It is said which."""
    import threading

    lock = threading.Lock()
    with pytest.raises(PluginError, match="cannot be sent to other machines"):
        list(Ray(1, Config()).map(lambda _: lock, []))


@pytest.mark.parametrize(
    "wrong", [{"cpus_per_task": 0.0}, {"retries": -1}, {"gpus_per_task": -1.0}]
)
def test_parameters_have_ranges(wrong: dict[str, Any]) -> None:
    """Cores are needed, GPUs are not."""
    with pytest.raises(ConfigError):
        Config(**wrong)


def test_differences_are_named_both_ways() -> None:
    """What is missing here, and what is missing there."""
    found = versions.differences({"a": "1", "b": "1"}, {"a": "2", "c": "1"})

    assert found == [
        "a 1 here and 2 there",
        "b 1 here and missing there",
        "c missing here and 1 there",
    ]
    assert versions.listed([str(n) for n in range(7)]) == "0; 1; 2; 3; 4; and 2 more"


def test_address_where_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said at once, and which."""
    monkeypatch.setattr(cluster.ray, "is_initialized", lambda: False)
    message = "the Ray cluster 127.0.0.1:1 cannot be used: .*refused"
    with (
        pytest.raises(ExecutorError, match=message),
        cluster.connected(Config(address="127.0.0.1:1"), None),
    ):
        pass
