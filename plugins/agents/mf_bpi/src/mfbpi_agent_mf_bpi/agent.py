"""MF-BPI: explore by the allocation that a bootstrapped bound calls for, without a model.

An ensemble of B pairs (Q_b, M_b) estimates Q* and the moments of V* at the next state. At each
step a level xi ~ U(0, 1) is drawn, the xi-quantiles (Q, M) over the ensemble are plugged into the
closed-form allocation of the bound, and the action in s_t is drawn from it, mixed with uniform
exploration of probability eps = max(1e-3, 1 / N(s_t)).

With phi the golden ratio, D(s, a) = max_b Q(s, b) - Q(s, a) and m = M^(2^(1 - k)):

    H(s, a)   = (2 + 8 phi^2 m(s, a)) / D(s, a)^2                      for sub-optimal a
    H         = max(4, 16 gamma^2 phi^2 max_s m(s, pi*(s))) (1 + gamma)^2 / (D_min^2 (1 - gamma)^2)
    w(s, a)   ~ H(s, a),    w(s, pi*(s)) ~ sqrt(H sum_{s, a} H(s, a) / S)

After (s, a, r, s'), with n = N(s, a), each member is updated with probability p:

    alpha = (H_eff + 1) / (H_eff + n),   beta = alpha^1.1,   H_eff = 1 / (1 - gamma)
    Q(s, a) += alpha (r + gamma max_b Q(s', b) - Q(s, a))
    M(s, a) += beta (((r + gamma max_b Q(s', b) - Q(s, a)) / gamma)^(2^k) - M(s, a)),  new Q

Source: Russo & Proutiere 2023, "Model-Free Active Exploration in Reinforcement Learning", section
4 and the appendix on MF-BPI. Deviations are listed in this package's README.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import attrs
import numba
import numpy as np
import numpy.typing as npt

from mfbpi_agent_mf_bpi.ensemble import Ensemble, quantile, reorder
from mfbpi_agent_mf_bpi.recommendation import RULES, recommend
from mfbpi_core import Problem, parameter
from mfbpi_lib_tabular.agent import CompiledAgent
from mfbpi_lib_tabular.dynamics import Dynamics
from mfbpi_lib_tabular.exploration import draw_uniform, draw_weighted, greedy, is_forced
from mfbpi_lib_tabular.schedules import learning_rate
from mfbpi_lib_tabular.simulator import Chunk, take_step

GOLDEN_RATIO = (1.0 + math.sqrt(5.0)) / 2.0

#: beta = alpha ** MOMENT_RATE_EXPONENT: moments are learnt more slowly than values.
MOMENT_RATE_EXPONENT = 1.1


@attrs.frozen(kw_only=True)
class Config:
    """Parameters of MF-BPI; the defaults are those of the paper's tabular experiments."""

    ensemble_size: int = parameter(
        50, "members B; 1 explores by force alone, without bootstrap", ge=1, source="appendix"
    )
    update_probability: float = parameter(
        0.7, "probability p that a member learns from a step", gt=0, le=1, source="appendix"
    )
    k: int = parameter(1, "order of the moment: M estimates the 2^k-th", ge=1, le=6)
    gap_offset: float = parameter(
        0.0, "lambda, added to every gap", ge=0, source="algorithm 1: lambda"
    )
    gap_floor: float = parameter(1e-8, "least gap, so that ties stay finite", gt=0)
    min_exploration: float = parameter(
        1e-3, "least probability of a uniform action; 0 for none", ge=0, le=1, source="appendix"
    )
    recommendation: str = parameter(
        "q_learner",
        "who recommends: a Q-learner on all the data, or the mode, median or mean of the members",
        choices=RULES,
        source="section 4 says mode; the published figures evaluate a Q-learner",
    )


class Constants(NamedTuple):
    """Numbers that do not change during a run; names as in the module's formulas."""

    discount: float
    horizon: float  # H_eff
    k: int
    update_probability: float
    gap_offset: float
    gap_floor: float
    min_exploration: float


