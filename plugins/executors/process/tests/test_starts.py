from __future__ import annotations

import os
import resource
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from mfbpi_core import NoConfig
from mfbpi_core.errors import ExecutorError
from mfbpi_executor_process import crew
from mfbpi_executor_process.executor import Process
from mfbpi_executor_process.worker import Worker

Stillborn = Callable[[int, str], Path]


@pytest.fixture
def stillborn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Stillborn:
    """Let the first so many workers end in some way before they run a line of ours."""

    def arrange(count: int, end: str) -> Path:
        births = tmp_path / "births"
        births.mkdir()
        (tmp_path / "sitecustomize.py").write_text(
            "import os, pathlib, sys\n"
            "if '--multiprocessing-fork' in sys.orig_argv:\n"
            f"    births = pathlib.Path({str(births)!r})\n"
            "    (births / str(os.getpid())).touch()\n"
            f"    if len(list(births.iterdir())) <= {count}:\n"
            f"        {end}\n"
        )
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        return births

    return arrange


@pytest.mark.parametrize("end", ["os.kill(os.getpid(), 9)", "os._exit(1)"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_worker_killed_while_it_starts_is_replaced(
    kit: ModuleType, stillborn: Stillborn, jobs: int, end: str
) -> None:
    """Nobody is blamed: every task is done."""
    births = stillborn(2, end)
    tasks = [kit.make_task("work", seed=s) for s in range(6)]

    outcomes = list(Process(jobs, NoConfig()).map(kit.run, tasks))

    assert [o.status for o in outcomes] == ["done"] * 6
    assert 3 <= len(list(births.iterdir())) <= jobs + 2


def test_workers_that_never_start_end_the_run(kit: ModuleType, stillborn: Stillborn) -> None:
    """In one sentence, after a few tries, and no task is blamed."""
    births = stillborn(1000, "os.kill(os.getpid(), 9)")
    outcomes = Process(2, NoConfig()).map(kit.run, [kit.make_task("work", seed=s) for s in (0, 1)])

    with pytest.raises(ExecutorError, match=r"can start: [78] in a row .* SIGKILL"):
        list(outcomes)
    assert len(list(births.iterdir())) in (7, 8)


def test_worker_that_dies_before_it_takes_its_task(
    kit: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The task was sent, but not begun: another worker does it."""
    killed = []

    def send(worker: Worker, task: object) -> None:
        if not killed:
            killed.append(worker)
            worker.kill()
            worker.exit_code()
        original(worker, task)

    original = Worker.send
    monkeypatch.setattr(Worker, "send", send)
    tasks = [kit.make_task("work", seed=s) for s in range(3)]

    outcomes = list(Process(1, NoConfig()).map(kit.run, tasks))

    assert [o.status for o in outcomes] == ["done"] * 3
    assert len(killed) == 1


def test_no_room_for_processes(kit: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system starts no process at all, the run ends with the system's reason."""

    def refuse(*_: object) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(crew, "Worker", refuse)

    with pytest.raises(ExecutorError, match=r"could not be started \(Resource temporarily un"):
        list(Process(1, NoConfig()).map(kit.run, [kit.make_task("work")]))


def test_too_few_files_may_be_open(kit: ModuleType) -> None:
    """Workers that cannot have pipes are done without; those that can do the work."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - what is open while it is read
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + 14, hard))
    try:
        tasks = [kit.make_task("work", seed=s) for s in range(8)]
        outcomes = list(Process(8, NoConfig()).map(kit.run, tasks))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    assert [o.status for o in outcomes] == ["done"] * 8
