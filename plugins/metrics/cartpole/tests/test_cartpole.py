"""Upright time and marginals of a cartpole, by hand."""

from typing import Any

import numpy as np
import pytest

from mfbpi_core import Cells, Environment, Problem, Transitions
from mfbpi_core.errors import RequirementError
from mfbpi_core.testing.worlds.instances import ModelEnvironment, two_state_chain
from mfbpi_metric_cartpole.metric import Cartpole, pair_marginals

PROBLEM = Problem(n_states=None, n_actions=2, observation_shape=(2,), discount=0.99, horizon=100)


class _TinyPole(Environment):
    """Two variables in 2 x 3 cells; never stepped."""

    features = frozenset({"cartpole"})
    grid = {"x": np.array([-1.0, 0.0, 1.0]), "theta": np.array([-3.0, -1.0, 1.0, 3.0])}  # noqa: RUF012
    cells = Cells(count=6, index=lambda shown: (shown[:, 0] * 3 + shown[:, 1]).astype(np.int64))

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        raise NotImplementedError

    def step(self, action: int) -> Any:
        raise NotImplementedError

    def upright(self, transitions: Transitions) -> Any:
        return transitions.rewards > 0.5


def _chunk(places: list[tuple[int, int]], rewards: list[float]) -> Transitions:
    n = len(places)
    return Transitions(
        start=0,
        observations=np.array(places, dtype=np.float32),
        actions=np.zeros(n, dtype=np.int64),
        rewards=np.array(rewards),
        next_observations=np.zeros((n, 2), dtype=np.float32),
        terminated=np.zeros(n, dtype=bool),
        truncated=np.zeros(n, dtype=bool),
    )


def test_upright_time_and_visits():
    """Upright steps add up over chunks; every step is a visit of one cell."""
    metric = Cartpole(PROBLEM, _TinyPole(), None, np.random.default_rng(0))
    assert metric.measure(None) == {"upright_time": 0.0}
    metric.observe(_chunk([(0, 0), (0, 2), (1, 1)], [0.9, -0.1, 1.0]))
    metric.observe(_chunk([(0, 2)], [1.0]))
    arrays = metric.arrays()

    assert metric.measure(None) == {"upright_time": 3.0}
    assert arrays["x|theta"].tolist() == [[1, 0, 2], [0, 1, 0]]
    assert arrays["theta"].tolist() == [-3.0, -1.0, 1.0, 3.0]


def test_marginals_of_three_variables():
    """Every pair of axes, each summing to all visits."""
    counts = np.arange(24).reshape(2, 3, 4)
    marginals = pair_marginals(counts, ["a", "b", "c"])

    assert list(marginals) == ["a|b", "a|c", "b|c"]
    assert {m.sum() for m in marginals.values()} == {counts.sum()}
    assert marginals["a|b"].tolist() == [[6, 22, 38], [54, 70, 86]]
    assert marginals["b|c"][2].tolist() == [8 + 20, 9 + 21, 10 + 22, 11 + 23]


def test_other_environments_are_refused():
    """The message says what is needed."""
    chain = ModelEnvironment(two_state_chain())
    with pytest.raises(RequirementError, match="feature 'cartpole'"):
        Cartpole(PROBLEM, chain, None, np.random.default_rng(0))
