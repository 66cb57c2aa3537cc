"""Where a task takes place: everything that its run needs but the agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs

from mfbpi.execute import stopping
from mfbpi_core.contracts.agent import Agent
from mfbpi_core.contracts.bound_parameter import bound_of
from mfbpi_core.contracts.environment import Environment
from mfbpi_core.contracts.metric import Metric
from mfbpi_core.contracts.recommendation import checked_allocation, checked_policy
from mfbpi_core.data.problem import Problem
from mfbpi_core.data.row import Row
from mfbpi_core.data.seeding import Streams
from mfbpi_core.data.task import PluginRef, Task
from mfbpi_core.plugins import assembly as build
from mfbpi_core.plugins.plugin import Plugin
from mfbpi_core.plugins.registry import Registry
from mfbpi_core.plugins.specs import Column
from mfbpi_core.running.loop import Run
from mfbpi_core.running.stopping import COLUMNS


@attrs.frozen(kw_only=True)
class Begun:
    """A task whose run has begun.

    Attributes:
        task: the task.
        run: its run.
        skipped: metrics that do not apply, with the reason.
        plugins: those that the run uses.
        rows: what was measured so far.
    """

    task: Task
    run: Run
    skipped: Mapping[str, str]
    plugins: Sequence[Plugin]
    rows: list[Row] = attrs.field(factory=list)


@attrs.frozen(kw_only=True)
class Stage:
    """A task before its agent is built.

    Attributes:
        task: the task.
        registry: where its plugins are found.
        streams: the random streams of the run.
        environment: where the agent will act.
        problem: what the agent is told about it.
    """

    task: Task
    registry: Registry
    streams: Streams
    environment: Environment
    problem: Problem

    @classmethod
    def of(cls, registry: Registry, task: Task) -> Stage:
        """Build the environment of a task."""
        environment = build.environment(registry, task.environment)
        plugin, _ = build.find_environment(registry, task.environment.name)
        return cls(
            task=task,
            registry=registry,
            streams=Streams(task.seed),
            environment=environment,
            problem=build.problem(
                plugin, environment, discount=task.discount, horizon=task.horizon
            ),
        )

    def begin(self, agent: Agent, started: float) -> Begun:
        """The run of an agent, which has not taken a step.

        Args:
            agent: the agent.
            started: when the work began, on the clock of :func:`time.perf_counter`.
        """
        task = self.task
        with build.blaming(self.registry.get("agent", task.agent.name)):
            provided = capabilities(self.environment, agent)
        skipped = self._not_applicable(provided)
        chosen = [ref for ref in task.metrics if ref.name not in skipped]
        rule = stopping.begun(self.registry, task.stop, self.problem, self.environment)
        told = {} if rule is None else {stopping.NAME: COLUMNS}
        run = Run(
            environment=self.environment,
            agent=agent,
            metrics=self._metrics(chosen),
            columns={**self._columns(chosen), **told},
            stopping=rule,
            streams=self.streams,
            horizon=task.horizon,
            episodes=task.episodes,
            eval_every=task.eval_every,
            started=started,
            environment_name=self._environment.described,
            agent_name=self.registry.get("agent", task.agent.name).described,
        )
        return Begun(task=task, run=run, skipped=skipped, plugins=self._plugins(run))

    def _plugins(self, run: Run) -> list[Plugin]:
        """Those that the run uses, each once."""
        used = [self.registry.get("metric", name) for name in run.metrics]
        if self.task.stop is not None:
            used.append(self.registry.get("stopping_rule", self.task.stop.rule.name))
        configs = (run.agent.config, *(metric.config for metric in run.metrics.values()))
        names = dict.fromkeys(named.name for named in map(bound_of, configs) if named is not None)
        bounds = [self.registry.get("bound", name) for name in names]
        agent = self.registry.get("agent", self.task.agent.name)
        return [agent, self._environment, *used, *bounds]

    @property
    def _environment(self) -> Plugin:
        return build.find_environment(self.registry, self.task.environment.name)[0]

    def _not_applicable(self, provided: frozenset[str]) -> dict[str, str]:
        """Metrics asked for, or run by default, that do not apply, with the reason."""
        asked_for = {ref.name for ref in self.task.metrics}
        reasons = {}
        for plugin in self.registry.of_kind("metric"):
            names = {plugin.spec.name, plugin.qualified_name} & asked_for
            missing = plugin.spec.needs - provided
            if missing and (names or plugin.spec.default):
                name = min(names, default=plugin.spec.name)
                reasons[name] = (
                    f"neither the environment nor the agent has {', '.join(sorted(missing))}"
                )
        return reasons

    def _metrics(self, chosen: list[PluginRef]) -> dict[str, Metric]:
        """The metrics by name; they share an environment that is not the agent's."""
        where = build.environment(self.registry, self.task.environment)
        return {
            ref.name: build.metric(
                self.registry,
                ref,
                self.problem,
                where,
                self.streams.generator(f"metric:{ref.name}"),
            )
            for ref in chosen
        }

    def _columns(self, chosen: list[PluginRef]) -> dict[str, tuple[Column, ...]]:
        return {ref.name: self.registry.get("metric", ref.name).spec.columns for ref in chosen}


def capabilities(environment: Environment, agent: Agent) -> frozenset[str]:
    """What metrics may rely on in this run."""
    provided = set(environment.provides)
    if checked_policy(agent) is not None:
        provided.add("policy")
    if checked_allocation(agent) is not None:
        provided.add("allocation")
    return frozenset(provided)
