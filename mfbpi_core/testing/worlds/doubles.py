"""Stand-ins for the other side of a contract: a simple agent, replicas, a metric that records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from mfbpi_core.contracts.agent import Agent
from mfbpi_core.contracts.environment import Environment
from mfbpi_core.contracts.metric import Metric, Snapshot
from mfbpi_core.contracts.replicas import Replicas
from mfbpi_core.data.plain import StateDict
from mfbpi_core.data.problem import Observation, Problem
from mfbpi_core.data.transitions import Transition, Transitions

#: Learning rate of :class:`KitAgent`.
RATE = 0.1


class KitAgent(Agent):
    """Explores uniformly, learns by Q-learning in integer states; for checking metrics."""

    def __init__(self, problem: Problem, config: object, rng: np.random.Generator) -> None:
        super().__init__(problem, config, rng)
        n_states = problem.n_states or 1
        self.q = np.zeros((n_states, problem.n_actions))  # Q[s, a]
        self.counts = np.ones((n_states, problem.n_actions))  # N[s, a], from 1

    def select_action(self, observation: Observation) -> int:
        """Any action."""
        return int(self.rng.integers(self.problem.n_actions))

    def update(self, transition: Transition) -> None:
        """One step of Q-learning."""
        s, a = self._row(transition.observation), transition.action
        following = 0.0
        if not transition.terminated:
            following = float(self.q[self._row(transition.next_observation)].max())
        target = transition.reward + self.problem.discount * following
        self.q[s, a] += RATE * (target - self.q[s, a])
        self.counts[s, a] += 1

    def recommend(self, observation: Observation) -> int:
        """The greedy action."""
        return int(self.q[self._row(observation)].argmax())

    @property
    def allocation(self) -> npt.NDArray[np.float64] | None:
        """The visit frequencies."""
        if self.problem.n_states is None:
            return None
        frequencies: npt.NDArray[np.float64] = self.counts / self.counts.sum()
        return frequencies

    def _row(self, observation: Observation) -> int:
        return int(observation) if self.problem.n_states is not None else 0


class OneByOne(Replicas):
    """Replicas that share nothing, one after the other; subclasses name another agent."""

    agent_type: ClassVar[type[Agent]] = KitAgent

    def __init__(
        self, problem: Problem, config: object, rngs: Sequence[np.random.Generator]
    ) -> None:
        super().__init__(problem, config, rngs)
        self.agents = [self.agent_type(problem, config, rng) for rng in rngs]

    def select_actions(self, observations: Sequence[Observation]) -> list[int]:
        """Each its own."""
        pairs = zip(self.agents, observations, strict=True)
        return [agent.select_action(observation) for agent, observation in pairs]

    def update(self, transitions: Sequence[Transition]) -> None:
        """Each its own."""
        for agent, transition in zip(self.agents, transitions, strict=True):
            agent.update(transition)

    def state_dict(self) -> StateDict:
        """Nothing more: the agents are saved with their runs."""
        return {}

    def load_state_dict(self, state: StateDict) -> None:
        """Nothing."""


class Recorder(Metric):
    """Keeps every chunk that it observes."""

    def __init__(
        self, problem: Problem, environment: Environment, config: object, rng: np.random.Generator
    ) -> None:
        super().__init__(problem, environment, config, rng)
        self.chunks: list[Transitions] = []

    def observe(self, transitions: Transitions) -> None:
        """Keep the chunk."""
        self.chunks.append(transitions)

    def measure(self, snapshot: Snapshot) -> dict[str, float]:
        """Nothing."""
        return {}
