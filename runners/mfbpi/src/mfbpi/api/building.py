"""Environments and agents by name, to be stepped in a loop of one's own."""

from __future__ import annotations

import contextlib

from mfbpi.api.given import Plugin, one
from mfbpi.execute.working import compiled
from mfbpi.plan import grid, selection
from mfbpi.plan.metrics import check_needs
from mfbpi_core.contracts.agent import Agent
from mfbpi_core.contracts.environment import Environment
from mfbpi_core.contracts.experiment import Choice, RunSettings
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.data.seeding import Streams
from mfbpi_core.data.task import PluginRef
from mfbpi_core.errors import UsageError
from mfbpi_core.plugins import adoption, assembly
from mfbpi_core.plugins import plugin as plugins
from mfbpi_core.plugins.registry import Registry

#: Where an environment of :func:`make_environment` says what it is.
_MADE_AS = "_mfbpi_made_as"


def make_environment(name: Plugin | object, /, **parameters: object) -> Environment:
    """Build an environment; ``reset`` and ``step`` have Gymnasium's signatures.

    Args:
        name: its name, what :func:`mfbpi.environment` returns, or an environment of another
            library for which a plugin is installed, such as one of ``gymnasium.make``.
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
    if not isinstance(name, str | Choice | type):
        return _adopted(registry, name, parameters)
    (choice,) = selection.given(registry, "environment", [one(name, parameters)])
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
        raise UsageError(
            f"{type(given).__module__}.{type(given).__qualname__} is no environment that an "
            "installed plugin knows; expected a name, or an environment of a library such as "
            "Gymnasium with its plugin (mfbpi-env-gymnasium)"
        )
    return adopted


def make_agent(
    name: Plugin,
    environment: Environment,
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
        environment: from :func:`make_environment`, or any other.
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
    return agent_of(registry, choice, environment, seed=seed, discount=discount, steps=steps)


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
    check_needs(choice.plugin, where, environment.provides)
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
