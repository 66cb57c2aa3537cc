"""Builds plugins from their names and parameters, with errors that name the plugin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from mfbpi_core.contracts.agent import Agent
from mfbpi_core.contracts.bound import Bound
from mfbpi_core.contracts.environment import Environment
from mfbpi_core.contracts.executor import Executor
from mfbpi_core.contracts.metric import Metric
from mfbpi_core.contracts.parameters.bounds import bound_of
from mfbpi_core.contracts.replicas import Replicas
from mfbpi_core.contracts.stopping import StoppingRule
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.data.problem import Problem
from mfbpi_core.data.task import PluginRef, StopRef
from mfbpi_core.plugins import bounding
from mfbpi_core.plugins.kinds import KINDS
from mfbpi_core.plugins.parts import Part as Part
from mfbpi_core.plugins.parts import blaming as blaming
from mfbpi_core.plugins.parts import find as find
from mfbpi_core.plugins.parts import parameters as parameters
from mfbpi_core.plugins.plugin import Plugin
from mfbpi_core.plugins.registry import Registry
from mfbpi_core.plugins.registry import find_environment as find_environment  # part of this module


def made(plugin: Plugin, config: object, **given: object) -> Any:
    """What a plugin's factory builds; its exceptions are not touched.

    Args:
        plugin: of any kind.
        config: its parameters.
        given: the other arguments of the factory, by the names that the kind's row has, and what
            :func:`named` returns.
    """
    arguments = {**given, "config": config}
    positional = [arguments.pop(name) for name in KINDS[plugin.kind].factory.arguments]
    return plugin.build(*positional, **arguments)


def named(registry: Registry, config: object, discount: float) -> dict[str, Bound]:
    """The bound that a configuration names, built, as ``{"bound": bound}``; nothing otherwise.

    Raises:
        NotFoundError: when no bound is called so.
        ConfigError: when the bound refuses a value that is handed on.
    """
    found = find_named(registry, config)
    return {} if found is None else {"bound": _blamed(*found, discount=discount)}


def find_named(registry: Registry, config: object) -> tuple[Plugin, Any] | None:
    """The bound that a configuration names, and its ``Config``; raises as :func:`named`."""
    wanted = bound_of(config)
    if wanted is None:
        return None
    plugin = registry.get("bound", wanted.name)
    return plugin, parameters(plugin, wanted.values(plugin.load_config()))


def build(plugin: Plugin, values: JsonObject, **given: object) -> Any:
    """The same from parameters as JSON has them; exceptions name the plugin."""
    return _blamed(plugin, parameters(plugin, values), **given)


def _blamed(plugin: Plugin, config: object, **given: object) -> Any:
    with blaming(plugin):
        built = made(plugin, config, **given)
    if isinstance(built, Bound):
        bounding.remember(built, plugin)
    return built


def environment(part: Part) -> Environment:
    """Build a fresh environment."""
    built: Environment = _blamed(part.plugin, part.config)
    return built


def problem(plugin: Plugin | None, where: Environment, *, discount: float, horizon: int) -> Problem:
    """What an agent is told about an environment; without a name where no plugin built it."""
    return Problem(
        n_states=where.n_states,
        n_actions=where.n_actions,
        observation_shape=where.observation_shape,
        observation_kind=where.observation_kind,
        discount=discount,
        horizon=horizon,
        reward_range=where.reward_range,
        environment="" if plugin is None else plugin.spec.name,
    )


def preset(plugin: Plugin, about: Problem) -> JsonObject:
    """The parameters that an agent's published settings for a problem replace."""
    if not plugin.spec.preset:
        return {}
    with blaming(plugin):
        return dict(plugin.load_preset()(about))


def check_replicas(registry: Registry, ref: PluginRef) -> str:
    """Refuse, before a run, replicas that no task could build; an agent may have none.

    Returns:
        What to say about them, or nothing; see :meth:`Replicas.advice`.
    """
    plugin = registry.get("agent", ref.name)
    if not plugin.spec.replicas:
        return ""
    with blaming(plugin):
        factory = plugin.load_replicas()
        if isinstance(factory, type) and issubclass(factory, Replicas):
            return factory.advice(parameters(plugin, ref.config))
    return ""


def check_agent(plugin: Plugin, ref: PluginRef, about: Problem) -> None:
    """Refuse, before a run, an agent that no task could build; see :meth:`Agent.check`."""
    config = parameters(plugin, ref.config)
    with blaming(plugin):
        factory = plugin.load_factory()
        if isinstance(factory, type) and issubclass(factory, Agent):
            factory.check(about, config)


def agent(registry: Registry, part: Part, about: Problem, rng: np.random.Generator) -> Agent:
    """Build an agent."""
    also = named(registry, part.config, about.discount)
    built: Agent = _blamed(part.plugin, part.config, problem=about, rng=rng, **also)
    return built


def replicas(part: Part, about: Problem, rngs: Sequence[np.random.Generator]) -> Replicas:
    """Build replicas of an agent that has them, one for each generator."""
    with blaming(part.plugin):
        built: Replicas = part.plugin.build_replicas(about, part.config, rngs)
    return built


def metric(
    registry: Registry,
    part: Part,
    about: Problem,
    where: Environment,
    rng: np.random.Generator,
) -> Metric:
    """Build a metric."""
    also = named(registry, part.config, about.discount)
    built: Metric = _blamed(
        part.plugin, part.config, problem=about, environment=where, rng=rng, **also
    )
    return built


def executor(
    registry: Registry, name: str, jobs: int | None, values: JsonObject | None = None
) -> Executor:
    """Build an executor; parameters without a value have their defaults."""
    built: Executor = build(registry.get("executor", name), values or {}, jobs=jobs)
    return built


def bound(plugin: Plugin, values: JsonObject, discount: float) -> Bound:
    """Build a bound for a discount."""
    built: Bound = build(plugin, values, discount=discount)
    return built


def stopping_rule(
    registry: Registry, part: Part, ref: StopRef, about: Problem
) -> StoppingRule[Any]:
    """Build a stopping rule."""
    also = named(registry, part.config, about.discount)
    asked = {**attrs.asdict(ref, recurse=False), **also}
    del asked["rule"]
    built: StoppingRule[Any] = _blamed(part.plugin, part.config, problem=about, **asked)
    return built
