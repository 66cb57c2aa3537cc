"""Runs one task, or several together, in a worker process: all is rebuilt from their JSON."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import attrs

from mfbpi.execute.batches import TaskBatch
from mfbpi.execute.interrupt import is_the_users
from mfbpi.execute.reports.running import Report, Reports
from mfbpi.execute.saving import learnt
from mfbpi.execute.saving.checkpoint import Checkpoints, Saver
from mfbpi.execute.working import causes, extras, place, stopping
from mfbpi.execute.working.stage import Begun, Stage
from mfbpi.notices import plain_in_workers, warn
from mfbpi.results.storage import provenance, table
from mfbpi_core import forks
from mfbpi_core.contracts.executor import Outcome
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.data.task import Task
from mfbpi_core.plugins import assembly as build
from mfbpi_core.plugins.registry import Registry
from mfbpi_core.running.lockstep import Advancing, Alone, Lockstep


def run_task(
    text: str,
    checkpoints: Checkpoints | None = None,
    find_plugins: Callable[[], Registry] = Registry.discover,
    reports: Reports | None = None,
    *,
    save_agent: bool = False,
) -> Outcome:
    """Run a task given as its canonical JSON, or several together; what raises has failed.

    Args:
        text: the task, or a :class:`mfbpi.execute.batches.TaskBatch`.
        checkpoints: where long runs are saved now and then; None for nowhere.
        find_plugins: called once it is sure that nothing that a plugin does ends the worker.
        reports: where a long run tells how far it is; None for nowhere.
        save_agent: whether the agent is kept as it is in the end.
    """
    batch, owner = TaskBatch.from_json(text), os.getpid()
    registry = None
    try:
        with plain_in_workers(), place.kept():
            saved = None if checkpoints is None else checkpoints.anchored()
            told = None if reports is None else reports.anchored()
            registry = find_plugins()
            worker = _Worker.begin(registry, batch, saved)
            worker.saves_agent = save_agent
            with worker.telling(batch, told):
                return batch.joined(worker.outcomes())
    except BaseException as error:  # a plugin may raise any of them, and ends its own task only
        if isinstance(error, KeyboardInterrupt) and is_the_users(error):
            raise
        return Outcome(
            task_id=batch.task_id,
            status="failed",
            error=causes.traced(error),
            cause=causes.cause(error, registry),
        )
    finally:
        forks.end_copy(owner)


@attrs.define(kw_only=True)
class _Worker:
    """Tasks with all that their runs need.

    Attributes:
        begun: each task with its run.
        runs: all runs, as they advance.
        saver: saves them on their way; None where nothing is saved.
        report: tells how far it is; None where nobody is told.
        not_resumed: why it did not go on from its checkpoint; empty if it did, or had none.
        saves_agent: whether agents are kept.
    """

    begun: Sequence[Begun]
    runs: Advancing
    saver: Saver | None = None
    report: Report | None = None
    not_resumed: str = ""
    saves_agent: bool = False

    @classmethod
    def begin(
        cls, registry: Registry, batch: TaskBatch, checkpoints: Checkpoints | None
    ) -> _Worker:
        """Rebuild everything, and go on from a checkpoint where one can be used."""
        worker = cls.prepare(registry, batch.tasks)
        provenance.versions(worker.begun[0].used)  # before anybody edits what runs now
        if checkpoints is None:
            return worker
        saver = checkpoints.saver(batch, worker.begun[0].used)
        problem = saver.restore(worker.runs, worker.begun) if checkpoints.resume else ""
        if problem:
            warn(problem)
            worker = cls.prepare(registry, batch.tasks)  # half restored is no run
        worker.saver, worker.not_resumed = saver, problem
        return worker

    @classmethod
    def prepare(cls, registry: Registry, tasks: Sequence[Task]) -> _Worker:
        """Rebuild everything."""
        started = time.perf_counter()
        stages = [Stage.of(registry, task) for task in tasks]
        about, part = stages[0].problem, stages[0].agent
        rngs = [stage.streams.generator("agent") for stage in stages]
        if len(tasks) == 1:
            begun = [stages[0].begin(build.agent(registry, part, about, rngs[0]), started)]
            return cls(begun=begun, runs=Alone(begun[0].run))
        replicas = build.replicas(part, about, rngs)
        pairs = zip(stages, replicas.agents, strict=True)
        begun = [stage.begin(agent, started) for stage, agent in pairs]
        return cls(begun=begun, runs=Lockstep(replicas, [each.run for each in begun]))

    @contextmanager
    def telling(self, batch: TaskBatch, reports: Reports | None) -> Iterator[None]:
        """Tell in this block how far it is."""
        report = None if reports is None else reports.of(batch, self.begun[0].run.horizon)
        self.report = report
        try:
            yield
        finally:
            if report is not None:
                report.ended()

    def outcomes(self) -> list[Outcome]:
        """Run to the end."""
        owner = os.getpid()
        for measured in self.runs.evaluations():
            forks.end_copy(owner)
            for each, new in zip(self.begun, measured, strict=True):
                each.rows.extend(new)
            if self.saver is not None:
                self.saver.measured(self.runs, self.begun)
            if self.report is not None:
                self.report.reached(self.begun[0].run.interaction.step)
        return [
            Outcome(task_id=each.task.task_id, status="done", tables=self._tables(each))
            for each in self.begun
        ]

    def _tables(self, begun: Begun) -> dict[str, bytes]:
        """The content of each file of a task, by its suffix."""
        task, run = begun.task, begun.run
        agent = learnt.agent(task, run, begun.used) if self.saves_agent else {}
        origin = {**self._provenance(begun), "agent_saved": bool(agent)}
        rows = [*begun.rows, *stopping.judged(task, run)]
        tables = {".parquet": table.rows_table(task, rows, origin, learnt.policy(run))}
        if task.arrays:
            tables[".arrays.parquet"] = table.arrays_table(task, extras.arrays(run.metrics), origin)
        files = {suffix: table.to_bytes(content) for suffix, content in tables.items()}
        return {**files, **agent, **stopping.certificate(task, run)}

    def _provenance(self, begun: Begun) -> JsonObject:
        run = begun.run
        return {
            "schema_version": table.SCHEMA_VERSION,
            "task_id": begun.task.task_id,
            "task": begun.task.as_dict(),
            **provenance.describe(begun.used),
            "skipped_metrics": begun.skipped,
            "checkpoint_problem": provenance.without_paths(
                self.saver.problem if self.saver else ""
            ),
            "not_resumed": provenance.without_paths(self.not_resumed),
            "agent_profile": extras.profile(run.agent, run.agent_name),
            "replicas": len(self.begun),
            **stopping.told(run),
            "durations": {
                "learning_s": run.learning_s,
                "metrics_s": run.metrics_s,
                "total_s": run.total_s,
            },
        }
