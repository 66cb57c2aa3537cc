"""Q-learning in plain numpy, one call after the other: the yardstick of speed, and a test oracle.

It draws from its generator in the order of the compiled agent, so that both take the same actions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mfbpi_core import Agent, Problem, Transition


class NumpyQLearning(Agent):
    """The algorithm of ``mfbpi_agent_q_learning.agent``."""

    def __init__(self, problem: Problem, config: Any, rng: np.random.Generator) -> None:
        super().__init__(problem, config, rng)
        assert problem.n_states is not None
        table = (problem.n_states, problem.n_actions)
        self.horizon = problem.effective_horizon
        self.q = np.full(table, config.optimism * self.horizon * problem.reward_range[1])  # Q[s, a]
        self.visits = np.zeros(table, dtype=np.int64)  # N[s, a]

    def select_action(self, observation: int) -> int:
        """Sampling rule."""
        epsilon = max(self.config.min_exploration, 1.0 / (self.visits[observation].sum() + 1))
        if self.rng.random() < epsilon:
            return int(self.rng.random() * self.problem.n_actions)
        return int(self.q[observation].argmax())

    def update(self, transition: Transition) -> None:
        """Learning rule."""
        s, a = transition.observation, transition.action
        discount = 0.0 if transition.terminated else self.problem.discount
        self.visits[s, a] += 1
        rate = (self.horizon + 1.0) / (self.horizon + self.visits[s, a])
        target = transition.reward + discount * self.q[transition.next_observation].max()
        self.q[s, a] += rate * (target - self.q[s, a])

    def recommend(self, observation: int) -> int:
        """The first action of largest value."""
        return int(self.q[observation].argmax())
