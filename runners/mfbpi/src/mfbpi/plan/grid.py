"""Turns choices and settings into tasks: the grid of agents, environments and seeds."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs

from mfbpi.plan import stopping
from mfbpi.plan.metrics import Measured, Metrics, check_needs
from mfbpi.plan.selection import Chosen
from mfbpi.plan.settings import compact, parse_seeds
from mfbpi.plan.sharding import Shard
from mfbpi_core.contracts.environment import Environment
from mfbpi_core.contracts.experiment import RunSettings
from mfbpi_core.contracts.parts import check_parts
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.data.problem import Problem
from mfbpi_core.data.task import PluginRef, StopRef, Task
from mfbpi_core.errors import UsageError
from mfbpi_core.plugins import assembly as build
from mfbpi_core.plugins.registry import Registry

#: Steps are stored as 64-bit integers.
LARGEST_COUNT = 2**63 - 1


@attrs.frozen(kw_only=True)
class Site:
    """An environment of the grid, the agents with their parameters there, and how they are run.

    Attributes:
        made_of: files and modules that the environment says it is made of.

    The other attributes are those of :class:`mfbpi_core.data.task.Task`.
    """

    environment: PluginRef
    agents: tuple[PluginRef, ...]
    metrics: tuple[PluginRef, ...]
    seeds: tuple[int, ...]
    horizon: int
    episodes: int | None
    eval_every: int
    discount: float
    stop: StopRef | None = None
    made_of: tuple[Path | str, ...] = ()


@attrs.frozen(kw_only=True)
class TaskPlan:
    """What will be run.

    Attributes:
        sites: the environments, each with the same agents.
        arrays: whether the metrics' arrays are kept.
        metrics_asked_for: whether the user chose the metrics, and wants to know if one is skipped.
        warnings: what the user should know about the choice of metrics.
        shard: the part of the tasks that is run; None for all of them.
    """

    sites: tuple[Site, ...]
    arrays: bool = False
    metrics_asked_for: bool = False
    warnings: tuple[str, ...] = ()
    shard: Shard | None = None

    @functools.cached_property
    def tasks(self) -> tuple[Task, ...]:
        """One task for each agent, environment and seed; of a shard, its part of them."""
        tasks = self._all_tasks()
        return tasks if self.shard is None else tuple(self.shard.of(tasks))

    def _all_tasks(self) -> tuple[Task, ...]:
        return tuple(
            self._task(site.agents[index], site, seed)
            for index in range(len(self.agents))
            for site in self.sites
            for seed in site.seeds
        )

    @property
    def agents(self) -> list[str]:
        """Labels of the agents."""
        return [agent.shown for agent in self.sites[0].agents]

    def _task(self, agent: PluginRef, site: Site, seed: int) -> Task:
        settings = attrs.asdict(site, recurse=False)
        del settings["seeds"], settings["agents"], settings["made_of"]
        return Task(agent=agent, seed=seed, arrays=self.arrays, **settings)

    def manifest(self) -> JsonObject:
        """What one directory of results has in common, by label of agent and environment.

        It is that of the whole grid, so that each shard says how much there will be.
        """
        return {
            "agents": {
                f"{agent.shown} on {site.environment.shown}": _configured(agent)
                for site in self.sites
                for agent in site.agents
            },
            "environments": {site.environment.shown: _described(site) for site in self.sites},
            "arrays": self.arrays,
            "seeds": {
                f"{agent} on {site.environment.shown}": compact(site.seeds)
                for site in self.sites
                for agent in self.agents
            },
        }


def _configured(ref: PluginRef) -> JsonObject:
    return {"plugin": ref.name, "config": ref.config}


def _described(site: Site) -> JsonObject:
    settings = attrs.asdict(site)
    for name in ("seeds", "environment", "agents", "made_of"):
        del settings[name]
    if site.stop is None:
        del settings["stop"]
    settings["metrics"] = {metric.shown: metric.config for metric in site.metrics}
    return {**_configured(site.environment), **settings}


def make(
    registry: Registry,
    agents: Sequence[Chosen],
    environments: Sequence[Chosen],
    settings: RunSettings,
    discounts: Mapping[str, float] | None = None,
) -> TaskPlan:
    """Resolve a grid completely.

    Args:
        registry: what is installed.
        agents: the agents.
        environments: the environments.
        settings: how all of them are run.
        discounts: discount by label of the environment, before that of the settings.

    Raises:
        UsageError: and its subclasses, for whatever cannot be run as asked.
    """
    metrics = Metrics.of(registry, settings.metrics, settings.metric_settings)
    own = discounts or {}
    found = [
        _site(
            registry,
            attrs.evolve(settings, discount=own.get(choice.label, settings.discount)),
            choice,
            agents,
            metrics,
        )
        for choice in environments
    ]
    warnings = [*metrics.warnings, *(text for _, measured in found for text in measured.warnings)]
    return TaskPlan(
        sites=tuple(site for site, _ in found),
        arrays=settings.arrays,
        metrics_asked_for=metrics.asked_for,
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _site(
    registry: Registry,
    settings: RunSettings,
    choice: Chosen,
    agents: Sequence[Chosen],
    metrics: Metrics,
) -> tuple[Site, Measured]:
    """An environment with its agents, and what is measured there."""
    ref = choice.ref()
    with build.blaming(choice.plugin):
        environment = build.environment(build.find(registry, "environment", ref))
        check_parts(environment)
        provided, protocol = environment.provides, environment.protocol
    for agent in agents:
        check_needs(agent.plugin, ref, provided, environment.lacking)
    horizon, episodes = length(settings, ref, environment)
    _check_counts(steps=horizon, eval_every=settings.eval_every or 1)
    discount = checked_discount(
        protocol.discount if settings.discount is None else settings.discount
    )
    problem = build.problem(choice.plugin, environment, discount=discount, horizon=horizon)
    planned = tuple(planned_agent(agent, problem) for agent in agents)
    measured = metrics.measured(ref, provided, agents, problem)
    site = Site(
        environment=ref,
        agents=planned,
        metrics=measured.refs,
        seeds=parse_seeds(f"0:{protocol.seeds}" if settings.seeds is None else settings.seeds),
        horizon=horizon,
        episodes=episodes,
        eval_every=settings.eval_every or protocol.eval_every,
        discount=discount,
        stop=stopping.asked(registry, settings, problem),
        made_of=tuple(environment.made_of),
    )
    return site, measured


def planned_agent(choice: Chosen, problem: Problem) -> PluginRef:
    """The agent with its parameters there, of which no task would have to say that it fails."""
    ref = choice.ref(build.preset(choice.plugin, problem))
    build.check_agent(choice.plugin, ref, problem)
    return ref


def checked_discount(value: float) -> float:
    """The discount; raises :class:`UsageError` where it is none."""
    if not 0.0 < value < 1.0:
        raise UsageError(f"`discount` is {value:g}; expected a number between 0 and 1, exclusive")
    return value


def _check_counts(**counts: int) -> None:
    for name, count in counts.items():
        if not 1 <= count <= LARGEST_COUNT:
            raise UsageError(f"`{name}` is {count}; expected 1 to 2**63 - 1, as the rows hold it")


def length(
    settings: RunSettings, ref: PluginRef, environment: Environment
) -> tuple[int, int | None]:
    """Number of steps, and of episodes if these end the run sooner."""
    steps, episodes = settings.steps, settings.episodes
    if steps is None and episodes is None:
        steps, episodes = environment.protocol.horizon, environment.protocol.episodes
    if steps is not None:
        return steps, episodes
    longest = environment.max_episode_steps
    if episodes is None or longest is None:
        raise UsageError(
            f"environment {ref.shown} has no longest episode, so that `episodes` does not say how "
            "long to run; give `steps`"
        )
    return episodes * longest, episodes
