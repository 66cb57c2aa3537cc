"""PSRL: act by the optimal policy of a model drawn from the posterior, and draw again now and then.

The posterior after N(s, a, s') transitions and rewards of sum R(s, a):

    P(.|s, a) ~ Dirichlet(prior + N(s, a, .)),    r(s, a) ~ Beta(1 + R(s, a), 1 + N(s, a) - R(s, a))

A model is drawn, and its optimal policy computed, every ceil(H) steps, H = 1 / (1 - gamma), and
when the visits of a pair have doubled since the last draw. All actions in between are that
policy's. The recommendation is the optimal policy of the posterior mean, or of the last draw.

In a large instance, S x A x S from :data:`mfbpi_lib_tabular.learning.posterior.LARGE` on, a draw
that is due waits until a tenth of that period has passed since the last one.

Sources: Strens 2000, "A Bayesian framework for reinforcement learning"; Osband, Russo & Van Roy
2013, "(More) efficient reinforcement learning via posterior sampling"; schedule of Russo &
Proutiere 2023, appendix. Deviations are listed in this package's README.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core import Problem, parameter
from mfbpi_lib_tabular.compiled import compiled, leaf
from mfbpi_lib_tabular.learning import posterior
from mfbpi_lib_tabular.learning.agent import ReplanningAgent
from mfbpi_lib_tabular.learning.posterior import Counts
from mfbpi_lib_tabular.learning.schedules import Schedule, count_and_tick
from mfbpi_lib_tabular.models.dynamics import Dynamics
from mfbpi_lib_tabular.models.simulator import Chunk, start_state, take_step
from mfbpi_lib_tabular.solution import mixing
from mfbpi_lib_tabular.solution.planning import solve_arrays

RULES = ("mean", "draw")

#: Most draws in a period, in a large instance: a first visit is a doubling, and thousands of pairs
#: would ask for a draw each, of which all but a few are followed for a step or two.
DRAWS_PER_PERIOD = 10


@attrs.frozen(kw_only=True)
class Config:
    """Parameters of PSRL."""

    prior: float = parameter(
        1.0, "weight of each next state in the Dirichlet prior", ge=1e-2, source="uniform"
    )
    period: int = parameter(
        0, "steps between draws; 0 for ceil(1 / (1 - gamma))", ge=0, source="appendix"
    )
    recommendation: str = parameter(
        "mean", "whose optimal policy: the posterior mean's, or the last draw's", choices=RULES
    )


class State(NamedTuple):
    """What the compiled rules read and write."""

    counts: Counts
    schedule: Schedule
    policy: npt.NDArray[np.int64]  # [S], optimal for the last draw
    values: npt.NDArray[np.float64]  # [S], of that policy in that draw; large instances only
    marks: npt.NDArray[np.int64]  # [S, A], visits at which a draw is due; large instances only
    deadline: npt.NDArray[np.int64]  # [1], step at which one is due; large instances only


@leaf
def select(state: State, s: int) -> int:
    """Sampling rule: the policy of the last draw."""
    return state.policy[s]


@leaf
def learn(state: State, s: int, a: int, r: float, s2: int, terminated: bool) -> None:
    """Learning rule: count."""
    count_and_tick(state.counts, state.schedule, s, a, r, s2, terminated)


@compiled
def rollout(
    state: State,
    dynamics: Dynamics,
    chunk: Chunk,
    start: int,
    env_rng: np.random.Generator,
    _rng: np.random.Generator,
) -> int:
    """Fill a chunk from step ``start`` until a draw is due; the first step left out."""
    for t in range(start, chunk.actions.size):
        if state.schedule.due[0]:
            return t
        s = dynamics.state[0]
        a = select(state, s)
        u, v = env_rng.random(), env_rng.random() if dynamics.bernoulli else 0.0
        r, s2, terminated, ended = take_step(dynamics, chunk, t, a, u, v)
        learn(state, s, a, r, s2, terminated)
        if ended:
            start_state(dynamics, env_rng.random())
    return chunk.actions.size


class PSRL(ReplanningAgent[Config]):
    """PSRL for integer states; see the module for the algorithm."""

    select = staticmethod(select)
    learn = staticmethod(learn)
    rollout = staticmethod(rollout)

    def __init__(self, problem: Problem, config: Config, rng: np.random.Generator) -> None:
        super().__init__(problem, config, rng)
        assert problem.n_states is not None  # the spec needs "states"
        self.state = State(
            counts=Counts.empty(problem.n_states, problem.n_actions),
            schedule=Schedule.start(problem.n_states, problem.n_actions),
            policy=np.zeros(problem.n_states, dtype=np.int64),
            values=np.zeros(problem.n_states),
            marks=np.zeros((problem.n_states, problem.n_actions), dtype=np.int64),
            deadline=np.zeros(1, dtype=np.int64),
        )
        self.is_large = problem.n_states**2 * problem.n_actions >= posterior.LARGE
        self.period = config.period or math.ceil(problem.effective_horizon)

    def solve(self) -> int:
        """Draw a model and follow its optimal policy; planning starts from the last one."""
        if self.is_large:
            return self._solve_large()
        self.state.policy[:] = self._plan(self._draw())
        return self.period

    def _draw(self) -> posterior.Estimate:
        return posterior.draw(
            self.state.counts, self.config.prior, self.problem.reward_range, self.rng
        )

    def _solve_large(self) -> int:
        """The same if a draw is due; returns the steps until that is asked again."""
        state, visits, clock = self.state, self.state.counts.visits, self.schedule.clock
        if clock[0] >= state.deadline[0] or (visits >= state.marks).any():
            model = self._draw()
            state.policy[:], state.values[:] = mixing.solve(
                model.transitions,
                model.rewards,
                self.problem.discount,
                state.policy,
                state.values,
            )
            state.marks[:] = np.maximum(2 * visits, 1)
            state.deadline[0] = clock[0] + self.period
        return max(1, self.period // DRAWS_PER_PERIOD)

    def _solve_if_due(self) -> None:
        super()._solve_if_due()
        if self.is_large:  # doubled visits are looked for at deadlines alone
            self.schedule.marks[:] = np.iinfo(np.int64).max

    def recommended_policy(self) -> npt.NDArray[np.int64]:
        """The recommendation in every state, int64 [S], by the rule of the configuration."""
        if self.config.recommendation == "draw":
            return self.state.policy.copy()
        return self._plan(
            posterior.posterior_mean(
                self.state.counts, self.config.prior, self.problem.reward_range
            )
        )

    def _plan(self, model: posterior.Estimate) -> npt.NDArray[np.int64]:
        plan = solve_arrays(
            model.transitions, model.rewards, self.problem.discount, self.state.policy
        )
        return plan.policy.astype(np.int64)
