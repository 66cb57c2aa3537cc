"""Planning by backups with a step along the constants ends where policy iteration ends."""

import numpy as np
import pytest

from mfbpi_lib_tabular.solution import mixing
from mfbpi_lib_tabular.solution.planning import solve_arrays


def model(n_states: int, known: float, ended: float):
    """Random rows, of which a share ``known`` leads to one state, and ``ended`` ends."""
    rng = np.random.default_rng(3)
    rows = rng.dirichlet(np.ones(n_states), size=(n_states, 3))  # [S, A, S]
    ahead = np.eye(n_states)[rng.integers(0, n_states, (n_states, 3))]
    mixed = (1.0 - known) * rows + known * ahead
    mixed[: n_states // 4] *= 1.0 - ended
    return mixed, rng.normal(size=(n_states, 3))


@pytest.mark.parametrize("known", [0.0, 0.6, 0.999])
@pytest.mark.parametrize("ended", [0.0, 0.5])
def test_the_plan_is_that_of_policy_iteration(known, ended):
    """Whether walks mix at once or hardly at all, and whether or not the task can end."""
    transitions, rewards = model(60, known, ended)
    exact = solve_arrays(transitions, rewards, 0.99, np.zeros(60, dtype=np.int64))

    start = np.full(60, 2, dtype=np.int64)
    policy, values = mixing.solve(transitions, rewards, 0.99, start, np.full(60, -7.0))

    assert policy.tolist() == exact.policy.tolist()
    np.testing.assert_allclose(values, exact.values, rtol=1e-9, atol=1e-9)


def test_values_that_are_zero_end():
    """Without rewards nothing changes, and no number is divided by nothing."""
    transitions, rewards = model(8, 0.5, 0.0)
    policy, values = mixing.solve(
        transitions, np.zeros_like(rewards), 0.9, np.zeros(8, dtype=np.int64), np.zeros(8)
    )
    assert policy.tolist() == [0] * 8
    assert values.tolist() == [0.0] * 8
