"""Turns the options of ``mfbpi run`` into tasks: the grid of agents, environments and seeds."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from mfbpi_core import config as configs
from mfbpi_core.environment import Environment
from mfbpi_core.errors import ConflictError, RequirementError, UsageError
from mfbpi_core.plugin import Plugin
from mfbpi_core.registry import Registry
from mfbpi_core.task import PluginRef, Task
from mfbpi_run import build, choices
from mfbpi_run.settings import parse_seeds, unique

#: What an agent provides, known only once it is built: in the worker.
AGENT_CAPABILITIES = frozenset({"policy", "allocation"})


@attrs.frozen(kw_only=True)
class Request:
    """What the user asked for; None and empty leave it to the environment's protocol."""

    agents: tuple[str, ...]
    environments: tuple[str, ...]
    agent_settings: tuple[str, ...] = ()
    environment_settings: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    seeds: str | None = None
    steps: int | None = None
    episodes: int | None = None
    eval_every: int | None = None
    discount: float | None = None
    arrays: bool = False


@attrs.frozen(kw_only=True)
class Site:
    """An environment of the grid and how it is run; see :class:`mfbpi_core.task.Task`."""

    environment: PluginRef
    metrics: tuple[PluginRef, ...]
    seeds: tuple[int, ...]
    horizon: int
    episodes: int | None
    eval_every: int
    discount: float


@attrs.frozen(kw_only=True)
class Plan:
    """What will be run.

    Attributes:
        agents: the agents with their parameters.
        sites: the environments with theirs.
        arrays: whether the metrics' arrays are kept.
        metrics_asked_for: whether the user chose the metrics, and wants to know if one is skipped.
        warnings: what the user should know about the choice of metrics.
    """

    agents: tuple[PluginRef, ...]
    sites: tuple[Site, ...]
    arrays: bool = False
    metrics_asked_for: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def tasks(self) -> tuple[Task, ...]:
        """One task for each agent, environment and seed."""
        return tuple(
            self._task(agent, site, seed)
            for agent, site in itertools.product(self.agents, self.sites)
            for seed in site.seeds
        )

    def _task(self, agent: PluginRef, site: Site, seed: int) -> Task:
        settings = attrs.asdict(site, recurse=False)
        del settings["seeds"]
        return Task(agent=agent, seed=seed, arrays=self.arrays, **settings)

    def manifest(self) -> dict[str, Any]:
        """What one directory of results has in common, by label of agent and environment."""
        return {
            "agents": {agent.shown: _configured(agent) for agent in self.agents},
            "environments": {site.environment.shown: _described(site) for site in self.sites},
            "arrays": self.arrays,
        }


def _configured(ref: PluginRef) -> dict[str, Any]:
    return {"plugin": ref.name, "config": ref.config}


def _described(site: Site) -> dict[str, Any]:
    settings = attrs.asdict(site)
    del settings["seeds"], settings["environment"]
    settings["metrics"] = [metric.name for metric in site.metrics]
    return {**_configured(site.environment), **settings}


def make(registry: Registry, request: Request) -> Plan:
    """Resolve a request completely.

    Raises:
        UsageError: and its subclasses, for whatever cannot be run as asked.
    """
    agents = choices.agents(registry, request.agents, request.agent_settings)
    environments = choices.environments(
        registry, request.environments, request.environment_settings
    )
    metrics = _Metrics(registry, request.metrics)
    sites = [_site(registry, request, ref, agents, metrics) for ref in environments]
    return Plan(
        agents=tuple(agents),
        sites=tuple(sites),
        arrays=request.arrays,
        metrics_asked_for=metrics.asked_for,
        warnings=metrics.warnings,
    )


