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
from mfbpi_metric_visit_entropy.metric import VisitEntropy, visit_entropy

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


def measure(metric: VisitEntropy, rooms: list[int]) -> dict[str, float]:
    """What the metric says after steps in these rooms."""
    if rooms:
        steps = [Transition(room, 0, 0.0, 0) for room in rooms]
        metric.observe(Transitions.from_steps(0, steps))
    agent = Still(PROBLEM, NoConfig(), np.random.default_rng(0))
    return metric.measure(Snapshot(step=len(rooms), episode=0, agent=agent, streams=Streams(0)))


@pytest.fixture
def metric() -> VisitEntropy:
    """The metric, before the first step."""
    return VisitEntropy(PROBLEM, Rooms(), NoConfig(), np.random.default_rng(0))


def test_nothing_before_the_first_step(metric: VisitEntropy) -> None:
    """At step 0 the columns are left out."""
    assert measure(metric, []) == {}


@pytest.mark.parametrize(
    ("counts", "n_cells", "expected"),
    [
        ([5, 5, 5, 5], 4, 1.0),
        ([2, 2, 0, 0], 4, 0.5),  # log 2 / log 4
        ([2, 1, 1, 0], 4, 0.75),  # (1/2 log 2 + 2 * 1/4 log 4) / log 4
        ([0, 8, 0, 0], 4, 0.0),
        ([8], 1, 1.0),
    ],
)
def test_by_hand(counts: list[int], n_cells: int, expected: float) -> None:
    """Entropies that can be computed by hand."""
    assert visit_entropy(counts, n_cells) == pytest.approx(expected, abs=1e-15)


def test_column(metric: VisitEntropy) -> None:
    """Two visits each of two of the three rooms that can be visited: log 2 / log 3."""
    expected = np.log(2) / np.log(3)

    assert measure(metric, [0, 2, 2, 0]) == {"visit_entropy": pytest.approx(expected)}


def test_arrays(metric: VisitEntropy) -> None:
    """Visits of all cells, as a copy."""
    measure(metric, [0, 2, 2])
    visits = metric.arrays()["visits"]
    visits[:] += 1

    assert visits.tolist() == [2, 1, 3, 1]
    assert metric.arrays()["visits"].tolist() == [1, 0, 2, 0]
