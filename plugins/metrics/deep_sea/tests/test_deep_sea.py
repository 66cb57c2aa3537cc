"""Successes and regret in DeepSea, by hand."""

from typing import Any

import numpy as np
import pytest

from mfbpi_core import Cells, Environment, Problem, Transitions
from mfbpi_core.data.one_hot import marked_cells
from mfbpi_core.errors import RequirementError
from mfbpi_core.testing.worlds.instances import ModelEnvironment, two_state_chain
from mfbpi_metric_deep_sea.metric import DeepSea, cumulative

PROBLEM = Problem(n_states=None, n_actions=2, observation_shape=(2, 2), discount=0.99, horizon=100)


class _TinySea(Environment):
    """What the metric needs of a 2 x 2 DeepSea; it is never stepped."""

    features = frozenset({"deep_sea"})
    size = 2
    optimal_return = 0.6
    right = np.array([[1, 0], [0, 1]])
    cells = Cells(count=4, index=marked_cells)

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        raise NotImplementedError

    def step(self, action: int) -> Any:
        raise NotImplementedError

    def succeeded(self, transitions: Transitions) -> Any:
        return transitions.rewards > 0.5


def _metric() -> DeepSea:
    return DeepSea(PROBLEM, _TinySea(), None, np.random.default_rng(0))


def _chunk(start: int, cells: list[int], rewards: list[float], ends: list[bool]) -> Transitions:
    grids = np.eye(4, dtype=np.float32)[cells].reshape(-1, 2, 2)
    n = len(cells)
    return Transitions(
        start=start,
        observations=grids,
        actions=np.array([t % 2 for t in range(start, start + n)]),
        rewards=np.array(rewards),
        next_observations=grids,
        terminated=np.array(ends),
        truncated=np.zeros(n, dtype=bool),
    )


def test_successes_and_regret_by_hand():
    """Two episodes, of which one succeeds: regret 2 x 0.6 - (0.985 - 0.01)."""
    metric = _metric()
    metric.observe(_chunk(0, [0, 3, 0, 2], [-0.01, 0.985, 0.0, 0.0], [False, True, False, True]))
    measured = metric.measure(None)

    assert measured["successes"] == 1.0
    assert measured["regret"] == pytest.approx(1.2 - 0.975, rel=1e-14)


def test_unfinished_episode_does_not_count():
    """Nothing is regretted before an episode ends; then all its rewards count."""
    metric = _metric()
    assert metric.measure(None) == {"successes": 0.0, "regret": 0.0}
    metric.observe(_chunk(0, [0], [-0.25], [False]))
    assert metric.measure(None) == {"successes": 0.0, "regret": 0.0}
    metric.observe(_chunk(1, [2], [0.0], [True]))

    assert metric.measure(None)["regret"] == pytest.approx(0.85, rel=1e-14)


def test_chunks_change_no_bit():
    """A thousand awkward rewards give one regret, however they are cut."""
    rng = np.random.default_rng(0)
    cells, rewards = rng.integers(4, size=1000).tolist(), rng.normal(size=1000).tolist()
    ends = [t % 2 == 1 for t in range(1000)]
    whole, cut = _metric(), _metric()
    whole.observe(_chunk(0, cells, rewards, ends))
    for start, stop in ((0, 1), (1, 334), (334, 335), (335, 1000)):
        cut.observe(_chunk(start, cells[start:stop], rewards[start:stop], ends[start:stop]))

    assert cut.measure(None) == whole.measure(None)
    assert np.array_equal(cut.choices, whole.choices)


def test_running_totals():
    """Totals after 0, 1, 2 and 3 rewards, from what was there before."""
    assert cumulative(10.0, [1, 2, 3]).tolist() == [10.0, 11.0, 13.0, 16.0]
    assert cumulative(10.0, []).tolist() == [10.0]


def test_choices_are_counted_by_cell():
    """The map of the triangle sums to the steps, and is a copy."""
    metric = _metric()
    metric.observe(_chunk(0, [0, 3, 0, 2], [0.0] * 4, [False, True, False, True]))
    arrays = metric.arrays()

    assert arrays["choices"].tolist() == [[[2, 0], [0, 0]], [[0, 1], [0, 1]]]
    assert arrays["right"].tolist() == [[1, 0], [0, 1]]
    assert not np.shares_memory(arrays["choices"], metric.choices)


def test_other_environments_are_refused():
    """The message says what is needed."""
    chain = ModelEnvironment(two_state_chain())
    with pytest.raises(RequirementError, match="feature 'deep_sea'"):
        DeepSea(PROBLEM, chain, None, np.random.default_rng(0))
