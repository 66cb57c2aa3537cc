"""Small instances, built from their definitions, and stand-ins, for the tests of plugins.

Nothing but tests imports this module. It needs neither a compiler nor a solver.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from mfbpi_core import (
    Agent,
    Cells,
    Environment,
    Metric,
    NoConfig,
    Problem,
    Snapshot,
    Streams,
    TabularMDP,
    Transition,
    Transitions,
)

if TYPE_CHECKING:
    from mfbpi_lib_tabular.posterior import Counts

M = TypeVar("M", bound=Metric)


def riverswim(n_states: int, scale: float = 1.0) -> TabularMDP:
    """RiverSwim (Strehl & Littman 2008) with the constants of Russo & Proutiere (2023).

    Args:
        n_states: S, 2 or more.
        scale: factor of the rewards, in [0, 1].
    """
    s = np.arange(n_states)
    down, up = np.maximum(s - 1, 0), np.minimum(s + 1, n_states - 1)
    successors = np.zeros((n_states, 2, 3), dtype=np.int64)  # [s, a, slot]
    probabilities = np.zeros((n_states, 2, 3))
    successors[:, 0, 0], probabilities[:, 0, 0] = down, 1.0
    successors[:, 1], probabilities[:, 1] = np.stack([down, s, up], axis=1), [0.1, 0.6, 0.3]
    probabilities[0, 1], probabilities[-1, 1] = [0.7, 0.0, 0.3], [0.7, 0.3, 0.0]
    rewards = np.zeros((n_states, 2))  # r[s, a]
    rewards[0, 0], rewards[-1, 1] = 0.05 * scale, scale
    return TabularMDP.from_successors(successors, probabilities, rewards, reward_law="bernoulli")


def garnet(n_states: int, n_actions: int = 3, branching: int = 5, seed: int = 0) -> TabularMDP:
    """A random sparse instance (Archibald et al. 1995)."""
    rng = np.random.default_rng(seed)
    shape = (n_states, n_actions, branching)
    return TabularMDP.from_successors(
        rng.integers(n_states, size=shape),
        rng.dirichlet(np.ones(branching), size=shape[:2]),
        rng.random(shape[:2]),
    )


def ring(n_states: int) -> TabularMDP:
    """Action 0 goes round, which pays 1 once a lap; actions 1 and 2 stay, for 0.1 and 0.05."""
    around, stay = np.roll(np.eye(n_states), 1, axis=1), np.eye(n_states)
    rewards = np.tile([0.0, 0.1, 0.05], (n_states, 1))  # r[s, a]
    rewards[-1, 0] = 1.0
    return TabularMDP.from_dense(np.stack([around, stay, stay], axis=1), rewards)


def teach(counts: Counts, mdp: TabularMDP, visits: int) -> None:
    """Fill counts as if each pair had been visited so often, up to rounding, with mean rewards."""
    counts.transitions[...] = np.rint(visits * mdp.transitions)
    counts.visits[...] = counts.transitions.sum(axis=2)
    counts.rewards[...] = visits * mdp.mean_rewards


class Scene(Environment):
    """An environment to look at, never to act in.

    Args:
        model: its exact model, if it has one.
        cells: the partition of its observations, if it has one.
    """

    n_actions = 1

    def __init__(self, model: TabularMDP | None = None, cells: Cells | None = None) -> None:
        self._model = model
        self._cells = cells

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """Never called."""
        raise NotImplementedError

    def step(self, action: int) -> Any:
        """Never called."""
        raise NotImplementedError

    @property
    def model(self) -> TabularMDP | None:
        """The model."""
        return self._model

    @property
    def cells(self) -> Cells | None:
        """The partition."""
        return self._cells


class Adviser(Agent):
    """Says what it is told to, a policy and an allocation, either or neither; never acts."""

    policy: Any = None
    aim: Any = None

    def select_action(self, observation: Any) -> int:
        """Never called."""
        raise NotImplementedError

    def update(self, transition: Transition) -> None:
        """Never called."""
        raise NotImplementedError

    def recommend(self, observation: Any) -> int:
        """The given policy."""
        return int(self.policy[observation])

    def recommended_policy(self) -> npt.NDArray[np.int64] | None:
        """The given policy, int64 [S]."""
        return None if self.policy is None else np.array(self.policy)

    @property
    def allocation(self) -> npt.NDArray[np.float64] | None:
        """The given allocation, float64 [S, A]."""
        return None if self.aim is None else np.array(self.aim)


def advised(problem: Problem, *, policy: Any = None, aim: Any = None, step: int = 7) -> Snapshot:
    """A moment of a run whose agent recommends a policy and aims at an allocation."""
    agent = Adviser(problem, NoConfig(), np.random.default_rng(0))
    agent.policy, agent.aim = policy, aim
    return Snapshot(step=step, episode=0, agent=agent, streams=Streams(0))


def in_rooms(metric: Callable[..., M]) -> M:
    """A metric over four rooms, one cell each, of which the last is locked; nothing seen yet."""
    reachable = np.array([True, True, True, False])
    cells = Cells(count=4, index=lambda rooms: rooms, reachable=reachable)
    problem = Problem(n_states=4, n_actions=1, discount=0.9, horizon=100)
    return metric(problem, Scene(cells=cells), NoConfig(), np.random.default_rng(0))


def measure_after(metric: Metric, rooms: Sequence[int]) -> dict[str, float]:
    """What a metric says after steps that were taken in these rooms."""
    if rooms:
        steps = [Transition(room, 0, 0.0, 0) for room in rooms]
        metric.observe(Transitions.from_steps(0, steps))
    return metric.measure(advised(metric.problem, step=len(rooms)))
