"""Navigation where some transitions are rare: what doubles alone cannot solve.

On a ladder the flow equations have a solution by hand. What goes up from s comes down from s + 1,
u(s) w(s, 1) = d(s + 1) W(s + 1) with W(s) = w(s, 0) + w(s, 1), so that the least weights follow
from the top down, and what is left over from the bottom up, without a subtraction.
"""

import numpy as np
import pytest

from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.errors import SolverError
from mfbpi_lib_bounds import navigation
from mfbpi_lib_bounds.coefficients import Coefficients, evaluate
from mfbpi_lib_bounds.generative import least_weights, scalar_model
from mfbpi_lib_bounds.solvers import exact
from mfbpi_lib_bounds.solvers.flow import Flow


def ladder(up, down, rewards) -> TabularMDP:
    """Action 1 moves from s up with up[s], both down with down[s]; else they stay."""
    n_states = len(rewards)
    rows = np.zeros((n_states, 2, n_states))
    for s in range(n_states):
        for a in (0, 1):
            rows[s, a, max(s - 1, 0)] = down[s] if s > 0 else 0.0
            rows[s, a, min(s + 1, n_states - 1)] += up[s] if a == 1 and s < n_states - 1 else 0.0
            rows[s, a, s] += 1.0 - rows[s, a].sum()
    return TabularMDP.from_dense(rows, np.asarray(rewards, dtype=float))


def by_hand(bound: Coefficients, up, down) -> float:
    """The least value on a ladder, by the recursion of the module's head."""
    top = scalar_model(bound).top

    def value(log_x: float) -> float:
        least = least_weights(bound, np.exp(log_x))
        climb = least[:, 1].copy()  # w[s, 1]
        for s in range(len(up) - 2, -1, -1):
            climb[s] = max(climb[s], down[s + 1] * (least[s + 1, 0] + climb[s + 1]) / up[s])
        flow = least[:, 0] + climb  # W[s]
        flow[1:] = np.maximum(flow[1:], climb[:-1] * up[:-1] / down[1:])
        return np.log(flow.sum()) + np.log(top + np.exp(log_x))

    low, high = -60.0, 60.0
    for _ in range(110):  # of one valley, a third less each time
        third = (high - low) / 3.0
        if value(low + third) < value(high - third):
            high -= third
        else:
            low += third
    return float(np.exp(value(0.5 * (low + high))))


