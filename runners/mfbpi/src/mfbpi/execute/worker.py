"""Runs one task, or several together, in a worker process: all is rebuilt from their JSON."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import attrs

from mfbpi.execute import causes, extras, place, stopping, together
from mfbpi.execute.interrupt import is_the_users
from mfbpi.execute.reports.running import Report, Reports
from mfbpi.execute.saving.checkpoint import Checkpoints, Saver
from mfbpi.execute.stage import Stage
from mfbpi.notices import plain_in_workers, warn
from mfbpi.results.storage import provenance, table
from mfbpi_core import forks
from mfbpi_core.contracts.executor import Outcome, Work
from mfbpi_core.data.row import Row
from mfbpi_core.data.task import Task
from mfbpi_core.plugins import assembly as build
from mfbpi_core.plugins.plugin import Plugin
from mfbpi_core.plugins.registry import Registry
from mfbpi_core.running.lockstep import Lockstep
from mfbpi_core.running.loop import Run


def run_task(
    text: str,
    checkpoints: Checkpoints | None = None,
    find_plugins: Callable[[], Registry] = Registry.discover,
    reports: Reports | None = None,
) -> Outcome:
    """Run a task given as its canonical JSON, or several together; what raises has failed.

    Args:
        text: the task, or a :class:`mfbpi.execute.together.Together`.
        checkpoints: where long runs are saved now and then; None for nowhere.
        find_plugins: called once it is sure that nothing that a plugin does ends the worker.
        reports: where a long run tells how far it is; None for nowhere.
    """
    work, owner = together.from_json(text), os.getpid()
    registry = None
    try:
        with plain_in_workers(), place.kept():
            saved = None if checkpoints is None else checkpoints.anchored()
            told = None if reports is None else reports.anchored()
            registry = find_plugins()
            worker = _Worker.begin(registry, work, saved)
            with worker.telling(work, told):
                return together.joined(work, worker.outcomes())
    except BaseException as error:  # a plugin may raise any of them, and ends its own task only
        if isinstance(error, KeyboardInterrupt) and is_the_users(error):
            raise
        return Outcome(
            task_id=work.task_id,
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
        stages: one for each task.
        runs: likewise.
        whole: the only run, or all of them in lockstep.
        rows: what each run has measured.
        saver: saves it on its way; None where nothing is saved.
        report: tells how far it is; None where nobody is told.
        not_resumed: why it did not go on from its checkpoint; empty if it did, or had none.
    """

    stages: list[Stage]
    runs: list[Run]
    whole: Run | Lockstep
    rows: list[list[Row]] = attrs.field(init=False)
    saver: Saver | None = None
    report: Report | None = None
    not_resumed: str = ""

    def __attrs_post_init__(self) -> None:
        self.rows = [[] for _ in self.runs]

    @classmethod
    def begin(cls, registry: Registry, work: Work, checkpoints: Checkpoints | None) -> _Worker:
        """Rebuild everything, and go on from a checkpoint where one can be used."""
        worker = cls.prepare(registry, together.tasks_of(work))
        if checkpoints is None:
            return worker
        saver = checkpoints.saver(work, worker.plugins)
        problem = ""
        if checkpoints.resume:
            problem = saver.restore(worker.whole, worker.runs, worker.rows)
        if problem:
            warn(problem)
            worker = cls.prepare(registry, together.tasks_of(work))  # half restored is no run
        worker.saver, worker.not_resumed = saver, problem
        return worker

    @property
    def plugins(self) -> list[Plugin]:
        """Those that the runs use."""
        return self.stages[0].plugins(self.runs[0])

    @classmethod
    def prepare(cls, registry: Registry, tasks: Sequence[Task]) -> _Worker:
        """Rebuild everything."""
        started = time.perf_counter()
        stages = [Stage.of(registry, task) for task in tasks]
        about, ref = stages[0].problem, tasks[0].agent
        rngs = [stage.streams.generator("agent") for stage in stages]
        if len(tasks) == 1:
            runs = [stages[0].run(build.agent(registry, ref, about, rngs[0]), started)]
            return cls(stages=stages, runs=runs, whole=runs[0])
        replicas = build.replicas(registry, ref, about, rngs)
        pairs = zip(stages, replicas.agents, strict=True)
        runs = [stage.run(agent, started) for stage, agent in pairs]
        return cls(stages=stages, runs=runs, whole=Lockstep(replicas, runs))

    @contextmanager
    def telling(self, work: Work, reports: Reports | None) -> Iterator[None]:
        """Tell in this block how far it is."""
        report = None if reports is None else reports.of(work, self.runs[0].horizon)
        self.report = report
        try:
            yield
        finally:
            if report is not None:
                report.ended()

    def outcomes(self) -> list[Outcome]:
        """Run to the end."""
        owner = os.getpid()
        for measured in self._evaluations():
            forks.end_copy(owner)
            for own, new in zip(self.rows, measured, strict=True):
                own.extend(new)
            if self.saver is not None:
                self.saver.measured(self.whole, self.rows)
            if self.report is not None:
                self.report.reached(self.runs[0].interaction.step)
        return [
            Outcome(task_id=stage.task.task_id, status="done", tables=self._tables(stage, run, own))
            for stage, run, own in zip(self.stages, self.runs, self.rows, strict=True)
        ]

    def _evaluations(self) -> Iterator[list[list[Row]]]:
        if isinstance(self.whole, Lockstep):
            yield from self.whole.evaluations()
        else:
            yield from ([rows] for rows in self.whole.evaluations())

    def _tables(self, stage: Stage, run: Run, rows: list[Row]) -> dict[str, bytes]:
        """The content of each file of a task, by its suffix."""
        task, origin = stage.task, self._provenance(stage, run)
        rows = [*rows, *stopping.judged(stage, run)]
        tables = {".parquet": table.rows_table(task, rows, origin)}
        if task.arrays:
            tables[".arrays.parquet"] = table.arrays_table(task, extras.arrays(run.metrics), origin)
        files = {suffix: table.to_bytes(content) for suffix, content in tables.items()}
        return {**files, **stopping.certificate(stage, run)}

    def _provenance(self, stage: Stage, run: Run) -> dict[str, Any]:
        return {
            "schema_version": table.SCHEMA_VERSION,
            "task_id": stage.task.task_id,
            "task": stage.task.as_dict(),
            **provenance.describe(stage.plugins(run)),
            "skipped_metrics": stage.skipped,
            "checkpoint_problem": "" if self.saver is None else self.saver.problem,
            "not_resumed": provenance.without_paths(self.not_resumed),
            "agent_profile": extras.profile(run.agent, run.agent_name),
            "replicas": len(self.runs),
            **stopping.told(run),
            "durations": {
                "learning_s": run.learning_s,
                "metrics_s": run.metrics_s,
                "total_s": run.total_s,
            },
        }
