"""Runs one task in a worker process: everything is rebuilt from the task's JSON."""

from __future__ import annotations

import time
import traceback
from collections.abc import Mapping
from typing import Any

import attrs

from mfbpi_core.agent import Agent
from mfbpi_core.environment import Environment
from mfbpi_core.loop import Run
from mfbpi_core.metric import Metric
from mfbpi_core.plugin import Plugin
from mfbpi_core.registry import Registry
from mfbpi_core.seeding import Streams
from mfbpi_core.task import PluginRef, Task
from mfbpi_core.types import Outcome, Problem, Row
from mfbpi_run import build, provenance, table
from mfbpi_run.checkpoint import Checkpoints


def run_task(text: str, checkpoints: Checkpoints | None = None) -> Outcome:
    """Run a task given as its canonical JSON; a task that raises gives a failed outcome.

    Args:
        text: the task.
        checkpoints: where long runs are saved now and then; None for nowhere.
    """
    task = Task.from_json(text)
    try:
        tables = _Worker.prepare(task).tables(checkpoints)
    except (Exception, SystemExit):
        error = provenance.without_paths(traceback.format_exc())
        return Outcome(task_id=task.task_id, status="failed", error=error)
    return Outcome(task_id=task.task_id, status="done", tables=tables)


@attrs.define(kw_only=True)
class _Worker:
    """A task with all that its run needs.

    Attributes:
        task: the task.
        registry: where its plugins are found.
        run: the interaction loop.
        skipped: metrics that do not apply, with the reason.
        started: when the work began, on the clock of :func:`time.perf_counter`.
        unsaved: why the run could not be saved on its way; empty if it could.
    """

    task: Task
    registry: Registry
    run: Run
    skipped: dict[str, str]
    started: float
    unsaved: str = ""

    @classmethod
    def prepare(cls, task: Task) -> _Worker:
        """Rebuild everything from the task."""
        started = time.perf_counter()
        registry = Registry.discover()
        streams = Streams(task.seed)
        environment = build.environment(registry, task.environment)
        plugin, _ = build.find_environment(registry, task.environment.name)
        problem = build.problem(plugin, environment, discount=task.discount, horizon=task.horizon)
        agent = build.agent(registry, task.agent, problem, streams.generator("agent"))
        skipped = _skipped(registry, task, capabilities(environment, agent))
        chosen = [ref for ref in task.metrics if ref.name not in skipped]
        run = Run(
            environment=environment,
            agent=agent,
            metrics=_metrics(registry, task, chosen, problem, streams),
            columns=_columns(registry, chosen),
            streams=streams,
            horizon=task.horizon,
            episodes=task.episodes,
            eval_every=task.eval_every,
        )
        return cls(task=task, registry=registry, run=run, skipped=skipped, started=started)

    def tables(self, checkpoints: Checkpoints | None) -> dict[str, bytes]:
        """Run to the end; the content of each file by its suffix."""
        rows = self._rows(checkpoints)
        arrays = _arrays(self.run.metrics) if self.task.arrays else {}
        origin = self._provenance()
        tables = {".parquet": table.rows_table(self.task, rows, origin)}
        if self.task.arrays:
            tables[".arrays.parquet"] = table.arrays_table(self.task, arrays, origin)
        return {suffix: table.to_bytes(content) for suffix, content in tables.items()}

    def _rows(self, checkpoints: Checkpoints | None) -> list[Row]:
        if checkpoints is None:
            return list(self.run.rows())
        saver = checkpoints.begin(self.task, self.run)
        for rows in self.run.evaluations():
            saver.measured(self.run, rows)
        self.unsaved = saver.problem
        return saver.rows

    def _provenance(self) -> dict[str, Any]:
        return {
            "schema_version": table.SCHEMA_VERSION,
            "task_id": self.task.task_id,
            "task": attrs.asdict(self.task),
            **provenance.describe(self._used()),
            "skipped_metrics": self.skipped,
            "checkpoint_problem": self.unsaved,
            "agent_profile": self.run.agent.profile,
            "durations": {
                "learning_s": self.run.learning_s,
                "metrics_s": self.run.metrics_s,
                "total_s": time.perf_counter() - self.started,
            },
        }

    def _used(self) -> list[Plugin]:
        environment, _ = build.find_environment(self.registry, self.task.environment.name)
        metrics = [self.registry.get("metric", name) for name in self.run.metrics]
        return [self.registry.get("agent", self.task.agent.name), environment, *metrics]


def capabilities(environment: Environment, agent: Agent) -> frozenset[str]:
    """What metrics may rely on in this run."""
    provided = set(environment.provides)
    if agent.recommended_policy() is not None:
        provided.add("policy")
    if agent.allocation is not None:
        provided.add("allocation")
    return frozenset(provided)


def _skipped(registry: Registry, task: Task, provided: frozenset[str]) -> dict[str, str]:
    """Metrics asked for, or run by default, that do not apply, with the reason."""
    asked_for = {ref.name for ref in task.metrics}
    reasons = {}
    for plugin in registry.of_kind("metric"):
        names = {plugin.spec.name, plugin.qualified_name} & asked_for
        missing = plugin.spec.needs - provided
        if missing and (names or plugin.spec.default):
            name = min(names, default=plugin.spec.name)
            reasons[name] = (
                f"neither the environment nor the agent has {', '.join(sorted(missing))}"
            )
    return reasons


def _metrics(
    registry: Registry,
    task: Task,
    chosen: list[PluginRef],
    problem: Problem,
    streams: Streams,
) -> dict[str, Metric]:
    """The metrics by name; they share an environment that is not the agent's."""
    where = build.environment(registry, task.environment)
    return {
        ref.name: build.metric(
            registry, ref, problem, where, streams.generator(f"metric:{ref.name}")
        )
        for ref in chosen
    }


def _columns(registry: Registry, chosen: list[PluginRef]) -> dict[str, frozenset[str]]:
    return {
        ref.name: frozenset(c.name for c in registry.get("metric", ref.name).spec.columns)
        for ref in chosen
    }


def _arrays(metrics: Mapping[str, Metric]) -> dict[tuple[str, str], Any]:
    return {
        (metric, name): values
        for metric, built in metrics.items()
        for name, values in built.arrays().items()
    }
