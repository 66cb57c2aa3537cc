from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

from mfbpi_core import NoConfig, Outcome, Task
from mfbpi_core.errors import ConfigError, PluginError
from mfbpi_executor_process.executor import Process, available_cores

HERE = Path(__file__).parent


def run_all(kit: ModuleType, tasks: list[Task], jobs: int | None = 2) -> dict[str, Outcome]:
    """Outcomes by task id."""
    return {o.task_id: o for o in Process(jobs, NoConfig()).map(kit.run, tasks)}


def test_every_task_has_one_outcome(kit: ModuleType) -> None:
    """More tasks than workers: each ends once, with its own result."""
    tasks = [kit.make_task("work", seed=s, size=s) for s in range(9)]

    outcomes = list(Process(2, NoConfig()).map(kit.run, tasks))

    sizes = {o.task_id: len(o.tables[".txt"]) for o in outcomes}
    assert len(outcomes) == 9
    assert sizes == {task.task_id: task.seed for task in tasks}


def test_no_tasks(kit: ModuleType) -> None:
    """Nothing to do ends at once."""
    assert run_all(kit, []) == {}


def test_large_results(kit: ModuleType) -> None:
    """Results larger than a pipe holds arrive whole."""
    tasks = [kit.make_task("work", seed=s, size=3_000_000) for s in range(4)]

    outcomes = run_all(kit, tasks)

    assert [len(o.tables[".txt"]) for o in outcomes.values()] == [3_000_000] * 4


def test_outcomes_are_yielded_as_they_end(kit: ModuleType, tmp_path: Path) -> None:
    """A short task does not wait for a long one that was given first."""
    long = kit.make_task("sleep", directory=str(tmp_path))
    short = kit.make_task("work")

    with contextlib.closing(Process(2, NoConfig()).map(kit.run, [long, short])) as outcomes:
        assert next(outcomes).task_id == short.task_id


@pytest.mark.parametrize(
    ("action", "cause"),
    [
        ("raise", "ValueError: this task cannot be done"),
        ("exit", "SystemExit: 3"),
        ("die", "the worker process of this task was killed by SIGKILL (perhaps for lack of mem"),
        ("interrupt_itself", "KeyboardInterrupt"),
        ("exit_at_once", "the worker process of this task ended with exit code 7"),
    ],
)
def test_failing_task_does_not_end_the_others(kit: ModuleType, action: str, cause: str) -> None:
    """Whether it raises, exits or its process dies: it is reported and the rest complete."""
    bad = [kit.make_task(action, seed=s) for s in range(3)]
    good = [kit.make_task("work", seed=s) for s in range(5)]

    outcomes = run_all(kit, [good[0], *bad, *good[1:]])

    assert [outcomes[task.task_id].status for task in bad] == ["failed"] * 3
    assert [outcomes[task.task_id].status for task in good] == ["done"] * 5
    assert all(cause in outcomes[task.task_id].error for task in bad)


def test_all_workers_killed(kit: ModuleType) -> None:
    """Tasks that kill every worker, one after the other, are all reported."""
    tasks = [kit.make_task("die", seed=s) for s in range(4)]

    outcomes = run_all(kit, tasks)

    assert [outcomes[task.task_id].status for task in tasks] == ["failed"] * 4


def test_killed_while_sending(kit: ModuleType) -> None:
    """Half a result is no result, and does not hold up the rest."""
    tasks = [kit.make_task("work"), kit.make_task("die_later", size=50_000_000)]
    tasks += [kit.make_task("work", seed=s) for s in range(1, 4)]
    outcomes = Process(2, NoConfig()).map(kit.run, tasks)

    first = next(outcomes)
    time.sleep(1.0)  # not reading: the large result fills the connection, and its sender dies
    rest = {o.task_id: o.status for o in outcomes}

    assert first.status == "done"
    assert rest.pop(tasks[1].task_id) == "failed"
    assert list(rest.values()) == ["done"] * 3


