import numpy as np
import pytest

from mfbpi_bound_u_k.bound import UK, Config
from mfbpi_core.mdp import TabularMDP


def _riverswim(n_states: int) -> TabularMDP:
    """RiverSwim with the constants of Russo & Proutiere (2023)."""
    transitions = np.zeros((n_states, 2, n_states))  # P[s, a, s']
    for s in range(n_states):
        transitions[s, 0, max(s - 1, 0)] = 1.0
        transitions[s, 1, max(s - 1, 0)] += 0.1
        transitions[s, 1, s] += 0.6
        transitions[s, 1, min(s + 1, n_states - 1)] += 0.3
    transitions[-1, 1, -2:] = [0.7, 0.3]
    rewards = np.zeros((n_states, 2))
    rewards[0, 0], rewards[-1, 1] = 0.05, 1.0
    return TabularMDP.from_dense(transitions, rewards, reward_law="bernoulli")


@pytest.mark.parametrize(
    ("n_states", "discount", "expected"),
    [
        (5, 0.95, 10644890.0),
        (10, 0.95, 79094110.0),
        (20, 0.95, 305007000.0),
        (10, 0.99, 401411300.0),
    ],
)
def test_riverswim_without_constraint(n_states, discount, expected):
    """Reference optima, to all their digits."""
    found = UK(discount, Config(k=1)).solve(_riverswim(n_states))

    assert found.value == pytest.approx(expected, rel=1e-6)
    assert found.relative_gap < 1e-12


def test_orders_grow():
    """(M^k)^(2^(1-k)) does not decrease in k, and neither does the bound."""
    values = [UK(0.95, Config(k=k)).solve(_riverswim(5)).value for k in (1, 2, 5)]

    assert values == sorted(values)


@pytest.mark.parametrize("constraint", ["generative", "navigation"])
def test_conic_method_agrees(constraint):
    """An independent convex solver ends within 1 % of the certified value."""
    pytest.importorskip("mfbpi_lib_convex")
    mdp = _riverswim(8)
    exact = UK(0.95, Config()).solve(mdp, constraint)

    found = UK(0.95, Config(method="conic")).solve(mdp, constraint)

    assert found.status == "optimal"
    assert found.value == pytest.approx(exact.value, rel=0.01)
