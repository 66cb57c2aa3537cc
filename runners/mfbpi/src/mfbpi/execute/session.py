"""Carries out a plan: directory, workers, results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

from mfbpi.execute import batches
from mfbpi.execute.batches import TaskBatch
from mfbpi.execute.driver import Record, execute
from mfbpi.execute.events import Observer
from mfbpi.execute.found import Found
from mfbpi.execute.interrupt import Interrupts
from mfbpi.execute.opening import Opening
from mfbpi.execute.reports.progress import Reporting
from mfbpi.execute.reports.running import Reports
from mfbpi.execute.saving.checkpoint import Checkpoints
from mfbpi.execute.settings import Execution
from mfbpi.notices import note, warn
from mfbpi.plan import selection, sharding
from mfbpi.plan.grid import TaskPlan
from mfbpi.results.storage import manifest, scratch
from mfbpi.results.storage.directory import Store, StoreError, create_first, default_directories
from mfbpi.results.storage.places import Place
from mfbpi_core.contracts.executor import Executor, available_cores
from mfbpi_core.errors import ExecutorError, MfbpiError, UsageError
from mfbpi_core.plugins import assembly
from mfbpi_core.plugins.registry import Registry


@attrs.frozen(kw_only=True)
class Carried:
    """A plan that was carried out, or would be.

    Attributes:
        plan: the plan, with the metrics of the run that was resumed.
        records: what became of each task.
        store: the directory of the results.
    """

    plan: TaskPlan
    records: Sequence[Record]
    store: Store

    @property
    def failed(self) -> bool:
        """Whether some task has failed."""
        return any(record.status == "failed" for record in self.records)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, or SIGTERM, ended a run in good order; what was done is kept.

    Attributes:
        directory: of the results.
        done: number of tasks that are done.
        total: number of tasks.
    """

    def __init__(self, directory: Place, done: int, total: int) -> None:
        super().__init__(f"{done} of {total} tasks done")
        self.directory, self.done, self.total = directory, done, total


class StoppedError(MfbpiError):
    """A run cannot go on, for no fault of its tasks; what was done is kept.

    Attributes:
        directory: of the results.
        done: number of tasks that are done.
        total: number of tasks.
    """

    def __init__(self, cause: Exception, directory: Place, done: int, total: int) -> None:
        super().__init__(str(cause))
        self.directory, self.done, self.total = directory, done, total


def preview(registry: Registry, plan: TaskPlan, execution: Execution) -> Carried:
    """What would be run, and where; nothing is written.

    Raises:
        UsageError: when it cannot be run as asked.
    """
    plan = _sharded(plan, execution)
    _prepared(registry, plan, execution)
    free = (path for path in _candidates(plan) if not path.exists())
    store = Store(execution.out or next(free), plan.shard)
    settled, records = Opening(store, execution.if_exists, touch=False).settle(plan)
    return Carried(plan=settled, records=records, store=store)


def carry_out(
    registry: Registry, plan: TaskPlan, execution: Execution, observer: Observer | None = None
) -> Carried:
    """Run a plan; a task that fails does not end it.

    Raises:
        UsageError: when it cannot be run as asked.
        Interrupted: after Ctrl-C, once the workers have stopped.
        StoppedError: when results cannot be written any more, or no worker can be had.
    """
    plan = _sharded(plan, execution)
    executor = _prepared(registry, plan, execution)
    interrupts = Interrupts()
    with interrupts.handled():
        out = execution.out or create_first(_candidates(plan))
        store = Store(out, plan.shard, _checkpoints_of(out, execution))
        with store.writing():
            plan, records = Opening(store, execution.if_exists, touch=True).settle(plan)
            manifest.record(store.directory, plan.manifest(), plan.shard, len(records))
            _note_unsaved(store, records, execution)
            work = _Work(registry, executor, store, records, execution, observer or Observer())
            carried = Carried(plan=plan, records=work.done(interrupts), store=store)
            if plan.shard is not None:
                manifest.finish(store.directory, plan.shard)
            return carried


