"""Stand-ins for the other side of a contract: a simple agent, and a metric that records."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mfbpi_core.agent import Agent
from mfbpi_core.environment import Environment
from mfbpi_core.metric import Metric
from mfbpi_core.types import Observation, Problem, Snapshot, Transition, Transitions

#: Learning rate of :class:`KitAgent`.
RATE = 0.1


class KitAgent(Agent):
    """Explores uniformly, learns by Q-learning in integer states; for checking metrics."""

    def __init__(self, problem: Problem, config: Any, rng: np.random.Generator) -> None:
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


class Recorder(Metric):
    """Keeps every chunk that it observes."""

    def __init__(
        self, problem: Problem, environment: Environment, config: Any, rng: np.random.Generator
    ) -> None:
        super().__init__(problem, environment, config, rng)
        self.chunks: list[Transitions] = []

    def observe(self, transitions: Transitions) -> None:
        """Keep the chunk."""
        self.chunks.append(transitions)

    def measure(self, snapshot: Snapshot) -> dict[str, float]:
        """Nothing."""
        return {}
