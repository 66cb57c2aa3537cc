"""Environments and agents by name, to be stepped in a loop of one's own."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import TypeAlias

from mfbpi.api import objects
from mfbpi.api.given import Plugin, World, one
from mfbpi.execute.working import compiled
from mfbpi.plan import definition, grid, selection, unchanged
from mfbpi.plan.metrics import check_needs
from mfbpi_core.contracts.agent import Agent
from mfbpi_core.contracts.environment import Environment
from mfbpi_core.contracts.experiment import Choice, RunSettings
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.data.seeding import Streams
from mfbpi_core.data.task import PluginRef
from mfbpi_core.errors import UsageError
from mfbpi_core.plugins import adoption, assembly
from mfbpi_core.plugins import plugin as plugins
from mfbpi_core.plugins.registry import Registry

#: What an environment can be made of; the object is one of another library.
Anything: TypeAlias = World | Environment | object

#: Where an environment of :func:`make_environment` says what it is.
_MADE_AS = "_mfbpi_made_as"


@unchanged.running()
def make_environment(name: Anything, /, **parameters: object) -> Environment:
    """Build an environment; ``reset`` and ``step`` have Gymnasium's signatures.

    Args:
        name: its name, what :func:`mfbpi.environment` returns, a model of :func:`mfbpi.mdp`, the
            path of a model's file, or an environment of another library for which a plugin is
            installed, such as one of ``gymnasium.make``.
        parameters: values of its parameters.

    Raises:
        UsageError: when there is no such environment, or a parameter is wrong.

    Example:
        >>> import mfbpi
        >>> env = mfbpi.make_environment("riverswim", n_states=20)
        >>> state, info = env.reset(seed=0)
        >>> env.n_states, state
        (20, 0)
    """
    registry = Registry.discover()
    compiled.find_place(registry)
    return made(registry, name, **parameters)


def made(registry: Registry, where: Anything, /, **parameters: object) -> Environment:
    """The environment that something stands for; one that is there already, without parameters.

    Raises:
        UsageError: see :func:`make_environment`.
    """
    if isinstance(where, TabularMDP):
        # Read at once and not again: nothing needs to stay.
        with tempfile.TemporaryDirectory() as folder:
            name = objects.written(registry, where, Path(folder))
            return made(registry, Choice(name, label=objects.model_called(where)), **parameters)
    if isinstance(where, Environment) and not parameters:
        return where
    if isinstance(where, type) and not definition.is_plugin(where):
        raise _unknown(where)
    if not isinstance(where, str | Choice | type | Path):
        return _adopted(registry, where, parameters)
    (choice,) = selection.given(registry, "environment", [one(where, parameters)])
    return built(registry, choice)


def built(registry: Registry, choice: selection.Chosen) -> Environment:
    """The environment that was chosen, which says what it is."""
    ref = choice.ref()
    made = assembly.environment(assembly.find(registry, "environment", ref))
    with contextlib.suppress(AttributeError):  # of a class with slots it stays unknown
        setattr(made, _MADE_AS, (choice.plugin, ref))
    return made


def _adopted(registry: Registry, given: object, parameters: JsonObject) -> Environment:
    """What a plugin makes of another library's environment; raises :class:`UsageError`."""
    adopted = adoption.adopted(registry, given, parameters)
    if adopted is None:
        raise _unknown(given)
    return adopted


def _unknown(given: object) -> UsageError:
    """Neither a name nor an environment that a plugin knows."""
    if isinstance(given, Environment):
        return UsageError("an environment that is made already takes no parameters any more")
    told = ""
    if isinstance(given, type) and objects.steps(given):
        told = "; make one, and give that"
    elif not objects.steps(given):
        told = objects.advice(given)
    return UsageError(
        f"{objects.shown(given)} is no environment that an installed plugin knows; expected a "
        "name, a model (`mfbpi.mdp`), the Path of its file, or an environment of a library such as "
        f"Gymnasium with its plugin (mfbpi-env-gymnasium){told}"
    )


@unchanged.running()
def make_agent(
    name: Plugin,
    environment: Anything,
    /,
    *,
    seed: int,
    discount: float | None = None,
    steps: int | None = None,
    **parameters: object,
) -> Agent:
    """Build an agent for an environment, as a run would; it is told the sizes and never the model.

    Args:
        name: its name, or what :func:`mfbpi.agent` returns.
        environment: from :func:`make_environment`, or any other; or what that takes, such as its
            name.
        seed: of the agent's generator, the same as that of a run with this seed.
        discount: gamma; the environment's own if None.
        steps: how many it will be given; the environment's own number if None.
        parameters: values of its parameters.

    Raises:
        UsageError: when there is no such agent, it cannot work there, or a parameter is wrong.

    Example:
        >>> import mfbpi
        >>> from mfbpi_core import Transition
        >>> env = mfbpi.make_environment("riverswim")
        >>> agent = mfbpi.make_agent("mf_bpi", env, seed=0)
        >>> state, _ = env.reset(seed=0)
        >>> for _ in range(100):
        ...     action = agent.select_action(state)
        ...     following, reward, terminated, truncated, _ = env.step(action)
        ...     agent.update(Transition(state, action, reward, following, terminated, truncated))
        ...     state = following
        >>> agent.recommended_policy().shape
        (5,)
    """
    registry = Registry.discover()
    compiled.find_place(registry)
    (choice,) = selection.given(registry, "agent", [one(name, parameters)])
    where = made(registry, environment)
    return agent_of(registry, choice, where, seed=seed, discount=discount, steps=steps)


def agent_of(
    registry: Registry,
    choice: selection.Chosen,
    environment: Environment,
    *,
    seed: int,
    discount: float | None = None,
    steps: int | None = None,
) -> Agent:
    """The agent that was chosen, for an environment; see :func:`make_agent`."""
    plugin, where = described(environment)
    check_needs(choice.plugin, where, environment.provides, environment.lacking)
    horizon, _ = grid.length(RunSettings(steps=steps), where, environment)
    about = assembly.problem(
        plugin,
        environment,
        discount=grid.checked_discount(
            environment.protocol.discount if discount is None else discount
        ),
        horizon=horizon,
    )
    ref = grid.planned_agent(choice, about)
    part = assembly.find(registry, "agent", ref)
    return assembly.agent(registry, part, about, Streams(seed).generator("agent"))


def described(environment: Environment) -> tuple[plugins.Plugin | None, PluginRef]:
    """The plugin that an environment is of, if it is known, and what messages call it."""
    unknown = None, PluginRef(name=type(environment).__name__)
    made_as: tuple[plugins.Plugin | None, PluginRef] = getattr(environment, _MADE_AS, unknown)
    return made_as
