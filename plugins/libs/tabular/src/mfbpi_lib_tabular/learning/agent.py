"""The base of tabular agents whose rules are compiled: one algorithm, two drivers."""

from __future__ import annotations

import functools
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, cast

import numpy as np
import numpy.typing as npt

from mfbpi_core import Agent, Problem, Transition, Transitions
from mfbpi_core.contracts.configured import C
from mfbpi_core.contracts.environment import Simulator
from mfbpi_core.data.arrays import Array
from mfbpi_core.data.plain import StateDict
from mfbpi_core.data.problem import Observation
from mfbpi_core.errors import RequirementError
from mfbpi_core.running.generators import restore_generator, state_with_seeds
from mfbpi_lib_tabular.learning.exploration import draw_uniform, is_forced
from mfbpi_lib_tabular.learning.given import Given
from mfbpi_lib_tabular.learning.saved import Limits, check, known_limits
from mfbpi_lib_tabular.learning.schedules import Schedule, restart
from mfbpi_lib_tabular.models.dynamics import Dynamics, require_fit
from mfbpi_lib_tabular.models.simulator import Chunk


class CompiledAgent(Agent[C]):
    """An agent whose rules are compiled functions over a NamedTuple of arrays.

    A subclass sets ``self.state`` in its constructor, and three module-level functions, wrapped in
    ``staticmethod``:

    - ``select(state, s, *uniforms) -> a``, the sampling rule where no action is forced, with
      :attr:`n_uniforms` numbers drawn from [0, 1);
    - ``learn(state, s, a, r, s2, terminated)``, the learning rule, in place;
    - ``rollout(state, dynamics, chunk, env_rng, rng)``, which draws all numbers and fills a chunk.

    The first two are :func:`mfbpi_lib_tabular.compiled.leaf` functions, see there what they must
    not do. The third one is the same in every agent but for the numbers that ``select`` takes::

        @compiled
        def rollout(state, dynamics, chunk, env_rng, rng):
            least, n_actions = state.min_exploration, state.q.shape[1]
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

    Each plugin writes these lines itself: a rollout that is handed the rules as arguments, or a
    closure over them, is never found in numba's cache and compiled anew in every process; and
    lines that draw cost several times a whole step once they stand in a function that is handed
    the generator. For the first reason, too, compiled functions that plugins share take the types
    of this library only, never a plugin's state: a cache that names a plugin's type cannot be
    loaded without the plugin.

    Whatever changes lives in arrays, scalars in arrays of one entry, so that both drivers and
    checkpoints see the same thing.

    Attributes:
        n_uniforms: numbers that ``select`` takes; drawn only where no action is forced.
        state: NamedTuple of arrays, with ``visits``, int64 [S, A], among them.
        min_exploration: least probability of a forced, uniform action; 0 for none at all.
    """

    n_uniforms: ClassVar[int] = 0
    select: ClassVar[Callable[..., int]]
    learn: ClassVar[Callable[..., object]]
    rollout: ClassVar[Callable[..., Any]]

    state: Any
    min_exploration: float = 0.0

    #: A simulator's arrays determine all that it can show and pay: looking at them once will do.
    checks_simulator: ClassVar[bool] = True

    #: The simulator's arrays once they were looked at: each run has one.
    _known_dynamics: Dynamics | None = None

    @classmethod
    def check(cls, problem: Problem, config: C) -> None:  # noqa: ARG003 - the contract's
        """Refuse rewards without limits: first guesses and widths of tables start from them."""
        if not np.isfinite(problem.reward_range).all():
            low, high = problem.reward_range
            raise RequirementError(
                f"environment {problem.environment} declares rewards from {low:g} to {high:g}; "
                "a tabular agent expects two finite limits (Environment.reward_range, or the "
                "parameter reward_range=LOW,HIGH of environments that have one)"
            )

    @functools.cached_property
    def given(self) -> Given:
        """Looks at what this agent is given in a loop of the caller's own."""
        return Given(self.problem)

    @property
    def visits(self) -> npt.NDArray[np.int64]:
        """Visits N(s, a) so far, int64 [S, A]."""
        return self.state.visits

    def _fitting(self, simulator: Simulator) -> tuple[Dynamics, np.random.Generator]:
        """A simulator with which compiled code stays within its arrays."""
        arrays, env_rng = simulator
        dynamics = cast(Dynamics, arrays)  # what no one but this library makes
        if dynamics is not self._known_dynamics:
            require_fit(dynamics, self.problem)
            self._known_dynamics = dynamics
        return dynamics, env_rng

    def select_action(self, observation: Observation) -> int:
        """Sampling rule, with the numbers that the rollout would draw; see the class."""
        s, least = self.given.state(observation), self.min_exploration
        if least > 0.0 and is_forced(self.visits, s, least, self.rng.random()):
            return int(draw_uniform(self.problem.n_actions, self.rng.random()))
        return int(self.select(self.state, s, *self.rng.random(self.n_uniforms)))

    def update(self, transition: Transition) -> None:
        """Learning rule; a truncated transition bootstraps like any other."""
        self.learn(self.state, *self.given.step(transition))

    def advance(self, simulator: Simulator, n_steps: int) -> Transitions:
        """Fill a chunk with the compiled rollout."""
        dynamics, env_rng = self._fitting(simulator)
        chunk = Chunk.empty(n_steps)
        self.rollout(self.state, dynamics, chunk, env_rng, self.rng)
        return chunk.to_transitions()

    def state_dict(self) -> StateDict:
        """Copies of the arrays by name, and the state of the generator."""
        arrays = {name: array.copy() for name, array in _arrays(self.state)}
        return {"arrays": arrays, "rng": state_with_seeds(self.rng, ".rng")}

    def load_state_dict(self, state: StateDict) -> None:
        """Copy saved arrays into the agent's own.

        Raises:
            CheckpointError: when an array is missing, or cannot be this agent's; see
                :mod:`mfbpi_lib_tabular.learning.saved`. Nothing is taken over then.
        """
        saved = state["arrays"]
        checked = {
            name: check(name, array, saved.get(name), self.limits(name))
            for name, array in _arrays(self.state)
        }
        restore_generator(self.rng, state["rng"])
        for name, array in _arrays(self.state):
            array[...] = checked[name]

    def limits(self, name: str) -> Limits | None:
        """Lowest and highest number that an array of integers may hold; None for any.

        A subclass whose compiled rules follow the numbers of an array of its own, as indices, says
        their limits: a file may be anybody's.

        Args:
            name: of the array, with dots where a NamedTuple holds another.
        """
        assert self.problem.n_states is not None  # a tabular agent's spec needs "states"
        known = known_limits(self.problem.n_states, self.problem.n_actions)
        return known.get(name.rpartition(".")[2])


