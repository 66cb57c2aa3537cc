"""Where a task takes place: everything that its run needs but the agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs

from mfbpi.execute.working import stopping
from mfbpi.results.storage.used import Used, contents
from mfbpi_core.contracts.agent import Agent
from mfbpi_core.contracts.environment import Environment
from mfbpi_core.contracts.metric import Metric
from mfbpi_core.contracts.parameters.bounds import bound_of
from mfbpi_core.contracts.recommendation import checked_allocation, checked_policy
from mfbpi_core.data.problem import Problem
from mfbpi_core.data.row import Row
from mfbpi_core.data.seeding import Streams
from mfbpi_core.data.task import Task
from mfbpi_core.plugins import assembly as build
from mfbpi_core.plugins.assembly import Part
from mfbpi_core.plugins.plugin import Plugin
from mfbpi_core.plugins.registry import Registry
from mfbpi_core.running.loop import Run
from mfbpi_core.running.stopping import COLUMNS, Stopping


@attrs.frozen(kw_only=True)
class Begun:
    """A task whose run has begun.

    Attributes:
        task: the task.
        run: its run.
        skipped: metrics that do not apply, with the reason.
        used: what can change its numbers.
        rows: what was measured so far.
    """

    task: Task
    run: Run
    skipped: Mapping[str, str]
    used: Used
    rows: list[Row] = attrs.field(factory=list)


@attrs.frozen(kw_only=True)
class Stage:
    """A task before its agent is built.

    Attributes:
        task: the task.
        registry: where its plugins are found.
        agent: the agent's plugin and parameters.
        place: those of the environment.
        streams: the random streams of the run.
        environment: where the agent will act.
        problem: what the agent is told about it.
    """

    task: Task
    registry: Registry
    agent: Part
    place: Part
    streams: Streams
    environment: Environment
    problem: Problem

    @classmethod
    def of(cls, registry: Registry, task: Task) -> Stage:
        """Build the environment of a task."""
        place = build.find(registry, "environment", task.environment)
        environment = build.environment(place)
        return cls(
            task=task,
            registry=registry,
            agent=build.find(registry, "agent", task.agent),
            place=place,
            streams=Streams(task.seed),
            environment=environment,
            problem=build.problem(
                place.plugin, environment, discount=task.discount, horizon=task.horizon
            ),
        )

    def begin(self, agent: Agent, started: float) -> Begun:
        """The run of an agent, which has not taken a step.

        Args:
            agent: the agent.
            started: when the work began, on the clock of :func:`time.perf_counter`.
        """
        task = self.task
        with build.blaming(self.agent.plugin):
            provided = capabilities(self.environment, agent)
        skipped = self._not_applicable(provided)
        chosen = {
            ref.name: build.find(self.registry, "metric", ref)
            for ref in task.metrics
            if ref.name not in skipped
        }
        rule = self._rule()
        told = {} if rule is None else {stopping.NAME: COLUMNS}
        run = Run(
            environment=self.environment,
            agent=agent,
            metrics=self._metrics(chosen),
            columns={
                **{name: part.plugin.spec.columns for name, part in chosen.items()},
                **told,
            },
            stopping=self.stopping(),
            streams=self.streams,
            horizon=task.horizon,
            episodes=task.episodes,
            eval_every=task.eval_every,
            started=started,
            environment_name=self.place.plugin.described,
            agent_name=self.agent.plugin.described,
        )
        used = [self.agent, self.place, *chosen.values(), *([] if rule is None else [rule])]
        return Begun(
            task=task,
            run=run,
            skipped=skipped,
            used=Used(tuple(self._plugins(used)), contents(self.environment.made_of)),
        )

    def _rule(self) -> Part | None:
        """The stopping rule, if the task has one."""
        asked = self.task.stop
        return None if asked is None else build.find(self.registry, "stopping_rule", asked.rule)

    def stopping(self) -> Stopping | None:
        """The stopping rule, with nothing counted yet, if the task has one."""
        rule, asked = self._rule(), self.task.stop
        return stopping.begun(self.registry, rule, asked, self.problem, self.environment)

    def _plugins(self, parts: Sequence[Part]) -> list[Plugin]:
        """Those of some parts, and of the bounds that these name, each once."""
        wanted = (bound_of(part.config) for part in parts)
        names = dict.fromkeys(named.name for named in wanted if named is not None)
        bounds = [self.registry.get("bound", name) for name in names]
        return [*(part.plugin for part in parts), *bounds]

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

    def _metrics(self, chosen: Mapping[str, Part]) -> dict[str, Metric]:
        """The metrics by name; they share an environment that is not the agent's."""
        where, about = build.environment(self.place), self.problem
        return {
            name: build.metric(
                self.registry, part, about, where, self.streams.generator(f"metric:{name}")
            )
            for name, part in chosen.items()
        }


def capabilities(environment: Environment, agent: Agent) -> frozenset[str]:
    """What metrics may rely on in this run."""
    provided = set(environment.provides)
    if checked_policy(agent) is not None:
        provided.add("policy")
    if checked_allocation(agent) is not None:
        provided.add("allocation")
    return frozenset(provided)
