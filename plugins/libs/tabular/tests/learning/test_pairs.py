from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mfbpi_core import NoConfig, Problem, Snapshot, TabularMDP, Transition, Transitions
from mfbpi_core.errors import RequirementError
from mfbpi_lib_tabular.learning import pairs
from mfbpi_lib_tabular.learning.pairs import PairMetric, pair_counts
from mfbpi_lib_tabular.testing import Scene


class Total(PairMetric[NoConfig]):
    """The number of steps."""

    def measure(self, snapshot: Snapshot) -> dict[str, float]:
        """One column."""
        return {"total": float(self.counts.sum())}


def make(scene: Scene, n_states: int | None = 3) -> Total:
    """The metric in an environment of three states and two actions."""
    problem = Problem(n_states=n_states, n_actions=2, discount=0.9, horizon=100)
    return Total(problem, scene, NoConfig(), np.random.default_rng(0))


def three_states() -> TabularMDP:
    """Every action leads to any state."""
    return TabularMDP.from_dense(np.full((3, 2, 3), 1.0 / 3.0), np.zeros((3, 2)))


def steps(*taken: tuple[int, int]) -> Transitions:
    """Steps that take the given pairs (s, a)."""
    return Transitions.from_steps(0, [Transition(s, a, 0.0, s) for s, a in taken])


def test_by_hand() -> None:
    """Repeated pairs add up, unseen ones are 0, and no steps are no counts."""
    counts = pair_counts([0, 2, 2, 0, 2], [1, 0, 0, 1, 1], (3, 2))

    assert counts.tolist() == [[0, 2], [0, 0], [2, 1]]
    assert pair_counts([], [], (3, 2)).tolist() == [[0, 0]] * 3


def test_batches_do_not_matter() -> None:
    """Counts are integers: together or one by one, they are the same."""
    rng = np.random.default_rng(0)
    taken = list(zip(rng.integers(3, size=50), rng.integers(2, size=50), strict=True))
    one, other = make(Scene(three_states())), make(Scene(three_states()))
    one.observe(steps(*taken))
    for pair in taken:
        other.observe(steps(pair))

    assert one.counts.tolist() == other.counts.tolist()
    assert one.counts.sum() == 50


def test_two_metrics_of_a_run_count_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both add the same counts, and neither those of the other."""
    calls = []

    def counted(*given: Any) -> Any:
        calls.append(given)
        return pair_counts(*given)

    scene = Scene(three_states())
    one, other = make(scene), make(scene)
    monkeypatch.setattr(pairs, "pair_counts", counted)
    for taken in ((0, 1), (2, 0)):
        batch = steps(taken)
        one.observe(batch)
        other.observe(batch)

    assert len(calls) == 2
    assert one.counts.tolist() == other.counts.tolist() == [[0, 1], [0, 0], [1, 0]]


def test_state_is_the_counts_alone() -> None:
    """A loaded metric goes on counting where the saved one was, and shares nothing with it."""
    one, other = make(Scene(three_states())), make(Scene(three_states()))
    one.observe(steps((0, 0), (2, 1)))
    other.load_state_dict(one.state_dict())
    other.observe(steps((0, 0)))

    assert other.counts.tolist() == [[2, 0], [0, 0], [0, 1]]
    assert one.counts.tolist() == [[1, 0], [0, 0], [0, 1]]
    assert list(one.state_dict()) == ["counts"]


@pytest.mark.parametrize(
    ("model", "n_states", "lacking"),
    [(None, 3, "exact model"), (three_states(), None, "integer states")],
)
def test_requirements(model: Any, n_states: int | None, lacking: str) -> None:
    """Without a model or integer states there is nothing to count over."""
    with pytest.raises(RequirementError, match=f"Scene has no {lacking}; the metric Total expects"):
        make(Scene(model), n_states)
