"""Schedules: periods, doubling visits, learning rates."""

import numpy as np
import pytest

from mfbpi_lib_tabular.learning.posterior import Counts
from mfbpi_lib_tabular.learning.schedules import (
    Schedule,
    count_and_tick,
    growing_period,
    learning_rate,
    restart,
    tick,
)


@pytest.mark.parametrize(
    ("step", "horizon", "period"),
    [
        (0, 50_000, 200),  # Tmax = 2000
        (2_500, 50_000, 200),  # 2000 * 2500 / 25000
        (5_000, 50_000, 400),
        (25_000, 50_000, 2_000),
        (49_999, 50_000, 2_000),
        (100_000, 500_000, 8_000),  # Tmax = 20000, half of the horizon is 250000
        (400, 1_000, 40),  # Tmax = 40 is below the least of 200
    ],
)
def test_growing_period_by_hand(step, horizon, period):
    """T0 = min(Tmax, max(200, Tmax t / (T / 2)))."""
    assert growing_period(step, horizon) == period


def test_period_is_never_zero():
    """A very short run is solved again at every step at most."""
    assert growing_period(0, 10) == 1


def tick_pair(schedule: Schedule, visits: np.ndarray, s: int, a: int) -> bool:
    """Visit a pair once; whether solving is due."""
    visits[s, a] += 1
    tick(schedule, s, a, visits[s, a])
    return bool(schedule.due[0])


def test_due_at_first_then_at_the_deadline():
    """Due at once; after solving, due again when the period ends and not before."""
    schedule, visits = Schedule.start(1, 1), np.full((1, 1), 1000)
    assert schedule.due[0]

    restart(schedule, 5, visits)

    assert [tick_pair(schedule, visits, 0, 0) for _ in range(6)] == [False] * 4 + [True] * 2
    restart(schedule, 5, visits)
    assert schedule.deadline[0] == 11


def test_due_when_a_pair_doubles():
    """Three visits at the last solution: due at the sixth. A pair never visited: at the first."""
    schedule, visits = Schedule.start(2, 2), np.array([[3, 0], [7, 7]])
    restart(schedule, 10**6, visits)

    assert [tick_pair(schedule, visits, 0, 0) for _ in range(3)] == [False, False, True]
    restart(schedule, 10**6, visits)
    assert not schedule.due[0]
    assert tick_pair(schedule, visits, 0, 1)


def test_counting_moves_the_clock():
    """One transition is counted, one step passes, and the first visit of a pair is a doubling."""
    counts, schedule = Counts.empty(2, 2), Schedule.start(2, 2)
    restart(schedule, 10**6, counts.visits)

    count_and_tick(counts, schedule, 0, 1, 0.5, 1, False)

    assert counts.visits.tolist() == [[0, 1], [0, 0]]
    assert (counts.transitions[0, 1, 1], counts.rewards[0, 1]) == (1, 0.5)
    assert (schedule.clock[0], bool(schedule.due[0])) == (1, True)


def test_learning_rates():
    """(H + 1) / (H + k): 1 at the first visit, 101/200 at the hundredth with H = 100."""
    assert learning_rate(100.0, 1) == 1.0
    assert learning_rate(100.0, 100) == 101.0 / 200.0
