"""O-BPI: follow the optimal allocation of a bound on values and moments that are learnt.

Q and the moments M of the value at the next state are learnt by stochastic approximation. Q starts
at 0 and M at H^(2^k), H = 1 / (1 - gamma), the largest moment there can be, so that a pair never
visited counts as hard. After (s, a, r, s'), with n = N(s, a):

    alpha = (H + 1) / (H + n),    beta = alpha^1.1
    Q(s, a) += alpha (r + gamma max_b Q(s', b) - Q(s, a))
    M(s, a) += beta (((r + gamma max_b Q(s', b) - Q(s, a)) / gamma)^(2^k) - M(s, a)),  new Q

The allocation is the one of least U_k, with the gaps of Q and the moments M, that a walk can
follow where transitions have probabilities (N(s, a, s') + 1) / (N(s, a) + S); see
:mod:`mfbpi_lib_tracking.agent`. The recommendation is greedy for Q.

Source: Russo & Proutiere 2023, "Model-Free Active Exploration in Reinforcement Learning", section
4 and appendix. Deviations are listed in this package's README.
"""

from __future__ import annotations

from typing import NamedTuple

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core import Problem, parameter
from mfbpi_lib_bounds import coefficients
from mfbpi_lib_bounds.coefficients import Coefficients
from mfbpi_lib_tabular.compiled import compiled, leaf
from mfbpi_lib_tabular.learning import posterior
from mfbpi_lib_tabular.learning.exploration import (
    NEVER,
    draw_uniform,
    draw_weighted,
    is_forced,
    largest,
)
from mfbpi_lib_tabular.learning.posterior import Counts, Estimate
from mfbpi_lib_tabular.learning.schedules import Schedule, count_and_tick, learning_rate
from mfbpi_lib_tabular.models.dynamics import Dynamics
from mfbpi_lib_tabular.models.simulator import Chunk, start_state, take_step
from mfbpi_lib_tracking.agent import TrackingAgent, exploration_parameter, gap_floor_parameter
from mfbpi_lib_tracking.warm import Warm

#: beta = alpha ** MOMENT_RATE_EXPONENT: moments are learnt more slowly than values.
MOMENT_RATE_EXPONENT = 1.1


@attrs.frozen(kw_only=True)
class Config:
    """Parameters of O-BPI; the defaults are those of the paper's experiments."""

    k: int = parameter(1, "order of the moment: M estimates the 2^k-th", ge=1, le=6)
    smoothing: float = parameter(1.0, "imagined transitions to each state", gt=0, source="appendix")
    initial_moment: float = parameter(
        1.0, "initial M, as a share of the largest value H^(2^k)", ge=0, le=1
    )
    min_exploration: float = exploration_parameter()
    gap_floor: float = gap_floor_parameter()


class Constants(NamedTuple):
    """Numbers that do not change during a run; names as in the module's formulas."""

    discount: float
    effective_horizon: float  # H
    k: int
    scale: float  # what rewards are multiplied by: 1 over the width of their range


class State(NamedTuple):
    """What the compiled rules read and write: a tracking agent's, and the learnt tables."""

    min_exploration: float
    counts: Counts
    schedule: Schedule
    omega: npt.NDArray[np.float64]  # [S, A], the allocation
    policy: npt.NDArray[np.int64]  # [S], greedy when the allocation was found
    warm: Warm
    constants: Constants
    q: npt.NDArray[np.float64]  # Q[s, a]
    m: npt.NDArray[np.float64]  # M[s, a]


@leaf
def select(state: State, s: int, u: float) -> int:
    """Sampling rule, where no action is forced: from the allocation in s."""
    return draw_weighted(state.omega, s, u)


@leaf
def learn(state: State, s: int, a: int, r: float, s2: int, terminated: bool) -> None:
    """Learning rule: count, then a step of Q and of M."""
    count_and_tick(state.counts, state.schedule, s, a, r, s2, terminated)
    c = state.constants
    rate = learning_rate(c.effective_horizon, state.counts.visits[s, a])
    discount = 0.0 if terminated else c.discount
    r *= c.scale
    state.q[s, a] += rate * (r + discount * largest(state.q, s2) - state.q[s, a])
    deviation = (r + discount * largest(state.q, s2) - state.q[s, a]) / c.discount
    power = deviation * deviation
    for _ in range(c.k - 1):
        power *= power
    state.m[s, a] += rate**MOMENT_RATE_EXPONENT * (power - state.m[s, a])


@compiled
def rollout(
    state: State,
    dynamics: Dynamics,
    chunk: Chunk,
    start: int,
    env_rng: np.random.Generator,
    rng: np.random.Generator,
) -> int:
    """Fill a chunk from step ``start`` until solving is due; the first step left out."""
    least, n_actions = state.min_exploration, state.omega.shape[1]
    for t in range(start, chunk.actions.size):
        if state.schedule.due[0]:
            return t
        s = dynamics.state[0]
        u = rng.random() if least > 0.0 else NEVER
        if is_forced(state.counts.visits, s, least, u):
            a = draw_uniform(n_actions, rng.random())
        else:
            a = select(state, s, rng.random())
        u, v = env_rng.random(), env_rng.random() if dynamics.bernoulli else 0.0
        r, s2, terminated, ended = take_step(dynamics, chunk, t, a, u, v)
        learn(state, s, a, r, s2, terminated)
        if ended:
            start_state(dynamics, env_rng.random())
    return chunk.actions.size


class OBPI(TrackingAgent):
    """O-BPI for integer states; see the module for the algorithm."""

    select = staticmethod(select)
    learn = staticmethod(learn)
    rollout = staticmethod(rollout)

    def __init__(self, problem: Problem, config: Config, rng: np.random.Generator) -> None:
        super().__init__(problem, config, rng)
        shape = self.state.omega.shape
        effective_horizon = problem.effective_horizon
        self.state = State(
            **self.state._asdict(),
            constants=Constants(
                problem.discount, effective_horizon, config.k, 1.0 / problem.reward_unit
            ),
            q=np.zeros(shape),
            m=np.full(shape, config.initial_moment * effective_horizon ** (2**config.k)),
        )

    def target(self) -> tuple[Coefficients, Estimate]:
        """The bound U_k at the learnt values and moments."""
        state, config = self.state, self.config
        state.policy[:] = self.recommended_policy()
        gaps = np.maximum(state.q.max(axis=1, keepdims=True) - state.q, config.gap_floor)  # [S, A]
        moments = state.m ** (2.0 ** (1 - config.k))  # [S, A]
        bound = coefficients.u(gaps, moments, state.policy, self.problem.discount)
        return bound, posterior.smoothed(state.counts, config.smoothing)

    def recommended_policy(self) -> npt.NDArray[np.int64]:
        """The greedy actions, int64 [S]."""
        return self.state.q.argmax(axis=1).astype(np.int64)
