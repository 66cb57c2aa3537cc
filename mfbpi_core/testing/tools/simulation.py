"""Rollouts in the simulator of an environment, by an installed agent that knows how to use it."""

from __future__ import annotations

import sys

import attrs
import numpy as np

from mfbpi_core.contracts.agent import Agent
from mfbpi_core.contracts.parameters import NoConfig
from mfbpi_core.data.transitions import Transitions
from mfbpi_core.plugins.plugin import Plugin
from mfbpi_core.running.interaction import Interaction
from mfbpi_core.testing.outcomes import CheckSkipped, require
from mfbpi_core.testing.subject import ENVIRONMENT_SEED, Subject, World
from mfbpi_core.testing.worlds.doubles import KitAgent

#: Columns of steps, in the order in which they are compared.
COLUMNS = ("observations", "actions", "next_observations", "rewards", "terminated", "truncated")


def rolled(subject: Subject, n_steps: int) -> Transitions:
    """Steps in the simulator of the environment under check, from a fixed seed.

    They are of the agent with the fewest parameters that uses it: one without any tries everything
    alike and plans nothing, while one that solves the model now and then takes minutes for these
    steps where there are hundreds of states, and visits fewer pairs.

    Raises:
        CheckSkipped: when there is no simulator, or no agent that uses it.
    """
    world = World(subject.plugin.spec.name, subject.environment)
    environment = world.make()
    if environment.simulator is None:
        raise CheckSkipped("the environment has no simulator")
    agents = subject.registry.of_kind("agent")
    fitting = [plugin for plugin in agents if plugin.spec.needs <= environment.provides]
    refusals = []
    for plugin in sorted(fitting, key=_parameters):
        interaction = _interaction(Subject(plugin, subject.registry), world)
        if interaction is None:
            continue
        try:
            simulator = interaction.environment.simulator
            assert simulator is not None  # looked at above
            steps = interaction.agent.advance(simulator, n_steps)
        except Exception as error:
            refusals.append(f"; {plugin.spec.name} raised {type(error).__name__}: {error}")
        else:
            if steps is not None:
                return steps
    raise CheckSkipped(f"no agent installed uses the simulator{''.join(refusals)}")


def _parameters(agent: Plugin) -> int:
    """How many it has; one whose configuration cannot be loaded comes last."""
    try:
        return len(attrs.fields(agent.load_config()))
    except Exception:
        return sys.maxsize


def _interaction(agent: Subject, world: World) -> Interaction | None:
    """An agent that may know simulators; one that cannot be built is another plugin's fault."""
    try:
        if getattr(agent.plugin.load_factory(), "advance", None) is Agent.advance:
            return None
        return agent.interaction(world)
    except Exception:
        return None


def require_same_steps(subject: Subject, steps: Transitions) -> None:
    """Require that the actions of a rollout lead to its steps when they are taken by `step`."""
    world = World(subject.plugin.spec.name, subject.environment)
    nobody = KitAgent(world.problem(), NoConfig(), np.random.default_rng(0))
    stepped = Interaction(world.make(), nobody, ENVIRONMENT_SEED)
    expected = stepped.gathered([stepped.act(int(action)) for action in steps.actions])
    unlike = [(_first_difference(steps, expected, name), name) for name in COLUMNS]
    for t, name in sorted(unlike)[:1]:
        if t < len(expected):
            here, there = (getattr(columns, name)[t] for columns in (steps, expected))
            pair = f"(s={expected.observations[t]}, a={expected.actions[t]})"
            message = f"in step {t}, from {pair}, {name} has {here} in the simulator"
            require(False, f"{message} and {there} by `step` or `reset`")


def _first_difference(steps: Transitions, expected: Transitions, name: str) -> int:
    """The first step that differs in a column, or their number."""
    one, other = (np.asarray(getattr(columns, name)) for columns in (steps, expected))
    require(one.shape == other.shape, f"{name} has shape {one.shape}; expected {other.shape}")
    rows = (one != other).reshape(len(other), -1).any(axis=1)
    return int(rows.argmax()) if rows.any() else len(other)
