"""Uniform exploration: every action with the same probability, whatever was seen.

The baseline of every comparison. It recommends the optimal policy of the empirical model,

    P(s'|s, a) = N(s, a, s') / N(s, a),    r(s, a) = R(s, a) / N(s, a),

in which a pair never visited leads to every state alike and pays the least.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mfbpi_core import NoConfig, Problem
from mfbpi_core.data.problem import Observation
from mfbpi_lib_tabular.compiled import compiled, leaf
from mfbpi_lib_tabular.learning import posterior
from mfbpi_lib_tabular.learning.agent import CompiledAgent
from mfbpi_lib_tabular.learning.exploration import draw_uniform
from mfbpi_lib_tabular.learning.posterior import Counts, count
from mfbpi_lib_tabular.models.dynamics import Dynamics
from mfbpi_lib_tabular.models.simulator import Chunk, start_state, take_step
from mfbpi_lib_tabular.solution.planning import solve_arrays


class State(NamedTuple):
    """What the compiled rules read and write."""

    counts: Counts


@leaf
def select(state: State, _s: int, u: float) -> int:
    """Sampling rule: any action."""
    return draw_uniform(state.counts.visits.shape[1], u)


@leaf
def learn(state: State, s: int, a: int, r: float, s2: int, terminated: bool) -> None:
    """Learning rule: count."""
    count(state.counts, s, a, r, s2, terminated)


@compiled
def rollout(
    state: State,
    dynamics: Dynamics,
    chunk: Chunk,
    env_rng: np.random.Generator,
    rng: np.random.Generator,
) -> None:
    """Fill a chunk of steps."""
    for t in range(chunk.actions.size):
        s = dynamics.state[0]
        a = select(state, s, rng.random())
        u, v = env_rng.random(), env_rng.random() if dynamics.bernoulli else 0.0
        r, s2, terminated, ended = take_step(dynamics, chunk, t, a, u, v)
        learn(state, s, a, r, s2, terminated)
        if ended:
            start_state(dynamics, env_rng.random())


class Uniform(CompiledAgent):
    """Uniform exploration of integer states; see the module."""

    n_uniforms = 1
    select = staticmethod(select)
    learn = staticmethod(learn)
    rollout = staticmethod(rollout)

    def __init__(self, problem: Problem, config: NoConfig, rng: np.random.Generator) -> None:
        super().__init__(problem, config, rng)
        assert problem.n_states is not None  # the spec needs "states"
        self.state = State(Counts.empty(problem.n_states, problem.n_actions))

    def recommend(self, observation: Observation) -> int:
        """The action recommended in one state."""
        return int(self.recommended_policy()[self.given.state(observation)])

    def recommended_policy(self) -> npt.NDArray[np.int64]:
        """The optimal policy of the empirical model, int64 [S]."""
        counts = self.state.counts
        model = posterior.empirical(counts, self.problem.reward_range[0])
        start = np.zeros(len(model.rewards), dtype=np.int64)
        plan = solve_arrays(model.transitions, model.rewards, self.problem.discount, start)
        return plan.policy.astype(np.int64)