def random_ladders(count: int, seed: int, rarest: float):
    """Rates up and down, rewards and discounts."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n_states = int(rng.integers(2, 9))
        up, down = 10.0 ** rng.uniform(np.log10(rarest), -1.0, size=(2, n_states))
        yield up, down, rng.uniform(size=(n_states, 2)), float(rng.choice([0.5, 0.9, 0.99]))


def check(mdp, up, down, discount, bound, kind, gap) -> None:
    """Solved, certified, attained, balanced in each state, and the value found by hand."""
    made, instance = bound(mdp, discount, kind)

    found = navigation.minimise(made, instance.walk)

    assert found.relative_gap <= gap
    assert found.lower <= found.value * (1.0 + 1e-10)
    assert found.value == evaluate(made, found.allocation)
    flow, weights = Flow(instance.walk, 2), found.allocation.reshape(-1)
    own = found.allocation.sum(axis=1)
    assert (np.abs(weights @ flow.equations) <= 1e-9 * own).all()
    assert flow.imbalance(weights) <= 1e-9
    assert found.value == pytest.approx(by_hand(made, up, down), rel=2e-9)


def test_four_states(bound):
    """Up 1e-3, down .5 and .7; HiGHS calls the programme infeasible when it is passed as it is."""
    up, down = [1e-3, 1e-3, 1e-3, 0.0], [0.0, 0.5, 0.5, 0.7]
    mdp = ladder(up, down, [[0.1, 0.2], [0.3, 0.7], [0.9, 0.5], [0.6, 1.0]])
    made, instance = bound(mdp, 0.9, "u")

    found = navigation.minimise(made, instance.walk)

    assert found.value == pytest.approx(6.950279e13, rel=1e-7)
    assert found.relative_gap <= 1e-9
    assert Flow(instance.walk, 2).imbalance(found.allocation.reshape(-1)) <= 1e-9


@pytest.mark.parametrize("kind", ["u", "u0"])
def test_two_states(bound, kind):
    """Up once in a million steps."""
    up, down = np.array([1e-6, 0.0]), np.array([0.0, 0.5])

    check(ladder(up, down, [[0.1, 0.2], [0.3, 0.7]]), up, down, 0.9, bound, kind, 1e-9)


@pytest.mark.parametrize("rarest", [1e-3, 1e-6])
def test_random_ladders(bound, rarest):
    """Rates down to 1e-3 and 1e-6, 2 to 8 states."""
    for i, (up, down, rewards, discount) in enumerate(random_ladders(25, 0, rarest)):
        kind = ("u", "u0")[i % 2]
        check(ladder(up, down, rewards), up, down, discount, bound, kind, 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("rarest", [1e-3, 1e-6])
def test_many_random_ladders(bound, rarest):
    """400 of them."""
    for i, (up, down, rewards, discount) in enumerate(random_ladders(400, 1, rarest)):
        kind = ("u", "u0")[i % 2]
        check(ladder(up, down, rewards), up, down, discount, bound, kind, 1e-9)


def test_a_long_ladder(bound):
    """40 states, with flows that span more than 60 orders of magnitude: further digits."""
    rng = np.random.default_rng(0)
    up, down = 10.0 ** rng.uniform(-5, -4, 40), 10.0 ** rng.uniform(-2, -1, 40)

    check(ladder(up, down, rng.uniform(size=(40, 2))), up, down, 0.9, bound, "u", 1e-9)


def test_exact_agrees_with_highs(riverswim, bound, monkeypatch):
    """Where HiGHS is right, decimal arithmetic finds the same."""
    made, instance = bound(riverswim(12), 0.95, "u")
    expected = navigation.minimise(made, instance.walk)
    monkeypatch.setattr(navigation, "TACTICS", ())

    found = navigation.minimise(made, instance.walk)

    assert found.value == pytest.approx(expected.value, rel=1e-10)
    assert found.relative_gap <= 1e-12
    assert found.solver == "the dual simplex method in 60 digits"
    assert np.count_nonzero(found.basis.columns) + np.count_nonzero(found.basis.rows) == 12
    again = navigation.minimise(made, instance.walk, found)
    assert again.value == pytest.approx(found.value, rel=1e-12)


def test_exact_says_when_digits_run_out(bound, monkeypatch):
    """With few digits there is no solution that passes its check, and none is returned."""
    _, instance = bound(ladder([1e-6, 0], [0, 0.5], [[0.1, 0.2], [0.3, 0.7]]), 0.9, "u")
    monkeypatch.setattr(exact, "MOST_DIGITS", exact.FIRST_DIGITS - 1)

    with pytest.raises(SolverError, match="4 pairs is not solved in arithmetic of 59 digits"):
        exact.ExactProgramme(Flow(instance.walk, 2)).solve(np.ones(4))


@pytest.mark.parametrize("rarest", [1e-6, 1e-13, 1e-30])
def test_single_walk_with_rare_transitions(rarest, bound):
    """With one action the only walk is found, each frequency to all digits: no programme."""
    up, down = np.array([rarest, 0.5, 0.3, 0.0]), np.array([0.0, 1e-9, 0.25, rarest])
    rows = ladder(up, down, np.zeros((4, 2))).transitions[:, 1:]
    mdp = TabularMDP.from_dense(rows, np.full((4, 1), 0.5))
    made, instance = bound(mdp, 0.9, "u")

    found = navigation.minimise(made, instance.walk)

    weights = np.cumprod(np.append(1.0, up[:-1] / down[1:]))
    assert found.value == 0.0
    np.testing.assert_allclose(found.allocation[:, 0], weights / weights.sum(), rtol=1e-13)
