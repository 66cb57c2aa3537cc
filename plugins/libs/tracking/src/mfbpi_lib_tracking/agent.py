"""The base of agents that follow the navigation optimum of a bound on an estimated model.

In s the action is uniform with probability eps = max(1e-3, 1 / N(s)), else drawn from the
allocation omega(s, .). Now and then the model is estimated again, and omega becomes the
allocation of least value of a bound on it among those that a walk can follow. The next time is
after T0 = min(Tmax, max(200, Tmax t / (T / 2))) steps, Tmax = 2000 T / 50000, or when the visits
of a pair have doubled.

Source: Al Marjani, Garivier & Proutiere 2021, "Navigating to the best policy in Markov decision
processes"; schedule of Russo & Proutiere 2023, appendix.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from mfbpi_core import Problem, parameter
from mfbpi_core.contracts.configured import C
from mfbpi_core.errors import SolverError
from mfbpi_lib_bounds import navigation
from mfbpi_lib_bounds.coefficients import Coefficients
from mfbpi_lib_bounds.solution import Solution
from mfbpi_lib_tabular.compiled import compiled, leaf
from mfbpi_lib_tabular.learning import posterior
from mfbpi_lib_tabular.learning.agent import ReplanningAgent
from mfbpi_lib_tabular.learning.exploration import NEVER, draw_uniform, draw_weighted, is_forced
from mfbpi_lib_tabular.learning.posterior import Counts, Estimate
from mfbpi_lib_tabular.learning.schedules import Schedule, count_and_tick, growing_period
from mfbpi_lib_tabular.models.dynamics import Dynamics
from mfbpi_lib_tabular.models.simulator import Chunk, start_state, take_step
from mfbpi_lib_tabular.numerics.linear import rows_to_sparse
from mfbpi_lib_tabular.solution import planning
from mfbpi_lib_tracking.warm import Warm, keep, resume

#: Certified relative gap of an allocation; estimates are much further from the truth than this.
TARGET_GAP = 1e-3


def exploration_parameter() -> Any:
    """The parameter ``min_exploration`` of these agents."""
    return parameter(1e-3, "least probability of a uniform action", ge=0, le=1, source="appendix")


def gap_floor_parameter() -> Any:
    """The parameter ``gap_floor`` of these agents."""
    return parameter(1e-8, "least gap of an estimate, so that ties stay finite", gt=0)


class Found(NamedTuple):
    """An allocation to follow."""

    allocation: npt.NDArray[np.float64]  # [S, A], a distribution
    certified: bool  # whether its value is known to be close to the least


class State(NamedTuple):
    """What the compiled rules read and write.

    An agent that learns more has a NamedTuple of its own with these fields among them, and the
    three compiled functions over it.
    """

    min_exploration: float
    counts: Counts
    schedule: Schedule
    omega: npt.NDArray[np.float64]  # [S, A], the allocation
    policy: npt.NDArray[np.int64]  # [S], from which planning starts
    warm: Warm

    @classmethod
    def start(cls, n_states: int, n_actions: int, min_exploration: float) -> State:
        """Nothing seen; all pairs equally often."""
        return cls(
            min_exploration=min_exploration,
            counts=Counts.empty(n_states, n_actions),
            schedule=Schedule.start(n_states, n_actions),
            omega=np.full((n_states, n_actions), 1.0 / (n_states * n_actions)),
            policy=np.zeros(n_states, dtype=np.int64),
            warm=Warm.none(n_states, n_actions),
        )


@leaf
def select(state: State, s: int, u: float) -> int:
    """Sampling rule, where no action is forced: from the allocation in s."""
    return draw_weighted(state.omega, s, u)


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


class TrackingAgent(ReplanningAgent[C]):
    """Follows the allocation of least value on what it has learnt; see the module.

    A subclass defines :meth:`target`, what the allocation is computed from, and
    :meth:`recommended_policy`.

    An allocation that the solver does not find, or does not certify to :data:`TARGET_GAP`, is
    counted in :attr:`profile`. Where none is found, the one before is followed until the next.
    """

    n_uniforms = 1
    select: ClassVar[Callable[..., int]] = staticmethod(select)
    learn: ClassVar[Callable[..., object]] = staticmethod(learn)
    rollout: ClassVar[Callable[..., Any]] = staticmethod(rollout)

    state: Any

    def __init__(self, problem: Problem, config: Any, rng: np.random.Generator) -> None:
        super().__init__(problem, config, rng)
        self.min_exploration = config.min_exploration
        assert problem.n_states is not None  # the spec needs "states"
        self.state = State.start(problem.n_states, problem.n_actions, config.min_exploration)

    @abstractmethod
    def target(self) -> tuple[Coefficients, Estimate]:
        """The bound, and the model in which a walk has to follow the allocation."""

    @property
    def newest_weight(self) -> float:
        """Weight of the newest allocation in the running average omega; 1 forgets the others."""
        return 1.0

    @property
    def allocation(self) -> npt.NDArray[np.float64]:
        """The allocation omega [S, A] that is followed, a distribution over pairs."""
        return self.state.omega.copy()

    @property
    def profile(self) -> dict[str, float]:
        """Seconds spent in :meth:`solve`; how many allocations were asked for, how many failed."""
        warm = self.state.warm
        counts = {"solver_runs": warm.n_solves, "solver_failures": warm.n_failures}
        return super().profile | {name: float(count[0]) for name, count in counts.items()}

    def solve(self) -> int:
        """Find the allocation for the present estimate, from where the last search ended."""
        state, found = self.state, self.find()
        state.warm.n_solves[0] += 1
        if found is None or not found.certified:
            state.warm.n_failures[0] += 1
        if found is not None:
            state.omega[:] += self.newest_weight * (found.allocation - state.omega)
        return growing_period(int(state.schedule.clock[0]), self.problem.horizon)

    def find(self) -> Found | None:
        """The allocation of least value of :meth:`target`; None if there is none to be had."""
        bound, model = self.target()
        found = self._minimise(bound, _sparse(posterior.walk(model, self.state.counts.starts)))
        if found is None:
            return None
        keep(self.state.warm, found.end)
        return Found(found.allocation, found.relative_gap <= TARGET_GAP)

    def _minimise(self, bound: Coefficients, walk: sparse.csr_array) -> Solution | None:
        """The navigation optimum, from where the last search ended, or None.

        Probabilities and gaps of an estimate can span more digits than any solver works with.
        """
        start = resume(self.state.warm)
        try:
            return navigation.minimise(bound, walk, start, TARGET_GAP)
        except SolverError:
            return None

    def plan(self, model: Estimate) -> planning.Plan:
        """The optimal values and policy of a model; planning starts from the last target's."""
        return planning.solve_arrays(
            model.transitions, model.rewards, self.problem.discount, self.state.policy
        )


def _sparse(rows: npt.NDArray[np.float64]) -> sparse.csr_array:
    """Dense rows [S A, S] in the solver's format, without a search for zeros: there are none."""
    n_rows, n_states = rows.shape
    columns = np.broadcast_to(np.arange(n_states), (n_rows, 1, n_states))
    return rows_to_sparse(columns, rows[:, None, :], n_states)
