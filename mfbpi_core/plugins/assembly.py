"""Builds plugins from their names and parameters, with errors that name the plugin."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import attrs
import numpy as np

from mfbpi_core import forks
from mfbpi_core.contracts import parameters as configs
from mfbpi_core.contracts.agent import Agent
from mfbpi_core.contracts.bound import Bound
from mfbpi_core.contracts.environment import Environment
from mfbpi_core.contracts.executor import Executor
from mfbpi_core.contracts.metric import Metric
from mfbpi_core.contracts.replicas import Replicas
from mfbpi_core.contracts.stopping import StoppingRule
from mfbpi_core.data.problem import Problem
from mfbpi_core.data.task import PluginRef, StopRef
from mfbpi_core.errors import MfbpiError, NotFoundError, PluginError
from mfbpi_core.plugins.kinds import KINDS
from mfbpi_core.plugins.plugin import Plugin
from mfbpi_core.plugins.registry import Registry
from mfbpi_core.text import described


@contextmanager
def blaming(plugin: Plugin) -> Iterator[None]:
    """Turn an unforeseen exception of a plugin into a :class:`PluginError` that names it."""
    owner = os.getpid()
    try:
        yield
    except MfbpiError:
        raise
    except (Exception, SystemExit, GeneratorExit) as error:  # the others would end the process
        raise PluginError(f"{plugin.described}: {described(error)}") from error
    finally:
        forks.end_copy(owner)


def find_environment(registry: Registry, label: str) -> tuple[Plugin, dict[str, str]]:
    """Find an environment by ``name``, ``distribution:name`` or ``name:argument``.

    Returns:
        The plugin, and the parameter that the argument sets, if there is one.

    Raises:
        NotFoundError: when no environment is called so.
    """
    try:
        return registry.get("environment", label), {}
    except NotFoundError:
        found = _with_argument(registry, label)
        if found is None:
            raise
    return found


def _with_argument(registry: Registry, label: str) -> tuple[Plugin, dict[str, str]] | None:
    """Try every colon, from the right, as the one before the argument."""
    for position in reversed([i for i, character in enumerate(label) if character == ":"]):
        name, argument = label[:position], label[position + 1 :]
        try:
            plugin = registry.get("environment", name)
        except NotFoundError:
            continue
        if not plugin.spec.argument:
            raise NotFoundError(
                f"environment {name} takes nothing after a colon, but {label!r} was given; "
                "set its parameters with `environment_settings` KEY=VALUE"
            )
        return plugin, {plugin.spec.argument: argument}
    return None


def parameters(plugin: Plugin, values: dict[str, Any]) -> Any:
    """The plugin's ``Config`` with these values."""
    with blaming(plugin):
        return configs.from_dict(plugin.load_config(), values)


def made(plugin: Plugin, config: Any, **given: Any) -> Any:
    """What a plugin's factory builds; its exceptions are not touched.

    Args:
        plugin: of any kind.
        config: its parameters.
        given: the other arguments of the factory, by the names that the kind's row has.
    """
    arguments = {**given, "config": config}
    return plugin.build(*(arguments[name] for name in KINDS[plugin.kind].factory.arguments))


def build(plugin: Plugin, values: dict[str, Any], **given: Any) -> Any:
    """The same from parameters as JSON has them; exceptions name the plugin."""
    config = parameters(plugin, values)
    with blaming(plugin):
        return made(plugin, config, **given)


def environment(registry: Registry, ref: PluginRef) -> Environment:
    """Build a fresh environment."""
    plugin, _ = find_environment(registry, ref.name)
    built: Environment = build(plugin, ref.config)
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


def preset(plugin: Plugin, about: Problem) -> dict[str, Any]:
    """The parameters that an agent's published settings for a problem replace."""
    if not plugin.spec.preset:
        return {}
    with blaming(plugin):
        return dict(plugin.load_preset()(about))


def check_replicas(registry: Registry, ref: PluginRef) -> None:
    """Refuse, before a run, replicas that no task could build; an agent may have none."""
    plugin = registry.get("agent", ref.name)
    if plugin.spec.replicas:
        plugin.load_replicas()


def check_agent(plugin: Plugin, ref: PluginRef, about: Problem) -> None:
    """Refuse, before a run, an agent that no task could build; see :meth:`Agent.check`."""
    config = parameters(plugin, ref.config)
    with blaming(plugin):
        factory = plugin.load_factory()
        if isinstance(factory, type) and issubclass(factory, Agent):
            factory.check(about, config)


def agent(registry: Registry, ref: PluginRef, about: Problem, rng: np.random.Generator) -> Agent:
    """Build an agent."""
    plugin = registry.get("agent", ref.name)
    built: Agent = build(plugin, ref.config, problem=about, rng=rng)
    return built


def replicas(
    registry: Registry, ref: PluginRef, about: Problem, rngs: Sequence[np.random.Generator]
) -> Replicas:
    """Build replicas of an agent that has them, one for each generator."""
    plugin = registry.get("agent", ref.name)
    config = parameters(plugin, ref.config)
    with blaming(plugin):
        built: Replicas = plugin.build_replicas(about, config, rngs)
    return built


def metric(
    registry: Registry,
    ref: PluginRef,
    about: Problem,
    where: Environment,
    rng: np.random.Generator,
) -> Metric:
    """Build a metric."""
    plugin = registry.get("metric", ref.name)
    built: Metric = build(plugin, ref.config, problem=about, environment=where, rng=rng)
    return built


def executor(
    registry: Registry, name: str, jobs: int, values: dict[str, Any] | None = None
) -> Executor:
    """Build an executor; parameters without a value have their defaults."""
    built: Executor = build(registry.get("executor", name), values or {}, jobs=jobs)
    return built


def bound(plugin: Plugin, values: dict[str, Any], discount: float) -> Bound:
    """Build a bound for a discount."""
    built: Bound = build(plugin, values, discount=discount)
    return built


def stopping_rule(registry: Registry, ref: StopRef, about: Problem) -> StoppingRule:
    """Build a stopping rule."""
    plugin, asked = registry.get("stopping_rule", ref.rule.name), attrs.asdict(ref, recurse=False)
    del asked["rule"]
    built: StoppingRule = build(plugin, ref.rule.config, problem=about, **asked)
    return built
