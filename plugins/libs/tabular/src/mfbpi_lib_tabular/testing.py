"""Small instances, built from their definitions, and stand-ins, for the tests of plugins.

Nothing but tests imports this module. It needs neither a compiler nor a solver.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction
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
    from mfbpi_lib_tabular.learning.posterior import Counts

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


def frozen_lake(rows: Sequence[str]) -> TabularMDP:
    """Gymnasium's FrozenLake, slippery, from a map of S, F (ice), H (hole) and G (goal).

    Actions left, down, right, up; the walk goes there or to either side, a third each, and stays
    where the map ends. Holes and goal end the episode; entering the goal pays 1.
    """
    height, width = len(rows), len(rows[0])
    cells = "".join(rows)
    moves = ((0, -1), (1, 0), (0, 1), (-1, 0))
    transitions = np.zeros((len(cells), 4, len(cells)))  # P[s, a, s']
    rewards = np.zeros(transitions.shape)
    for s, action, turn in itertools.product(range(len(cells)), range(4), (-1, 0, 1)):
        down, right = moves[(action + turn) % 4]
        row = min(max(s // width + down, 0), height - 1)
        column = min(max(s % width + right, 0), width - 1)
        transitions[s, action, row * width + column] += 1.0 / 3.0
        rewards[s, action, row * width + column] = float(rows[row][column] == "G")
    ends = np.array([cell in "HG" for cell in cells])
    transitions[ends], rewards[ends] = np.eye(len(cells))[ends][:, None, :], 0.0
    return TabularMDP.from_dense(transitions, rewards, terminal=ends)


def exact_gaps(
    mdp: TabularMDP,
    policy: Sequence[int] | npt.NDArray[np.int64],
    discount: float,
    read: Callable[[float], Fraction] = Fraction,
) -> list[list[Fraction]]:
    """V(s) - Q(s, a) of a policy in rational arithmetic, [S][A]; 0 where an episode has ended.

    Args:
        mdp: the instance, a few dozen states at most.
        policy: actions [S].
        discount: gamma.
        read: the number that a float64 stands for; by default itself, exactly.
    """
    pairs = list(itertools.product(range(mdp.n_states), range(mdp.n_actions)))
    rows = {pair: _exact_equation(mdp, *pair, read(discount), read) for pair in pairs}
    system = [rows[s, int(policy[s])] for s in range(mdp.n_states)]
    for i in range(mdp.n_states):
        system[i] = {key: entry / system[i][i] for key, entry in system[i].items()}
        for k in range(mdp.n_states):
            factor = system[k].get(i)
            if k != i and factor:
                changed = {key: -factor * entry for key, entry in system[i].items()}
                system[k] = {
                    key: system[k].get(key, Fraction(0)) + changed.get(key, Fraction(0))
                    for key in {**system[k], **changed}
                }
    values = [row[-1] for row in system]
    found = [[Fraction(0)] * mdp.n_actions for _ in range(mdp.n_states)]
    for (s, a), row in rows.items():
        if not mdp.terminal[s]:
            found[s][a] = sum(c * values[t] for t, c in row.items() if t >= 0) - row[-1]
    return found


def _exact_equation(
    mdp: TabularMDP, s: int, a: int, gamma: Fraction, read: Callable[[float], Fraction]
) -> dict[int, Fraction]:
    """Coefficients of V(s) - gamma E V = r(s, a) by state; the constant is number -1."""
    if mdp.terminal[s]:
        return {s: Fraction(1), -1: Fraction(0)}
    row = {s: Fraction(1), -1: read(float(mdp.mean_rewards[s, a]))}
    for state, weight in exact_law(mdp, s, a, read):
        row[state] = row.get(state, Fraction(0)) - gamma * weight
    return row


def exact_law(
    mdp: TabularMDP, s: int, a: int, read: Callable[[float], Fraction] = Fraction
) -> list[tuple[int, Fraction]]:
    """Next states and their probabilities; the likeliest takes what is missing to a sum of 1."""
    weights = [read(weight) for weight in mdp.probabilities[s, a].tolist()]
    weights[int(mdp.probabilities[s, a].argmax())] += 1 - sum(weights)
    return list(zip(mdp.successors[s, a].tolist(), weights, strict=True))


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

    def reset(self, *, seed: int | None = None, options: dict[str, object] | None = None) -> Any:
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

    def select_action(self, observation: object) -> int:
        """Never called."""
        raise NotImplementedError

    def update(self, transition: Transition) -> None:
        """Never called."""
        raise NotImplementedError

    def recommend(self, observation: object) -> int:
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
