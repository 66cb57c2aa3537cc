# ruff: noqa: T201 - printing is what is tested
from __future__ import annotations

import ctypes
import os
import subprocess
import sys

import pytest

from mfbpi_core import NoConfig, Outcome, PluginRef, Task
from mfbpi_core.errors import UsageError
from mfbpi_executor_serial.executor import Serial


def make_task(seed: int) -> Task:
    """A task that is only told apart by its seed."""
    ref = PluginRef(name="any")
    return Task(
        agent=ref, environment=ref, metrics=(), seed=seed, horizon=1, eval_every=1, discount=0.9
    )


def run(text: str) -> Outcome:
    """Raise for seed 1, exit for seed 2, interrupt for seed 3; else succeed."""
    task = Task.from_json(text)
    if task.seed == 1:
        raise ValueError("one is not allowed")
    if task.seed == 2:
        raise SystemExit(4)
    if task.seed == 3:
        raise KeyboardInterrupt
    return Outcome(task_id=task.task_id, status="done")


def test_runs_in_order() -> None:
    """Outcomes come in the order of the tasks."""
    tasks = [make_task(seed) for seed in (9, 7, 8)]

    outcomes = list(Serial(None, NoConfig()).map(run, tasks))

    assert [outcome.task_id for outcome in outcomes] == [task.task_id for task in tasks]
    assert {outcome.status for outcome in outcomes} == {"done"}


@pytest.mark.parametrize(("seed", "cause"), [(1, "ValueError: one is not allowed"), (2, "4")])
def test_failing_task_does_not_end_the_others(seed: int, cause: str) -> None:
    """A task that raises or exits is reported with its traceback, and the rest complete."""
    tasks = [make_task(s) for s in (seed, 5)]

    failed, done = Serial(1, NoConfig()).map(run, tasks)

    assert (failed.task_id, failed.status) == (tasks[0].task_id, "failed")
    assert cause in failed.error
    assert "Traceback" in failed.error
    assert (done.task_id, done.status) == (tasks[1].task_id, "done")


def test_interrupt_propagates() -> None:
    """Ctrl-C is not a failure of the task that it hits."""
    outcomes = Serial(1, NoConfig()).map(run, [make_task(3), make_task(4)])

    with pytest.raises(KeyboardInterrupt):
        next(outcomes)


def test_runs_only_what_is_asked_for() -> None:
    """A task runs when its outcome is asked for, not before."""
    seen = []

    def note(text: str) -> Outcome:
        seen.append(Task.from_json(text).seed)
        return run(text)

    outcomes = Serial(1, NoConfig()).map(note, [make_task(5), make_task(6)])
    next(outcomes)

    assert seen == [5]


def test_function_need_not_be_importable() -> None:
    """Nothing is pickled: a lambda will do."""
    (outcome,) = Serial(1, NoConfig()).map(lambda text: run(text), [make_task(5)])

    assert outcome.status == "done"


def loud(text: str) -> Outcome:
    """Print from Python, from a library of C, and from a subprocess; the last line is not ended."""
    print("one\rtwo\x1b[31m\n\nthree")
    ctypes.CDLL(None).puts(b"from C")
    subprocess.run(["echo", "from a subprocess"], check=True)
    print("warned", file=sys.stderr)
    sys.stdout.write("unfinished")
    return run(text)


def test_what_tasks_print_goes_to_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    """Each line after its task, and nothing acts there; afterwards all is as before."""
    (outcome,) = Serial(1, NoConfig()).map(loud, [make_task(5)])
    printed = capfd.readouterr()
    print("later")

    assert outcome.status == "done"
    assert printed.out == ""
    lines = printed.err.splitlines()
    assert all(line.startswith("[any on any, seed 5] ") for line in lines)
    assert {line.partition("] ")[2] for line in lines} == {
        "one", "two\\x1b[31m", "three", "from C", "from a subprocess", "warned", "unfinished",
    }  # fmt: skip
    assert capfd.readouterr().out == "later\n"


def test_prompt_is_shown_when_it_is_flushed(capsys: pytest.CaptureFixture[str]) -> None:
    """A debugger in a task waits for input after an unfinished line."""
    seen = []

    def ask(text: str) -> Outcome:
        print("(Pdb) ", end="", flush=True)
        seen.append(capsys.readouterr().err)
        return run(text)

    list(Serial(1, NoConfig()).map(ask, [make_task(5)]))

    assert seen == ["[any on any, seed 5] (Pdb) \n"]


def test_standard_output_that_is_closed(capfd: pytest.CaptureFixture[str]) -> None:
    """By the task, or from the beginning: the tasks are done."""

    def close(text: str) -> Outcome:
        sys.stdout.close()
        return run(text)

    (outcome,) = Serial(1, NoConfig()).map(close, [make_task(5)])
    assert outcome.status == "done"

    kept = os.dup(1)
    os.close(1)
    try:
        (outcome,) = Serial(1, NoConfig()).map(run, [make_task(6)])
    finally:
        os.dup2(kept, 1)
        os.close(kept)
    assert outcome.status == "done"


def test_time_limit_is_refused() -> None:
    """A task of this process cannot be stopped."""
    with pytest.raises(UsageError, match="Serial cannot stop a task, so that no limit of 3 s"):
        Serial(1, NoConfig()).limit_time(3.0)