class State(NamedTuple):
    """What the compiled rules read and write."""

    constants: Constants
    q: Ensemble
    m: Ensemble
    learner: npt.NDArray[np.float64]  # Q[s, a] of the Q-learner on all the data
    visits: npt.NDArray[np.int64]  # N[s, a]
    quantile_q: npt.NDArray[np.float64]  # [S, A], scratch of the sampling rule
    quantile_m: npt.NDArray[np.float64]  # [S, A], scratch
    weights: npt.NDArray[np.float64]  # [S, A], scratch
    best: npt.NDArray[np.int64]  # [S], scratch


@numba.njit(cache=True)
def weigh(state: State, xi: float) -> float:
    """Plug the xi-quantiles into the closed-form allocation.

    Writes ``state.best`` (the greedy actions) and ``state.weights`` (H(s, a) for the others).

    Returns:
        The weight of the greedy action, the same in every state.
    """
    c = state.constants
    quantile(state.q, xi, state.quantile_q)
    quantile(state.m, xi, state.quantile_m)
    least_gap = np.inf
    largest_moment = 0.0  # of the greedy pairs
    total = 0.0
    for s in range(state.best.size):
        best = greedy(state.quantile_q[s])
        state.best[s] = best
        value = state.quantile_q[s, best]
        for a in range(state.weights.shape[1]):
            moment = _bound_moment(state.quantile_m[s, a], c.k)
            if a == best:
                largest_moment = max(largest_moment, moment)
                continue
            gap = max(value - state.quantile_q[s, a] + c.gap_offset, c.gap_floor)
            least_gap = min(least_gap, gap)
            weight = (2.0 + 8.0 * GOLDEN_RATIO**2 * moment) / (gap * gap)
            state.weights[s, a] = weight
            total += weight
    spread = max(4.0, 16.0 * c.discount**2 * GOLDEN_RATIO**2 * largest_moment)
    ratio = (1.0 + c.discount) / (least_gap * (1.0 - c.discount))
    return math.sqrt(spread * ratio * ratio * total / state.best.size)


@numba.njit(cache=True)
def _bound_moment(moment: float, k: int) -> float:
    """m = M^(2^(1 - k)), by repeated square roots."""
    for _ in range(k - 1):
        moment = math.sqrt(moment)
    return moment


@numba.njit(cache=True)
def select(state: State, s: int, rng: np.random.Generator) -> int:
    """Sampling rule: uniform with probability eps, else by the allocation in state s."""
    if is_forced(state.visits[s], state.constants.min_exploration, rng):
        return draw_uniform(state.weights.shape[1], rng)
    optimal_weight = weigh(state, rng.random())
    weights = state.weights[s]
    weights[state.best[s]] = optimal_weight
    return draw_weighted(weights, rng)


@numba.njit(cache=True)
def learn(
    state: State, s: int, a: int, r: float, s2: int, terminated: bool, rng: np.random.Generator
) -> None:
    """Learning rule: the members chosen by chance, the order of their column, the Q-learner."""
    c = state.constants
    state.visits[s, a] += 1
    rate = learning_rate(c.horizon, state.visits[s, a])
    discount = 0.0 if terminated else c.discount
    _learn_members(
        c, state.q.heads[s, a], state.m.heads[s, a], state.q.heads[s2], r, discount, rate, rng
    )
    reorder(state.q, s, a)
    reorder(state.m, s, a)
    target = r + discount * state.learner[s2].max()
    state.learner[s, a] += rate * (target - state.learner[s, a])


