from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mfbpi_core import (
    Agent,
    Cells,
    Environment,
    NoConfig,
    Problem,
    Snapshot,
    Streams,
    Transition,
    Transitions,
)
from mfbpi_metric_t_visit.metric import LastVisitTime, t_visit_std

PROBLEM = Problem(n_states=4, n_actions=1, discount=0.9, horizon=100)


class Rooms(Environment):
    """Four rooms, of which the last is locked; only their partition is used here."""

    n_actions = 1
    n_states = 4

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """Never acted in here."""
        raise NotImplementedError

    def step(self, action: int) -> Any:
        """Never acted in here."""
        raise NotImplementedError

    @property
    def cells(self) -> Cells:
        """One cell a room."""
        reachable = np.array([True, True, True, False])
        return Cells(count=4, index=lambda rooms: rooms, reachable=reachable)


class Still(Agent):
    """Does nothing."""

    def select_action(self, observation: Any) -> int:
        """The only action."""
        return 0

    def update(self, transition: Transition) -> None:
        """Learn nothing."""

    def recommend(self, observation: Any) -> int:
        """The only action."""
        return 0


def measure(metric: LastVisitTime, rooms: list[int]) -> dict[str, float]:
    """What the metric says after steps in these rooms."""
    if rooms:
        steps = [Transition(room, 0, 0.0, 0) for room in rooms]
        metric.observe(Transitions.from_steps(0, steps))
    agent = Still(PROBLEM, NoConfig(), np.random.default_rng(0))
    return metric.measure(Snapshot(step=len(rooms), episode=0, agent=agent, streams=Streams(0)))


@pytest.fixture
def metric() -> LastVisitTime:
    """The metric, before the first step."""
    return LastVisitTime(PROBLEM, Rooms(), NoConfig(), np.random.default_rng(0))


def test_nothing_before_the_first_step(metric: LastVisitTime) -> None:
    """At step 0 the columns are left out."""
    assert measure(metric, []) == {}


@pytest.mark.parametrize(
    ("last", "total", "expected"),
    [
        ([0, 10], 10, 0.5),  # 0 and 1: the largest possible
        ([10, 5, 0], 10, np.sqrt(1 / 6)),  # deviations 1/2, 0, 1/2
        ([10, 9, 8, 7], 10, np.sqrt(0.0125)),  # deviations .15, .05, .05, .15
        ([3], 10, 0.0),
    ],
)
def test_by_hand(last: list[int], total: int, expected: float) -> None:
    """Standard deviations of the population that can be computed by hand."""
    assert t_visit_std(last, total) == pytest.approx(expected, abs=1e-15)


def test_column(metric: LastVisitTime) -> None:
    """Last visits 4, 2 and never of 4 steps: t_visit = 1, 1/2, 0; the locked room is left out."""
    expected = np.sqrt(1 / 6)

    assert measure(metric, [1, 1, 0, 0]) == {"t_visit_std": pytest.approx(expected)}


def test_arrays(metric: LastVisitTime) -> None:
    """Last visits of all cells, as a copy."""
    measure(metric, [0, 2, 2])
    last = metric.arrays()["last_visit"]
    last[:] += 1

    assert last.tolist() == [2, 1, 4, 1]
    assert metric.arrays()["last_visit"].tolist() == [1, 0, 3, 0]
