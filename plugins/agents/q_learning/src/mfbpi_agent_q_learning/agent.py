"""Q-learning: optimistic start, greedy actions, and forced exploration.

Q starts at H = 1 / (1 - gamma), the largest value there can be. In s the action is uniform with
probability eps = max(1e-3, 1 / N(s)), else the first of largest Q(s, .). After (s, a, r, s'), with
n = N(s, a):

    alpha = (H + 1) / (H + n)
    Q(s, a) += alpha (r + gamma max_b Q(s', b) - Q(s, a))

Sources: Watkins 1989; step sizes of Jin et al. 2018, "Is Q-learning provably efficient?"; forced
exploration of Russo & Proutiere 2023, appendix. Deviations are listed in this package's README.
"""

from __future__ import annotations

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
    """Parameters of Q-learning."""

    min_exploration: float = parameter(
        1e-3, "least probability of a uniform action; 0 for none at all", ge=0, le=1,
        source="appendix",
    )  # fmt: skip
    optimism: float = parameter(
        1.0, "initial Q as a share of the largest possible value", ge=0, source="appendix"
    )


class Constants(NamedTuple):
    """Numbers that do not change during a run."""

    discount: float
    effective_horizon: float  # H
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
    """Learning rule: one step towards the target."""
    c = state.constants
    state.visits[s, a] += 1
    rate = learning_rate(c.effective_horizon, state.visits[s, a])
    value = largest(state.q, s2)
    target = r if terminated else r + c.discount * value
    state.q[s, a] += rate * (target - state.q[s, a])


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


class QLearning(QTableAgent[Config]):
    """Q-learning for integer states; see the module for the algorithm."""

    select = staticmethod(select)
    learn = staticmethod(learn)
    rollout = staticmethod(rollout)

    def __init__(self, problem: Problem, config: Config, rng: np.random.Generator) -> None:
        super().__init__(problem, config, rng)
        self.min_exploration = config.min_exploration
        assert problem.n_states is not None  # the spec needs "states"
        table = (problem.n_states, problem.n_actions)
        effective_horizon = problem.effective_horizon
        self.state = State(
            constants=Constants(problem.discount, effective_horizon, config.min_exploration),
            q=np.full(table, config.optimism * problem.largest_value),
            visits=np.zeros(table, dtype=np.int64),
        )
