"""What tasks start themselves ends with their workers, and delays nothing."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

from mfbpi_core import NoConfig, Task
from mfbpi_executor_process.executor import Process

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells environments")

WAYS = pytest.mark.parametrize("way", ["subprocess", "fork"])


@WAYS
def test_what_tasks_leave_behind_ends_with_the_work(
    kit: ModuleType, tmp_path: Path, way: str
) -> None:
    """All tasks are done; nothing of them is left, and nobody has waited for it."""
    task = kit.make_task("leave", directory=str(tmp_path), way=way)
    started = time.monotonic()

    [outcome] = Process(1, NoConfig()).map(kit.run, [task])

    assert outcome.tables == {".txt": b"left"}
    assert time.monotonic() - started < 9.0
    assert_gone(kit, tmp_path)


@WAYS
def test_death_is_seen_although_others_hold_the_pipes(
    kit: ModuleType, tmp_path: Path, way: str
) -> None:
    """A copy of the worker has its end of every pipe; the next task does not wait for it."""
    killed = kit.make_task("leave", directory=str(tmp_path), way=way, end=int(signal.SIGKILL))
    started = time.monotonic()

    outcomes = [o.status for o in Process(1, NoConfig()).map(kit.run, [killed, _work(kit)])]

    assert outcomes == ["failed", "done"]
    assert time.monotonic() - started < 15.0
    assert_gone(kit, tmp_path)


@WAYS
def test_time_limit_ends_what_a_task_waits_for(kit: ModuleType, tmp_path: Path, way: str) -> None:
    """With the task itself."""
    stuck = kit.make_task("leave", directory=str(tmp_path), way=way, end=int(signal.SIGSTOP))
    executor = Process(1, NoConfig())
    executor.limit_time(1.0)

    [outcome] = executor.map(kit.run, [stuck])

    assert outcome.error == "timed out after 1 s"
    assert_gone(kit, tmp_path)


def test_processes_of_others_stay(kit: ModuleType) -> None:
    """Those of the driver are none of a worker's."""
    with subprocess.Popen(["sleep", "60"]) as own:
        [outcome] = Process(1, NoConfig()).map(kit.run, [_work(kit)])
        assert outcome.status == "done"
        assert own.poll() is None
        own.kill()


def test_tasks_may_use_multiprocessing(kit: ModuleType) -> None:
    """A worker is no daemon to what it starts."""
    [outcome] = Process(1, NoConfig()).map(kit.run, [kit.make_task("use_multiprocessing")])

    assert outcome.tables == {".txt": b"3"}, outcome.error


def test_subprocesses_cannot_ask_the_user(kit: ModuleType) -> None:
    """Their standard input is empty; that of the driver may be a terminal."""
    [outcome] = Process(1, NoConfig()).map(kit.run, [kit.make_task("read_input")])

    assert outcome.tables == {".txt": b""}


def _work(kit: ModuleType) -> Task:
    task: Task = kit.make_task("work")
    return task


def assert_gone(kit: ModuleType, directory: Path) -> None:
    """One process was left behind, and it has ended."""
    [file] = directory.iterdir()
    kit.wait_for(lambda: not kit.is_alive(int(file.name)), 5.0)