def _checkpoints_of(out: Place, execution: Execution) -> Place | None:
    """Where checkpoints lie; by default on this machine if the results do not."""
    if execution.checkpoint_dir is not None or isinstance(out, Path):
        return execution.checkpoint_dir
    folder = scratch.beside(str(out))
    if execution.checkpoint_every > 0:
        note(
            f"checkpoints of long runs lie on this machine, in {folder}; choose another directory "
            "or URL with `checkpoint_dir`, such as one that every machine sees"
        )
    return folder


def _sharded(plan: TaskPlan, execution: Execution) -> TaskPlan:
    """The part of the plan that is asked for."""
    shard = sharding.parse(execution.shard)
    if shard is not None and execution.out is None:
        raise UsageError("`shard` needs `out`: the directory that all shards share")
    if execution.save_agent and execution.replicas > 1:
        raise UsageError("`save_agent` keeps agents that run on their own; leave `replicas` away")
    return attrs.evolve(plan, shard=shard)


def _prepared(registry: Registry, plan: TaskPlan, execution: Execution) -> Executor:
    """The executor, and warnings of what will not be as may be expected."""
    for message in (*plan.warnings, *batches.warnings(registry, plan.tasks, execution.replicas)):
        warn(message)
    chosen = selection.executor(registry, execution.executor, execution.executor_settings)
    executor = assembly.executor(registry, execution.executor, execution.jobs, chosen.ref().config)
    if execution.task_timeout is not None:
        executor.limit_time(execution.task_timeout)
    return executor


def _note_unsaved(store: Store, records: Sequence[Record], execution: Execution) -> None:
    """Say which agents are not there although they are asked for."""
    if not execution.save_agent:
        return
    kept = [record.task.task_id for record in records if record.status == "kept"]
    missing = [each for each in kept if not store.path(each, ".agent.npz").exists()]
    if missing:
        note(
            f"{len(missing)} of the results that are kept were made without `save_agent`; "
            "`if_exists='overwrite'` runs all again"
        )


def _candidates(plan: TaskPlan) -> Iterator[Path]:
    return default_directories(plan.agents, [site.environment.shown for site in plan.sites])


@attrs.frozen
class _Work:
    """The tasks of a plan that are still to be run, and what they need."""

    registry: Registry
    executor: Executor
    store: Store
    records: Sequence[Record]
    execution: Execution
    observer: Observer

    def done(self, interrupts: Interrupts) -> list[Record]:
        """Run them; the records of all tasks."""
        pending = [record.task for record in self.records if record.status == "pending"]
        works = batches.grouped(self.registry, pending, self.execution.replicas)
        total, kept = len(self.records), len(self.records) - len(pending)
        self._forget_earlier(works)
        reporting = Reporting(self.observer, self.store)
        reporting.begun(total, kept, self._at_once(works))
        try:
            return execute(
                *(self.executor, self.records, works, self.store, reporting, interrupts),
                Found.already(self.registry),
                self._checkpoints(),
                Reports.of_many(self.store, self._at_once(works)),
                save_agent=self.execution.save_agent,
            )
        except KeyboardInterrupt as error:
            reporting.stopped("interrupted")
            raise Interrupted(self.store.directory, reporting.state.done, total) from error
        except (StoreError, ExecutorError) as error:
            reporting.stopped(str(error))
            done = reporting.state.done
            raise StoppedError(error, self.store.directory, done, total) from error
        finally:
            reporting.ended()

    def _at_once(self, works: Sequence[TaskBatch]) -> int:
        side_by_side = max((work.n_tasks for work in works), default=1)
        return (self.executor.jobs or available_cores()) * side_by_side

    def _checkpoints(self) -> Checkpoints | None:
        """Where runs are saved; anchored here, since workers may be in another directory."""
        if self.execution.checkpoint_every <= 0:
            return None
        resume = self.execution.if_exists == "resume"
        return Checkpoints(
            directory=self.store.directory,
            every_s=self.execution.checkpoint_every,
            resume=resume or self.executor.tries_again,
            shard=self.store.shard,
            elsewhere=self.store.elsewhere,
        ).anchored()

    def _forget_earlier(self, works: Sequence[TaskBatch]) -> None:
        """Where every checkpoint is gone on from, none may be there that another run has left."""
        if self.executor.tries_again and self.execution.if_exists != "resume":
            for work in works:
                self.store.forget(work.task_id)
