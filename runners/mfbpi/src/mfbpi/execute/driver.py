"""Runs the tasks of a plan through an executor and writes their outcomes, in this process only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Literal

import attrs

from mfbpi.execute.batches import TaskBatch
from mfbpi.execute.events import Failure, Observer
from mfbpi.execute.found import Found
from mfbpi.execute.interrupt import Interrupts
from mfbpi.execute.reports.running import Reports
from mfbpi.execute.saving.checkpoint import Checkpoints
from mfbpi.execute.working.worker import run_task
from mfbpi.results.storage.directory import Store, cause
from mfbpi.results.storage.places import Place
from mfbpi_core.contracts.executor import Executor, Outcome, RunTask
from mfbpi_core.data.task import Task

Status = Literal["done", "kept", "failed", "pending"]


@attrs.frozen(kw_only=True)
class Record:
    """What became of a task.

    Attributes:
        task: the task.
        status: ``"done"`` now, ``"kept"`` from before, ``"failed"``, or ``"pending"``: not run.
        file: the file of its rows, or of its error; None while pending.
    """

    task: Task
    status: Status
    file: Place | None = None

    @property
    def has_rows(self) -> bool:
        """Whether there are results to read."""
        return self.status in ("done", "kept")


def execute(
    executor: Executor,
    records: Sequence[Record],
    works: Sequence[TaskBatch],
    store: Store,
    observer: Observer,
    interrupts: Interrupts,
    found: Found,
    checkpoints: Checkpoints | None = None,
    reports: Reports | None = None,
    *,
    save_agent: bool = False,
) -> list[Record]:
    """Run what is pending; every outcome is written as it comes.

    Args:
        executor: where they run.
        records: every task of the plan.
        works: the pending tasks, some of them together.
        store: where outcomes are written.
        observer: told of each.
        interrupts: held back while an outcome is written and counted.
        found: the plugins.
        checkpoints: where the workers save long runs; None for nowhere.
        reports: where they tell how far long runs are; None for nowhere.
        save_agent: whether agents are kept.

    Returns:
        The records, none of them pending.

    Raises:
        StoreError: when an outcome cannot be written; the workers are stopped.
    """
    pending = {work.task_id: work for work in works}
    ended: dict[str, Record] = {}
    run = partial(
        run_task,
        checkpoints=checkpoints,
        find_plugins=found,
        reports=reports,
        save_agent=save_agent,
    )
    with _outcomes(executor, run, works) as outcomes:
        for outcome in outcomes:
            with interrupts.held_back():
                ended |= _write(pending.pop(outcome.task_id), outcome, store, observer)
    for task_id, work in pending.items():
        lost = Outcome(task_id=task_id, status="failed", error="the executor lost this task")
        ended |= _write(work, lost, store, observer)
    return [ended.get(record.task.task_id, record) for record in records]


@contextmanager
def _outcomes(
    executor: Executor, run: RunTask, works: Sequence[TaskBatch]
) -> Iterator[Iterator[Outcome]]:
    """The outcomes; however the block is left, the executor's workers are stopped."""
    outcomes = executor.map(run, works) if works else iter(())
    try:
        yield outcomes
    finally:
        close = getattr(outcomes, "close", None)
        if close is not None:
            close()


def _write(
    work: TaskBatch, outcome: Outcome, store: Store, observer: Observer
) -> dict[str, Record]:
    """Write what became of a piece of work; the record of each of its tasks."""
    records = {}
    for task, own in work.separated(outcome):
        file = store.save(task, own)
        observer.finished(None if own.status == "done" else _failure(task, own, file))
        records[task.task_id] = Record(task=task, status=own.status, file=file)
    if outcome.status == "done":
        store.forget(work.task_id)
    return records


def _failure(task: Task, outcome: Outcome, file: Place) -> Failure:
    return Failure(task.label, cause(outcome), f"{file.parent.name}/{file.name}")