@numba.njit(cache=True)
def _learn_members(
    c: Constants,
    q: npt.NDArray[np.float64],
    m: npt.NDArray[np.float64],
    q_next: npt.NDArray[np.float64],
    r: float,
    discount: float,
    rate: float,
    rng: np.random.Generator,
) -> None:
    """Update the members chosen by chance, each towards its own targets.

    Args:
        c: constants.
        q: float64 [B], values of (s, a); ``m``: moments of (s, a).
        m: see ``q``.
        q_next: float64 [A, B], values of s'; shares memory with ``q`` when s' = s.
        r: reward.
        discount: gamma, or 0 after termination.
        rate: alpha.
        rng: the agent's generator.
    """
    moment_rate = rate**MOMENT_RATE_EXPONENT
    for b in range(q.size):
        if c.update_probability < 1.0 and rng.random() >= c.update_probability:
            continue
        q[b] += rate * (r + discount * _best_value(q_next, b) - q[b])
        deviation = (r + discount * _best_value(q_next, b) - q[b]) / c.discount
        power = deviation * deviation
        for _ in range(c.k - 1):
            power *= power
        m[b] += moment_rate * (power - m[b])


@numba.njit(cache=True)
def _best_value(q: npt.NDArray[np.float64], b: int) -> float:
    """max over a of Q_b(s, a), from float64 [A, B]."""
    best = q[0, b]
    for a in range(1, q.shape[0]):
        best = max(best, q[a, b])
    return best


@numba.njit(cache=True)
def rollout(
    state: State,
    dynamics: Dynamics,
    chunk: Chunk,
    env_rng: np.random.Generator,
    rng: np.random.Generator,
) -> None:
    """Fill a chunk of steps."""
    for t in range(chunk.actions.size):
        action = select(state, dynamics.state[0], rng)
        s, reward, following, terminated = take_step(dynamics, chunk, t, action, env_rng)
        learn(state, s, action, reward, following, terminated, rng)


class MFBPI(CompiledAgent):
    """MF-BPI for integer states; see the module for the algorithm."""

    select = staticmethod(select)
    learn = staticmethod(learn)
    rollout = staticmethod(rollout)

    def __init__(self, problem: Problem, config: Config, rng: np.random.Generator) -> None:
        super().__init__(problem, config, rng)
        self.state = _initial_state(problem, config, rng)

    def recommend(self, observation: int) -> int:
        """The action recommended in one state, by the rule of the configuration."""
        return int(self._recommend(slice(observation, observation + 1))[0])

    def recommended_policy(self) -> npt.NDArray[np.int64]:
        """The recommendation in every state, int64 [S]."""
        return self._recommend(slice(None))

    def _recommend(self, states: slice) -> npt.NDArray[np.int64]:
        return recommend(
            self.config.recommendation, self.state.learner[states], self.state.q.heads[states]
        )

    @property
    def allocation(self) -> npt.NDArray[np.float64]:
        """The allocation [S, A] at the median of the ensemble, a distribution over pairs."""
        weights = np.empty_like(self.state.weights)
        best = np.empty_like(self.state.best)
        scratch = self.state._replace(
            quantile_q=np.empty_like(weights),
            quantile_m=np.empty_like(weights),
            weights=weights,
            best=best,
        )
        optimal_weight = weigh(scratch, 0.5)
        weights[np.arange(best.size), best] = optimal_weight
        return weights / weights.sum()


def _initial_state(problem: Problem, config: Config, rng: np.random.Generator) -> State:
    assert problem.n_states is not None  # the spec needs "states"
    table = (problem.n_states, problem.n_actions)
    shape = (*table, config.ensemble_size)
    horizon = problem.effective_horizon
    return State(
        constants=_constants(problem, config),
        q=Ensemble.spread(shape, horizon, rng),
        m=Ensemble.spread(shape, horizon ** (2**config.k), rng),
        learner=np.zeros(table),
        visits=np.zeros(table, dtype=np.int64),
        quantile_q=np.zeros(table),
        quantile_m=np.zeros(table),
        weights=np.zeros(table),
        best=np.zeros(problem.n_states, dtype=np.int64),
    )


def _constants(problem: Problem, config: Config) -> Constants:
    # A single member that learns from a part of the steps only would waste the others.
    alone = config.ensemble_size == 1
    return Constants(
        discount=problem.discount,
        horizon=problem.effective_horizon,
        k=config.k,
        update_probability=1.0 if alone else config.update_probability,
        gap_offset=config.gap_offset,
        gap_floor=config.gap_floor,
        min_exploration=config.min_exploration,
    )