class QTableAgent(CompiledAgent[C]):
    """A compiled agent that recommends the greedy actions of a table.

    Its state has ``q``, float64 [S, A]; ties go to the lowest action.
    """

    def recommend(self, observation: Observation) -> int:
        """The first action of largest value."""
        return int(self.state.q[self.given.state(observation)].argmax())

    def recommended_policy(self) -> npt.NDArray[np.int64]:
        """The recommendation in every state, int64 [S]."""
        return self.state.q.argmax(axis=1).astype(np.int64)


class ReplanningAgent(CompiledAgent[C]):
    """A compiled agent that solves a problem now and then, in Python, between two steps.

    Its rollout stops where solving is due, and goes on afterwards where it stopped::

        @compiled
        def rollout(state, dynamics, chunk, start, env_rng, rng):
            for t in range(start, chunk.actions.size):
                if state.schedule.due[0]:
                    return t
                ...  # a step as in CompiledAgent
            return chunk.actions.size

    Its state has ``schedule``, a :class:`mfbpi_lib_tabular.learning.schedules.Schedule`, and
    ``counts``, the :class:`mfbpi_lib_tabular.learning.posterior.Counts`; the learning rule calls
    :func:`mfbpi_lib_tabular.learning.schedules.count_and_tick`. Either driver solves right before
    the first action for which it is due, so that both draw the same random numbers.

    Attributes:
        solver_s: seconds spent in :meth:`solve` since the agent was built, for the profile of a
            run; not part of what learning changes, and so not saved.
        n_solves: number of those calls.
    """

    solver_s: float = 0.0
    n_solves: int = 0

    #: Steps, solutions and visits at which the recommendation was asked for last, and what it was.
    _recommended: tuple[tuple[int, int, int], npt.NDArray[np.int64]] | None = None

    @property
    def profile(self) -> dict[str, float]:
        """Seconds spent in :meth:`solve`."""
        return {"solver_s": self.solver_s}

    @property
    def schedule(self) -> Schedule:
        """The part of the state that says when solving is due."""
        return self.state.schedule

    @property
    def visits(self) -> npt.NDArray[np.int64]:
        """Visits N(s, a) so far, int64 [S, A]."""
        return self.state.counts.visits

    @abstractmethod
    def solve(self) -> int:
        """Solve, write what the sampling rule needs into the state's arrays.

        Returns:
            Steps after which to solve again, if the visits of no pair double before.
        """

    @abstractmethod
    def recommended_policy(self) -> npt.NDArray[np.int64]:
        """The recommendation in every state, int64 [S]."""

    def recommend(self, observation: Observation) -> int:
        """The action recommended in one state; planned once for all states that are asked for."""
        moment = (int(self.schedule.clock[0]), self.n_solves, int(self.visits.sum()))
        if self._recommended is None or self._recommended[0] != moment:
            self._recommended = moment, self.recommended_policy()
        return int(self._recommended[1][self.given.state(observation)])

    def load_state_dict(self, state: StateDict) -> None:
        """Restore what :meth:`state_dict` returned; see :meth:`CompiledAgent.load_state_dict`."""
        super().load_state_dict(state)
        self._recommended = None

    def select_action(self, observation: Observation) -> int:
        """Sampling rule; see the class."""
        self._solve_if_due()
        return super().select_action(observation)

    def advance(self, simulator: Simulator, n_steps: int) -> Transitions:
        """Fill a chunk with the compiled rollout, solving where it stops."""
        dynamics, env_rng = self._fitting(simulator)
        chunk = Chunk.empty(n_steps)
        done = 0
        while done < n_steps:
            self._solve_if_due()
            done = self.rollout(self.state, dynamics, chunk, done, env_rng, self.rng)
        return chunk.to_transitions()

    def _solve_if_due(self) -> None:
        if not self.schedule.due[0]:
            return
        started = time.perf_counter()
        period = self.solve()
        self.solver_s += time.perf_counter() - started
        self.n_solves += 1
        restart(self.schedule, period, self.visits)


def _arrays(state: Any, prefix: str = "") -> Iterator[tuple[str, Array]]:
    """The arrays in a NamedTuple and in those it contains, by dotted name."""
    for name, value in state._asdict().items():
        if isinstance(value, np.ndarray):
            yield prefix + name, value
        elif hasattr(value, "_asdict"):
            yield from _arrays(value, f"{prefix}{name}.")
