"""Q-UCB: Q-learning whose targets carry a bonus for pairs that were visited less.

Q starts at H = 1 / (1 - gamma) and actions are greedy, the first of largest Q(s, .). After
(s, a, r, s'), with n = N(s, a), T the steps of the run and delta the level of confidence:

    alpha = (H + 1) / (H + n)
    bonus = c H sqrt(log(S A T / delta) / n)
    V(s') = min(H, max_b Q(s', b))
    Q(s, a) += alpha (r + bonus + gamma V(s') - Q(s, a))

Sources: Wang, Dong, Chen & Wang 2020, "Q-learning with UCB exploration is sample efficient for
infinite-horizon MDP"; c and the schedule of Russo & Proutiere 2023, appendix. Deviations are listed
in this package's README.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core import Problem, parameter
from mfbpi_lib_tabular.compiled import compiled, leaf
from mfbpi_lib_tabular.learning.agent import QTableAgent
from mfbpi_lib_tabular.learning.exploration import NEVER, draw_uniform, greedy, is_forced, largest
from mfbpi_lib_tabular.learning.schedules import learning_rate
from mfbpi_lib_tabular.models.dynamics import Dynamics
from mfbpi_lib_tabular.models.simulator import Chunk, start_state, take_step


@attrs.frozen(kw_only=True)
class Config:
    """Parameters of Q-UCB; the defaults are those of the paper's experiments."""

    bonus_scale: float = parameter(1e-3, "c, the size of the bonus", ge=0, source="appendix")
    delta: float = parameter(0.05, "level of confidence", gt=0, lt=1)
    min_exploration: float = parameter(
        0.0, "least probability of a uniform action; 0 for none at all", ge=0, le=1
    )


class Constants(NamedTuple):
    """Numbers that do not change during a run."""

    discount: float
    effective_horizon: float  # H
    largest: float  # the largest value there can be: H times the largest reward, or 0
    bonus: float  # c H sqrt(log(S A T / delta)), in units of the range of rewards
    min_exploration: float


class State(NamedTuple):
    """What the compiled rules read and write."""

    constants: Constants
    q: npt.NDArray[np.float64]  # Q[s, a]
    visits: npt.NDArray[np.int64]  # N[s, a]


@leaf
def select(state: State, s: int) -> int:
    """Sampling rule, where no action is forced: greedy."""
    return greedy(state.q, s)


@leaf
def learn(state: State, s: int, a: int, r: float, s2: int, terminated: bool) -> None:
    """Learning rule: one step towards the target with its bonus."""
    c = state.constants
    state.visits[s, a] += 1
    visits = state.visits[s, a]
    value = largest(state.q, s2)
    target = r + c.bonus / math.sqrt(visits)
    if not terminated:
        target += c.discount * min(c.largest, value)
    state.q[s, a] += learning_rate(c.effective_horizon, visits) * (target - state.q[s, a])


@compiled
def rollout(
    state: State,
    dynamics: Dynamics,
    chunk: Chunk,
    env_rng: np.random.Generator,
    rng: np.random.Generator,
) -> None:
    """Fill a chunk of steps."""
    least, n_actions = state.constants.min_exploration, state.q.shape[1]
    for t in range(chunk.actions.size):
        s = dynamics.state[0]
        u = rng.random() if least > 0.0 else NEVER
        if is_forced(state.visits, s, least, u):
            a = draw_uniform(n_actions, rng.random())
        else:
            a = select(state, s)
        u, v = env_rng.random(), env_rng.random() if dynamics.bernoulli else 0.0
        r, s2, terminated, ended = take_step(dynamics, chunk, t, a, u, v)
        learn(state, s, a, r, s2, terminated)
        if ended:
            start_state(dynamics, env_rng.random())


class QUCB(QTableAgent[Config]):
    """Q-UCB for integer states; see the module for the algorithm."""

    select = staticmethod(select)
    learn = staticmethod(learn)
    rollout = staticmethod(rollout)

    def __init__(self, problem: Problem, config: Config, rng: np.random.Generator) -> None:
        super().__init__(problem, config, rng)
        self.min_exploration = config.min_exploration
        assert problem.n_states is not None  # the spec needs "states"
        table = (problem.n_states, problem.n_actions)
        constants = _constants(problem, config)
        self.state = State(
            constants=constants,
            q=np.full(table, constants.largest),
            visits=np.zeros(table, dtype=np.int64),
        )


def _constants(problem: Problem, config: Config) -> Constants:
    assert problem.n_states is not None  # the spec needs "states"
    effective_horizon = problem.effective_horizon
    low, high = problem.reward_range
    n_events = problem.n_states * problem.n_actions * max(problem.horizon, 1)
    width = math.sqrt(math.log(n_events / config.delta))
    return Constants(
        discount=problem.discount,
        effective_horizon=effective_horizon,
        largest=problem.largest_value,
        bonus=config.bonus_scale * effective_horizon * width * (high - low),
        min_exploration=config.min_exploration,
    )
