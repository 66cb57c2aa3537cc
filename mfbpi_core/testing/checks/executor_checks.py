"""Checks of executors: every task is accounted for, whatever becomes of its neighbours."""

from __future__ import annotations

import contextlib
import io

from mfbpi_core.contracts.executor import Executor, Outcome, RunTask
from mfbpi_core.data.task import Task
from mfbpi_core.errors import UsageError
from mfbpi_core.testing.outcomes import CheckSkipped, require
from mfbpi_core.testing.subject import Subject
from mfbpi_core.testing.tools.comparison import require_equal
from mfbpi_core.testing.worlds import tasks as kit

#: Tasks of one batch, and how many run at a time.
N_TASKS = 5
JOBS = (1, 2)


def outcomes_equal_serial_ones(subject: Subject) -> None:
    """For any order and any number of jobs, outcomes are those of running the tasks in turn."""
    batch = kit.tasks(N_TASKS)
    expected = {task.task_id: kit.succeed(task.to_json()) for task in batch}
    require(not _outcomes(subject, kit.succeed, [], JOBS[0]), "no tasks have outcomes")
    for jobs in JOBS:
        outcomes = _outcomes(subject, kit.succeed, batch, jobs)
        require_equal(expected, outcomes, f"with {jobs} jobs the outcomes differ from serial ones")
        batch = batch[::-1]


def failing_task_is_reported(subject: Subject) -> None:
    """A task that raises is reported as failed with its cause, and the others are done."""
    batch = kit.tasks(N_TASKS)
    outcomes = _outcomes(subject, kit.fail_once, batch, JOBS[-1])
    _require_one_failure(batch, outcomes)
    error = outcomes[batch[kit.UNLUCKY_SEED].task_id].error
    require(kit.CAUSE in error, f"the error of a failing task is {error!r}; it hides the cause")


def killed_worker_is_reported(subject: Subject) -> None:
    """A task whose worker is killed is reported as failed, and the others are done."""
    batch = kit.tasks(N_TASKS)
    outcomes = _outcomes(subject, kit.die_once, batch, JOBS[-1])
    unlucky = outcomes[batch[kit.UNLUCKY_SEED].task_id]
    if kit.IN_DRIVER in unlucky.tables:
        raise CheckSkipped("tasks run in the calling process")
    _require_one_failure(batch, outcomes)
    require(unlucky.error.strip(), "the outcome of a killed worker does not say what happened")


def standard_output_is_left_alone(subject: Subject) -> None:
    """What tasks print does not get into the standard output of the program that runs them."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        _outcomes(subject, kit.speak, kit.tasks(N_TASKS), JOBS[-1])
    require(
        kit.SPOKEN not in printed.getvalue(),
        "what a task printed is in the standard output; expected it on standard error",
    )


def time_limit_is_kept(subject: Subject) -> None:
    """An executor that takes a time limit stops the task that is over it, and no other."""
    executor = _built(subject, JOBS[-1])
    try:
        executor.limit_time(kit.LIMIT_S)
    except UsageError:
        raise CheckSkipped("tasks cannot be stopped, and a time limit is refused") from None
    batch = kit.tasks(N_TASKS)
    outcomes = _collected(executor, kit.dawdle_once, batch)
    _require_one_failure(batch, outcomes)
    error = outcomes[batch[kit.UNLUCKY_SEED].task_id].error
    require("timed out" in error, f"the error of a task over the limit is {error!r}")


def _require_one_failure(batch: list[Task], outcomes: dict[str, Outcome]) -> None:
    for task in batch:
        expected = "failed" if task.seed == kit.UNLUCKY_SEED else "done"
        outcome = outcomes[task.task_id]
        what = f"task {task.seed} of {len(batch)} is {outcome.status} ({outcome.error})"
        require(outcome.status == expected, f"{what}; expected {expected}")


def _built(subject: Subject, jobs: int) -> Executor:
    executor: Executor = subject.made(jobs=jobs)
    return executor


def _outcomes(subject: Subject, run: RunTask, batch: list[Task], jobs: int) -> dict[str, Outcome]:
    """Run a batch with so many jobs."""
    return _collected(_built(subject, jobs), run, batch)


def _collected(executor: Executor, run: RunTask, batch: list[Task]) -> dict[str, Outcome]:
    """Run a batch; every task must have exactly one outcome."""
    outcomes = list(executor.map(run, batch))
    found = sorted(outcome.task_id for outcome in outcomes)
    wanted = sorted(task.task_id for task in batch)
    what = f"{len(batch)} tasks have {len(found)} outcomes"
    require(found == wanted, f"{what}; expected one for each task")
    return {outcome.task_id: outcome for outcome in outcomes}


CHECKS = (
    outcomes_equal_serial_ones,
    failing_task_is_reported,
    killed_worker_is_reported,
    standard_output_is_left_alone,
    time_limit_is_kept,
)