def test_result_that_is_no_outcome(kit: ModuleType) -> None:
    """A function that breaks the contract fails its task with a message that says how."""
    (outcome,) = Process(1, NoConfig()).map(kit.returns_nothing, [kit.make_task("work")])

    assert outcome.status == "failed"
    assert "returned NoneType; expected an Outcome" in outcome.error


def test_runs_in_other_processes_that_are_kept(kit: ModuleType) -> None:
    """Two workers serve six tasks, neither of them this process."""
    outcomes = run_all(kit, [kit.make_task("report_pid", seed=s) for s in range(6)])

    pids = {int(o.tables[".txt"]) for o in outcomes.values()}
    assert len(pids) <= 2
    assert os.getpid() not in pids
    assert not any(kit.is_alive(pid) for pid in pids)


def test_workers_compute_with_one_thread(kit: ModuleType) -> None:
    """Numerical libraries start no threads of their own in a worker."""
    outcomes = run_all(kit, [kit.make_task("count_threads")])

    assert [o.tables[".txt"] for o in outcomes.values()] == [b"1 ['1']"]


def test_environment_is_restored(kit: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver's own variables are untouched, already while outcomes are awaited."""
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)
    before = dict(os.environ)

    with contextlib.closing(Process(1, NoConfig()).map(kit.run, [kit.make_task("work")])) as it:
        next(it)
        during = dict(os.environ)

    assert during == before
    assert dict(os.environ) == before


def test_closing_stops_busy_workers_at_once(kit: ModuleType, tmp_path: Path) -> None:
    """Closing the iterator leaves no process, although tasks are running."""
    tasks = [kit.make_task("sleep", seed=s, directory=str(tmp_path)) for s in range(2)]
    outcomes = Process(3, NoConfig()).map(kit.run, [*tasks, kit.make_task("work")])
    next(outcomes)
    kit.wait_for(lambda: len(list(tmp_path.iterdir())) == 2)

    started = time.monotonic()
    outcomes.close()
    elapsed = time.monotonic() - started

    assert not any(kit.is_alive(int(path.name)) for path in tmp_path.iterdir())
    assert elapsed < 5.0


def test_workers_ignore_interrupts(kit: ModuleType) -> None:
    """Ctrl-C reaches every process of the terminal; only the driver reacts."""
    outcomes = run_all(kit, [kit.make_task("survive_interrupt", seed=s) for s in range(3)])

    assert [o.tables[".txt"] for o in outcomes.values()] == [b"ignored"] * 3


def test_workers_can_be_terminated(kit: ModuleType) -> None:
    """A worker that someone else asks to terminate does so, and its task is reported."""
    (outcome,) = run_all(kit, [kit.make_task("die", number=int(signal.SIGTERM))]).values()

    assert outcome.status == "failed"
    assert outcome.error == "the worker process of this task was killed by SIGTERM"


def test_function_that_cannot_be_pickled(kit: ModuleType) -> None:
    """A lambda is refused at once, with what is expected instead."""
    with pytest.raises(PluginError, match=r"lambda.* cannot be sent .* imported by its name"):
        Process(1, NoConfig()).map(lambda text: kit.run(text), [kit.make_task("work")])


def test_function_that_workers_cannot_import(
    kit: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module that only this process can import is reported with the worker's own error."""
    task = kit.make_task("work")
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry != str(HERE)])

    with pytest.raises(PluginError, match="No module named 'process_test_tasks'"):
        list(Process(2, NoConfig()).map(kit.run, [task, task]))


@pytest.mark.parametrize("jobs", [0, -3])
def test_number_of_jobs_is_checked(jobs: int) -> None:
    """Fewer than one process is refused."""
    with pytest.raises(ConfigError, match=f"jobs is {jobs}; expected 1 or more"):
        Process(jobs, NoConfig())


def test_default_is_one_process_a_core(kit: ModuleType) -> None:
    """Without a number of jobs, as many processes start as there are cores, or tasks."""
    outcomes = run_all(kit, [kit.make_task("work", seed=s) for s in range(3)], jobs=None)

    assert available_cores() >= 1
    assert len(outcomes) == 3
