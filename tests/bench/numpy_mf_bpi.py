"""MF-BPI in plain numpy, one call after the other: the yardstick of speed, and a test oracle.

It draws from its generator in the order of the compiled agent, so that both take the same actions.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from mfbpi_core import Agent, Problem, Transition
from mfbpi_lib_tabular.solution.terms import PHI_2


class NumpyMFBPI(Agent):
    """The algorithm of ``mfbpi_agent_mf_bpi.agent`` for k = 1, with its default parameters."""

    def __init__(self, problem: Problem, config: Any, rng: np.random.Generator) -> None:
        super().__init__(problem, config, rng)
        assert problem.n_states is not None
        shape = (problem.n_states, problem.n_actions, config.ensemble_size)
        self.horizon = problem.effective_horizon
        self.q = rng.uniform(0.0, self.horizon, size=shape)  # Q[s, a, b]
        self.m = rng.uniform(0.0, self.horizon**2, size=shape)  # M[s, a, b]
        self.learner = np.zeros(shape[:2])  # Q[s, a]
        self.visits = np.zeros(shape[:2], dtype=np.int64)  # N[s, a]

    def select_action(self, observation: int) -> int:
        """Sampling rule."""
        n_actions = self.problem.n_actions
        epsilon = max(self.config.min_exploration, 1.0 / (self.visits[observation].sum() + 1))
        if self.rng.random() < epsilon:
            return int(self.rng.random() * n_actions)
        weights = self.weights(self.rng.random())[observation]
        threshold = self.rng.random() * weights.sum()
        return int(np.searchsorted(np.cumsum(weights)[:-1], threshold, side="right"))

    def weights(self, xi: float) -> npt.NDArray[np.float64]:
        """The closed-form allocation [S, A] at the xi-quantiles, not normalised."""
        gamma = self.problem.discount
        q = np.quantile(self.q, xi, axis=2)  # [S, A]
        m = np.quantile(self.m, xi, axis=2)  # [S, A]
        states = np.arange(len(q))
        best = q.argmax(axis=1)  # [S]
        gaps = q.max(axis=1, keepdims=True) - q
        gaps = np.maximum(gaps + self.config.gap_offset, self.config.gap_floor)
        suboptimal = np.ones(q.shape, dtype=bool)
        suboptimal[states, best] = False
        weights = (2.0 + 8.0 * PHI_2 * m) / gaps**2
        spread = max(4.0, 16.0 * gamma**2 * PHI_2 * m[states, best].max())
        ratio = (1.0 + gamma) / (gaps[suboptimal].min() * (1.0 - gamma))
        total = weights[suboptimal].sum()
        weights[states, best] = math.sqrt(spread * ratio**2 * total / len(q))
        return weights

    def update(self, transition: Transition) -> None:
        """Learning rule."""
        s, a, s2 = transition.observation, transition.action, transition.next_observation
        gamma = self.problem.discount
        discount = 0.0 if transition.terminated else gamma
        self.visits[s, a] += 1
        rate = (self.horizon + 1.0) / (self.horizon + self.visits[s, a])
        chosen = self.rng.random(self.config.ensemble_size) < self.config.update_probability
        target = transition.reward + discount * self.q[s2].max(axis=0)  # [B]
        self.q[s, a] += np.where(chosen, rate * (target - self.q[s, a]), 0.0)
        updated = transition.reward + discount * self.q[s2].max(axis=0) - self.q[s, a]
        step = rate**1.1 * ((updated / gamma) ** 2 - self.m[s, a])
        self.m[s, a] += np.where(chosen, step, 0.0)
        value = transition.reward + discount * self.learner[s2].max()
        self.learner[s, a] += rate * (value - self.learner[s, a])

    def recommend(self, observation: int) -> int:
        """Greedy for the Q-learner."""
        return int(self.learner[observation].argmax())
