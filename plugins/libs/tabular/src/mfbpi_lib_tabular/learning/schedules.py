"""Schedules: how fast to learn, and when to solve again.

Solving again is due at the first of two events: a deadline, or a pair whose visits have doubled
since the last solution (Jaksch, Ortner & Auer 2010; the first visit counts as doubling).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mfbpi_lib_tabular.compiled import leaf
from mfbpi_lib_tabular.learning.posterior import Counts, count

#: Least number of steps between two deadlines, of the growing period.
SHORTEST_PERIOD = 200

#: Longest period: this many steps for each LONGEST_PERIOD_SCALE steps of the horizon.
LONGEST_PERIOD = 2_000
LONGEST_PERIOD_SCALE = 50_000


class Schedule(NamedTuple):
    """When to solve again.

    Attributes:
        clock: int64 [1], steps learnt from so far.
        deadline: int64 [1], value of the clock at which solving is due.
        marks: int64 [S, A], visits of a pair at which solving is due.
        due: bool [1], whether solving is due before the next action.
    """

    clock: npt.NDArray[np.int64]
    deadline: npt.NDArray[np.int64]
    marks: npt.NDArray[np.int64]
    due: npt.NDArray[np.bool_]

    @classmethod
    def start(cls, n_states: int, n_actions: int) -> Schedule:
        """Due at once."""
        return cls(
            clock=np.zeros(1, dtype=np.int64),
            deadline=np.zeros(1, dtype=np.int64),
            marks=np.ones((n_states, n_actions), dtype=np.int64),
            due=np.ones(1, dtype=np.bool_),
        )


def restart(schedule: Schedule, period: int, visits: npt.NDArray[np.int64]) -> None:
    """After solving: due again in ``period`` steps, or when visits [S, A] of a pair double."""
    schedule.deadline[0] = schedule.clock[0] + period
    np.maximum(2 * visits, 1, out=schedule.marks)
    schedule.due[0] = False


@leaf
def tick(schedule: Schedule, s: int, a: int, visits: int) -> None:
    """Count one step; ``visits`` are those of its pair, the present one included."""
    schedule.clock[0] += 1
    is_over, has_doubled = schedule.clock[0] >= schedule.deadline[0], visits >= schedule.marks[s, a]
    schedule.due[0] |= is_over or has_doubled


@leaf
def count_and_tick(
    counts: Counts, schedule: Schedule, s: int, a: int, r: float, s2: int, terminated: bool
) -> None:
    """The learning rule of agents that only count: add one transition, and count its step."""
    count(counts, s, a, r, s2, terminated)
    tick(schedule, s, a, counts.visits[s, a])


def growing_period(step: int, horizon: int) -> int:
    """T0 = min(Tmax, max(200, Tmax t / (T / 2))) with Tmax = 2000 T / 50000, in steps.

    Source: Russo & Proutiere 2023, appendix on the numerical experiments.

    Args:
        step: t, steps taken so far.
        horizon: T, steps in all.
    """
    longest = LONGEST_PERIOD * horizon / LONGEST_PERIOD_SCALE
    growing = longest * step / (horizon / 2.0)
    return max(1, round(min(longest, max(float(SHORTEST_PERIOD), growing))))


@leaf
def learning_rate(effective_horizon: float, visits: int) -> float:
    """The step size alpha = (H + 1) / (H + k) at the k-th visit, H = 1 / (1 - gamma).

    Source: Jin et al. 2018, "Is Q-learning provably efficient?".
    """
    return (effective_horizon + 1.0) / (effective_horizon + visits)
