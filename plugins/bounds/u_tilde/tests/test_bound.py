import numpy as np
import pytest

from mfbpi_bound_u_tilde.bound import Config, UTilde
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


def test_value_by_hand():
    """One state that pays 1 or 0.5: H(s, a) = 2/D^2 = 8, H = 4 (1.9/0.1)^2 / D^2 = 5776."""
    mdp = TabularMDP.from_dense(np.ones((1, 2, 1)), [[1.0, 0.5]])
    bound = UTilde(0.9, Config())

    assert bound.evaluate(mdp, np.array([[0.8, 0.2]])) == pytest.approx(40.0 + 7220.0)
    assert bound.solve(mdp).value == pytest.approx((np.sqrt(8.0) + np.sqrt(5776.0)) ** 2)


@pytest.mark.parametrize("n_states", [5, 10])
def test_optimum_is_spread_evenly_over_optimal_pairs(n_states):
    """The closed form gives every pair (s, pi*(s)) the same weight."""
    found = UTilde(0.95, Config()).solve(_riverswim(n_states))

    top = np.sort(found.allocation.max(axis=1))
    assert top == pytest.approx(np.full(n_states, top[0]))


@pytest.mark.parametrize("constraint", ["generative", "navigation"])
def test_conic_method_agrees(constraint):
    """An independent convex solver ends within 1 % of the certified value."""
    pytest.importorskip("mfbpi_lib_convex")
    mdp = _riverswim(8)
    exact = UTilde(0.95, Config()).solve(mdp, constraint)

    found = UTilde(0.95, Config(method="conic")).solve(mdp, constraint)

    assert found.status == "optimal"
    assert found.value == pytest.approx(exact.value, rel=0.01)
