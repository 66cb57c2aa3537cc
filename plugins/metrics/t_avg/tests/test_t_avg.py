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
from mfbpi_metric_t_avg.metric import VisitFrequency, t_avg_median, t_avg_std

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


def measure(metric: VisitFrequency, rooms: list[int]) -> dict[str, float]:
    """What the metric says after steps in these rooms."""
    if rooms:
        steps = [Transition(room, 0, 0.0, 0) for room in rooms]
        metric.observe(Transitions.from_steps(0, steps))
    agent = Still(PROBLEM, NoConfig(), np.random.default_rng(0))
    return metric.measure(Snapshot(step=len(rooms), episode=0, agent=agent, streams=Streams(0)))


@pytest.fixture
def metric() -> VisitFrequency:
    """The metric, before the first step."""
    return VisitFrequency(PROBLEM, Rooms(), NoConfig(), np.random.default_rng(0))


def test_nothing_before_the_first_step(metric: VisitFrequency) -> None:
    """At step 0 the columns are left out."""
    assert measure(metric, []) == {}


@pytest.mark.parametrize(
    ("counts", "total", "median", "std"),
    [
        ([0, 10], 10, 0.5, 0.5),
        ([6, 3, 1], 10, 0.3, np.sqrt((0.36 + 0.09 + 0.01) / 3 - 1 / 9)),
        ([5, 5, 0, 0], 10, 0.25, 0.25),
        ([2, 2, 2, 2], 8, 0.25, 0.0),
        ([7], 7, 1.0, 0.0),
    ],
)
def test_by_hand(counts: list[int], total: int, median: float, std: float) -> None:
    """Medians and standard deviations of the population that can be computed by hand."""
    assert t_avg_median(counts, total) == pytest.approx(median, abs=1e-15)
    assert t_avg_std(counts, total) == pytest.approx(std, abs=1e-15)


def test_columns(metric: VisitFrequency) -> None:
    """Visits 3, 1, 0 of 4 steps: t_avg = 3/4, 1/4, 0; the locked room is left out."""
    measured = measure(metric, [0, 0, 1, 0])

    assert measured == {
        "t_avg_median": pytest.approx(0.25),
        "t_avg_std": pytest.approx(np.sqrt((9 / 16 + 1 / 16) / 3 - 1 / 9)),
    }


def test_arrays(metric: VisitFrequency) -> None:
    """Visits of all cells, as a copy."""
    measure(metric, [0, 2, 2])
    visits = metric.arrays()["visits"]
    visits[:] += 1

    assert visits.tolist() == [2, 1, 3, 1]
    assert metric.arrays()["visits"].tolist() == [1, 0, 2, 0]