def _site(
    registry: Registry,
    request: Request,
    ref: PluginRef,
    agents: Iterable[PluginRef],
    metrics: _Metrics,
) -> Site:
    plugin, _ = build.find_environment(registry, ref.name)
    with build.blaming(plugin):
        environment = build.environment(registry, ref)
        provided = environment.provides
    for agent in agents:
        _check_needs(registry.get("agent", agent.name), ref, provided)
    horizon, episodes = _length(request, ref, environment)
    protocol = environment.protocol
    return Site(
        environment=ref,
        metrics=metrics.for_environment(ref, provided),
        seeds=parse_seeds(f"0:{protocol.seeds}" if request.seeds is None else request.seeds),
        horizon=horizon,
        episodes=episodes,
        eval_every=request.eval_every or protocol.eval_every,
        discount=_discount(protocol.discount if request.discount is None else request.discount),
    )


def _discount(value: float) -> float:
    if not 0.0 < value < 1.0:
        raise UsageError(f"--discount is {value:g}; expected a number between 0 and 1, exclusive")
    return value


def _length(request: Request, ref: PluginRef, environment: Environment) -> tuple[int, int | None]:
    """Number of steps, and of episodes if these end the run sooner."""
    steps, episodes = request.steps, request.episodes
    if steps is None and episodes is None:
        steps, episodes = environment.protocol.horizon, environment.protocol.episodes
    if steps is not None:
        return steps, episodes
    longest = environment.max_episode_steps
    if episodes is None or longest is None:
        raise UsageError(
            f"environment {ref.shown} has no longest episode, so that --episodes does not say how "
            "long to run; give --steps"
        )
    return episodes * longest, episodes


def _check_needs(plugin: Plugin, where: PluginRef, provided: frozenset[str]) -> None:
    missing = plugin.spec.needs - provided - AGENT_CAPABILITIES
    if missing:
        raise RequirementError(
            f"{plugin.kind} {plugin.spec.name} needs {', '.join(sorted(missing))}, which "
            f"environment {where.shown} does not provide; "
            f"it provides: {', '.join(sorted(provided)) or 'nothing'}"
        )


class _Metrics:
    """The metrics asked for, or every default one that applies.

    Attributes:
        warnings: default metrics left out because several distributions claim their name.
    """

    def __init__(self, registry: Registry, names: tuple[str, ...]) -> None:
        self.asked_for = bool(names)
        self.warnings: tuple[str, ...] = ()
        chosen = (
            [registry.get("metric", name) for name in names]
            if names
            else [p for p in registry.of_kind("metric") if p.spec.default]
        )
        self.plugins = {choices.canonical_name(registry, plugin): plugin for plugin in chosen}
        if self.asked_for:
            unique("--metric", [choices.canonical_name(registry, plugin) for plugin in chosen])
        else:
            self._leave_out_ambiguous()

    def _leave_out_ambiguous(self) -> None:
        ambiguous = [name for name, plugin in self.plugins.items() if name != plugin.spec.name]
        for name in ambiguous:
            del self.plugins[name]
        if ambiguous:
            self.warnings = (
                "several metrics have one name and are left out; choose with --metric: "
                + ", ".join(ambiguous),
            )

    def for_environment(self, ref: PluginRef, provided: frozenset[str]) -> tuple[PluginRef, ...]:
        """Those that can be measured there, sorted by name."""
        if self.asked_for:
            for plugin in self.plugins.values():
                _check_needs(plugin, ref, provided)
        applicable = {
            name: plugin
            for name, plugin in self.plugins.items()
            if plugin.spec.needs <= provided | AGENT_CAPABILITIES
        }
        _check_columns(applicable)
        return tuple(
            PluginRef(name=name, config=_defaults(plugin))
            for name, plugin in sorted(applicable.items())
        )


def _defaults(plugin: Plugin) -> dict[str, Any]:
    return dict(configs.to_dict(build.parameters(plugin, {})))


def _check_columns(plugins: Mapping[str, Plugin]) -> None:
    """Refuse two metrics that write the same column: their rows could not be told apart."""
    owners: dict[str, str] = {}
    for name, plugin in plugins.items():
        for column in plugin.spec.columns:
            if owners.setdefault(column.name, name) != name:
                raise ConflictError(
                    f"metrics {owners[column.name]} and {name} both measure {column.name!r}; "
                    "choose one with --metric"
                )
