"""The plugin under check: building it, and finding what it needs to be built with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import attrs
import numpy as np

from mfbpi_core.contracts.agent import Agent
from mfbpi_core.contracts.bound import Bound
from mfbpi_core.contracts.environment import Environment
from mfbpi_core.data.problem import Problem
from mfbpi_core.errors import UsageError
from mfbpi_core.plugins import assembly
from mfbpi_core.plugins.plugin import Plugin
from mfbpi_core.plugins.registry import Registry
from mfbpi_core.running.interaction import Interaction
from mfbpi_core.testing.outcomes import CheckSkipped
from mfbpi_core.testing.worlds.instances import ModelEnvironment, OneHotEnvironment, two_state_chain

#: Discount, horizon and seeds of every interaction of the kit; any would do.
DISCOUNT = 0.9
HORIZON = 10_000
ENVIRONMENT_SEED = 5
AGENT_SEED = 11


@attrs.frozen
class World:
    """A way to make environments, all alike, and the name they go by."""

    name: str
    make: Callable[[], Environment]

    @property
    def where(self) -> str:
        """The name in brackets, for messages; nothing for the kit's own."""
        return f" (environment {self.name})" if self.name else ""

    def problem(self) -> Problem:
        """What an agent is told about this environment."""
        told = assembly.problem(None, self.make(), discount=DISCOUNT, horizon=HORIZON)
        return attrs.evolve(told, environment=self.name)


#: The kit's own environments, tried before those installed: with integer states and with arrays.
KIT_WORLDS = (
    World("", lambda: ModelEnvironment(two_state_chain())),
    World("", lambda: OneHotEnvironment(two_state_chain())),
)


@attrs.frozen
class Subject:
    """A plugin, and the registry where it may find what it needs.

    Attributes:
        plugin: what is checked.
        registry: every plugin installed.
    """

    plugin: Plugin
    registry: Registry

    def config(self) -> Any:
        """The default configuration."""
        return self.plugin.load_config()()

    def made(self, **given: object) -> Any:
        """What the plugin's factory builds, with its default configuration."""
        return assembly.made(self.plugin, self.config(), **given)

    def environment(self) -> Environment:
        """A new instance of the environment under check."""
        made: Environment = self.made()
        return made

    def agent(self, problem: Problem, seed: int = AGENT_SEED) -> Agent:
        """A new instance of the agent under check."""
        rng, also = np.random.default_rng(seed), self.bound(problem)
        made: Agent = self.made(problem=problem, rng=rng, **also)
        return made

    def bound(self, problem: Problem) -> dict[str, Bound]:
        """The bound that the default configuration names, if it names one."""
        return assembly.named(self.registry, self.config(), problem.discount)

    def interaction(self, world: World, seed: int = AGENT_SEED) -> Interaction:
        """The agent under check at the start of a run; all with one seed are alike."""
        agent = self.agent(world.problem(), seed)
        return Interaction(world.make(), agent, ENVIRONMENT_SEED)

    def world(self) -> World:
        """The first environment that offers what the agent under check needs."""
        for world in self._candidates(self.plugin.spec.needs):
            if self._accepts(world):
                return world
        raise CheckSkipped(self._nothing_found("environment"))

    def compiled_world(self) -> World | None:
        """An environment with a simulator that the agent under check knows how to use, if any."""
        if getattr(self.plugin.load_factory(), "advance", None) is Agent.advance:
            return None
        for world in self._candidates(self.plugin.spec.needs):
            if world.make().simulator is not None and self._accepts(world) and self._rolls(world):
                return world
        return None

    def worlds(self) -> list[World]:
        """Where the agent is checked: step by step, and compiled if it can be."""
        compiled = self.compiled_world()
        return [self.world()] if compiled is None else [self.world(), compiled]

    def installed_worlds(self) -> list[World]:
        """Installed environments that offer what the agent under check needs."""
        candidates = self._candidates(self.plugin.spec.needs)
        return [world for world in candidates if world.name and self._accepts(world)]

    def metric_world(self, offered_by_agent: Callable[[Problem], frozenset[str]]) -> World:
        """The first environment that, with an agent's offers, has what the metric needs."""
        needs = self.plugin.spec.needs
        for world in self._candidates(frozenset()):
            if needs <= world.make().provides | offered_by_agent(world.problem()):
                return world
        raise CheckSkipped(self._nothing_found("environment and agent"))

    def _candidates(self, needs: frozenset[str]) -> Iterator[World]:
        yield from (world for world in KIT_WORLDS if needs <= world.make().provides)
        for plugin in self.registry.of_kind("environment"):
            world = World(plugin.spec.name, _maker(plugin))
            if _provides(world, needs):
                yield world

    def _accepts(self, world: World) -> bool:
        """Whether the agent can be built for it; refusing is a :class:`UsageError`."""
        try:
            self.agent(world.problem())
        except UsageError:
            return False
        return True

    def _rolls(self, world: World) -> bool:
        interaction = self.interaction(world)
        simulator = interaction.environment.simulator
        return simulator is not None and interaction.agent.advance(simulator, 1) is not None

    def _nothing_found(self, what: str) -> str:
        needs = ", ".join(sorted(self.plugin.spec.needs)) or "nothing in particular"
        return (
            f"found no {what} for {self.plugin.kind} {self.plugin.spec.name}, which needs {needs}"
        )


def _maker(plugin: Plugin) -> Callable[[], Environment]:
    def make() -> Environment:
        """An environment with its default configuration."""
        made: Environment = assembly.made(plugin, plugin.load_config()())
        return made

    return make


def _provides(world: World, needs: frozenset[str]) -> bool:
    """Whether it does; an environment that cannot be built is another plugin's fault."""
    try:
        return needs <= world.make().provides
    except Exception:
        return False
