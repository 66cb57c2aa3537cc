"""The compiled rules of MF-BPI, over one NamedTuple of arrays; formulas in :mod:`.agent`."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mfbpi_agent_mf_bpi.ensemble import Ensemble, quantile, reorder
from mfbpi_lib_tabular.compiled import compiled, leaf, long_leaf
from mfbpi_lib_tabular.learning.exploration import (
    NEVER,
    draw_uniform,
    draw_weighted,
    greedy,
    is_forced,
    largest,
)
from mfbpi_lib_tabular.learning.schedules import learning_rate
from mfbpi_lib_tabular.models.dynamics import Dynamics
from mfbpi_lib_tabular.models.simulator import Chunk, start_state, take_step
from mfbpi_lib_tabular.solution import terms

#: beta = alpha ** MOMENT_RATE_EXPONENT: moments are learnt more slowly than values.
MOMENT_RATE_EXPONENT = 1.1


class Constants(NamedTuple):
    """Numbers that do not change during a run; names as in the module's formulas."""

    discount: float
    effective_horizon: float  # H_eff
    k: int
    update_probability: float
    gap_offset: float
    gap_floor: float
    min_exploration: float
    scale: float  # what rewards are multiplied by: 1 over the width of their range


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
    chosen: npt.NDArray[np.bool_]  # [B], the members that learn from a step
    scratch: npt.NDArray[np.float64]  # [B], of the learning rule


_suboptimal = leaf(terms.suboptimal)
_optimal = leaf(terms.optimal)


@leaf
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
        best = greedy(state.quantile_q, s)
        state.best[s] = best
        value = state.quantile_q[s, best]
        for a in range(state.weights.shape[1]):
            moment = _bound_moment(state.quantile_m[s, a], c.k)
            gap = max(value - state.quantile_q[s, a] + c.gap_offset, c.gap_floor)
            weight = _suboptimal(moment) / (gap * gap)
            is_best = a == best  # as a number: a branch that depends on xi is guessed wrong
            largest_moment = max(largest_moment, moment if is_best else 0.0)
            least_gap = min(least_gap, np.inf if is_best else gap)
            total += 0.0 if is_best else weight
            state.weights[s, a] = weight
    spread = _optimal(largest_moment, c.discount)
    ratio = (1.0 + c.discount) / (least_gap * (1.0 - c.discount))
    return math.sqrt(spread * ratio * ratio * total / state.best.size)


@leaf
def _bound_moment(moment: float, k: int) -> float:
    """m = M^(2^(1 - k)), by repeated square roots."""
    for _ in range(k - 1):
        moment = math.sqrt(moment)
    return moment


@leaf
def select(state: State, s: int, xi: float, u: float) -> int:
    """Sampling rule, where no action is forced: by the allocation in s at the xi-quantiles."""
    optimal_weight = weigh(state, xi)
    state.weights[s, state.best[s]] = optimal_weight
    return draw_weighted(state.weights, s, u)


@leaf
def learn(state: State, s: int, a: int, r: float, s2: int, terminated: bool) -> None:
    """Learning rule: the chosen members, the order of their column, the Q-learner."""
    c = state.constants
    r *= c.scale
    state.visits[s, a] += 1
    rate = learning_rate(c.effective_horizon, state.visits[s, a])
    discount = 0.0 if terminated else c.discount
    _learn_values(state, s, a, r, s2, discount, rate)
    _learn_moments(state, s, a, r, s2, discount, rate)
    reorder(state.q, s, a, state.scratch)
    reorder(state.m, s, a, state.scratch)
    target = r + discount * largest(state.learner, s2)
    state.learner[s, a] += rate * (target - state.learner[s, a])


@long_leaf
def _learn_values(
    state: State, s: int, a: int, r: float, s2: int, discount: float, rate: float
) -> None:
    """Move Q of the chosen members towards their own targets; ``discount`` is 0 at the end."""
    q, chosen, best = state.q.heads, state.chosen, state.scratch
    _best_values(q, s2, best)
    for b in range(best.size):
        value, learns = q[s, a, b], chosen[b]
        step = rate * (r + discount * best[b] - value)
        q[s, a, b] = value + step if learns else value


@long_leaf
def _learn_moments(
    state: State, s: int, a: int, r: float, s2: int, discount: float, rate: float
) -> None:
    """Move M of the chosen members towards the moment of their deviation, with the new Q."""
    c, q, m, chosen, powers = (
        state.constants,
        state.q.heads,
        state.m.heads,
        state.chosen,
        state.scratch,
    )
    _best_values(q, s2, powers)
    for b in range(powers.size):
        deviation = (r + discount * powers[b] - q[s, a, b]) / c.discount
        powers[b] = deviation * deviation
    for _ in range(c.k - 1):
        for b in range(powers.size):
            powers[b] *= powers[b]
    moment_rate = rate**MOMENT_RATE_EXPONENT
    for b in range(powers.size):
        moment, learns = m[s, a, b], chosen[b]
        step = moment_rate * (powers[b] - moment)
        m[s, a, b] = moment + step if learns else moment


@leaf
def _best_values(q: npt.NDArray[np.float64], s: int, out: npt.NDArray[np.float64]) -> None:
    """max over a of Q_b(s, a) for every member, from float64 [S, A, B] to [B]."""
    for b in range(out.size):
        out[b] = q[s, 0, b]
    for a in range(1, q.shape[1]):
        for b in range(out.size):
            out[b] = max(out[b], q[s, a, b])


@compiled
def rollout(
    state: State,
    dynamics: Dynamics,
    chunk: Chunk,
    env_rng: np.random.Generator,
    rng: np.random.Generator,
) -> None:
    """Fill a chunk of steps."""
    least, n_actions = state.constants.min_exploration, state.weights.shape[1]
    share = state.constants.update_probability
    for t in range(chunk.actions.size):
        s = dynamics.state[0]
        u = rng.random() if least > 0.0 else NEVER
        if is_forced(state.visits, s, least, u):
            a = draw_uniform(n_actions, rng.random())
        else:
            a = select(state, s, rng.random(), rng.random())
        u, v = env_rng.random(), env_rng.random() if dynamics.bernoulli else 0.0
        r, s2, terminated, ended = take_step(dynamics, chunk, t, a, u, v)
        if share < 1.0:
            for b in range(state.chosen.size):
                state.chosen[b] = rng.random() < share
        learn(state, s, a, r, s2, terminated)
        if ended:
            start_state(dynamics, env_rng.random())
