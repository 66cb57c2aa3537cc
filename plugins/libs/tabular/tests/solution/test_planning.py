import numpy as np
import pytest

from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.errors import ConfigError, ModelError, SolverError
from mfbpi_lib_tabular import testing
from mfbpi_lib_tabular.numerics import kernels
from mfbpi_lib_tabular.solution import gaps, planning


def test_evaluation_by_hand(exit_door):
    """Waiting for ever is worth 0.5 / (1 - 0.9) = 5, leaving 1; an ended episode nothing."""
    assert planning.evaluate_policy(exit_door, [1, 0], 0.9) == pytest.approx([5.0, 0.0], rel=1e-14)
    assert planning.evaluate_policy(exit_door, [0, 0], 0.9) == pytest.approx([1.0, 0.0], rel=1e-14)


def test_evaluation_of_a_stochastic_policy_by_hand(exit_door):
    """Half leave, half wait: V = 0.75 + 0.45 V."""
    values = planning.evaluate_policy(exit_door, np.full((2, 2), 0.5), 0.9)

    assert values == pytest.approx([0.75 / 0.55, 0.0], rel=1e-14)


def test_action_values_by_hand(exit_door):
    """From V = (5, 0): leaving is worth 1, waiting 0.5 + 0.9 * 5."""
    q_values = planning.action_values(exit_door, np.array([5.0, 0.0]), 0.9)

    assert q_values == pytest.approx(np.array([[1.0, 5.0], [0.0, 0.0]]))


@pytest.mark.parametrize("discount", [0.5, 0.4])
def test_discount_decides_what_is_optimal(exit_door, discount):
    """Waiting, worth 0.5 / (1 - gamma), beats leaving from gamma = 0.5 on."""
    plan = planning.solve(exit_door, discount, initial_policy=[0, 0])

    assert plan.values == pytest.approx([max(1.0, 0.5 / (1.0 - discount)), 0.0], rel=1e-14)


@pytest.mark.parametrize("n_states", [5, 50, 400])
@pytest.mark.parametrize("discount", [0.95, 0.99])
def test_optimal_values_satisfy_bellman(riverswim, n_states, discount):
    """V* = max_a Q*, for dense and sparse storage alike."""
    mdp = riverswim(n_states)

    plan = planning.solve(mdp, discount)

    assert plan.q_values.max(axis=1) == pytest.approx(plan.values, abs=1e-11)
    assert planning.action_values(mdp, plan.values, discount) == pytest.approx(
        plan.q_values, abs=1e-12
    )


@pytest.mark.parametrize("n_states", [300, 3000])
def test_large_instances_equal_value_iteration(garnet, n_states):
    """Sparse planning agrees with plain value iteration run to convergence."""
    mdp = garnet(n_states)
    values = np.zeros(n_states)
    for _ in range(700):
        values = planning.action_values(mdp, values, 0.95).max(axis=1)

    assert planning.solve(mdp, 0.95).values == pytest.approx(values, rel=1e-12)


def test_sparse_and_dense_evaluation_agree(riverswim, monkeypatch):
    """The storage chosen for an instance does not change its values."""
    mdp, policy = riverswim(40), np.tile([0, 1], 20)
    mixed = np.full((40, 2), 0.5)
    dense = [planning.evaluate_policy(mdp, p, 0.99) for p in (policy, mixed)]
    monkeypatch.setattr(kernels, "DENSE_STATES", 0)

    sparse = [planning.evaluate_policy(mdp, p, 0.99) for p in (policy, mixed)]

    assert sparse[0] == pytest.approx(dense[0], rel=1e-11, abs=1e-13)
    assert sparse[1] == pytest.approx(dense[1], rel=1e-11, abs=1e-13)


def test_ties_end_from_any_start(two_identical_actions):
    """Two identical actions everywhere: 100 random starts end at the same values."""
    rng = np.random.default_rng(0)
    expected = planning.evaluate_policy(two_identical_actions, np.zeros(4, dtype=int), 0.99)
    for _ in range(100):
        start = rng.integers(2, size=4)

        plan = planning.solve(two_identical_actions, 0.99, initial_policy=start, max_iterations=3)

        assert plan.values == pytest.approx(expected, rel=1e-13)
        assert (plan.policy == start).all()


def test_ended_episodes_are_worth_nothing():
    """Exactly, where elimination leaves 1e-15 in the holes of a lake."""
    mdp = testing.frozen_lake(["SFFF", "FHFH", "FFFH", "HFFG"])

    plan = planning.solve(mdp, 0.99)

    mixed = planning.evaluate_policy(mdp, np.full((16, 4), 0.25), 0.99)
    for values in (plan.values, planning.evaluate_policy(mdp, plan.policy, 0.99), mixed):
        assert (values[mdp.terminal] == 0.0).all()
    assert (plan.q_values[mdp.terminal] == 0.0).all()
    assert plan.values[0] == pytest.approx(0.542025932, rel=1e-8)


def test_any_start_reaches_the_optimum(riverswim):
    """Policy iteration from random policies ends at V* in at most a few dozen iterations."""
    mdp, rng = riverswim(20), np.random.default_rng(1)
    optimal = planning.solve(mdp, 0.95)
    for _ in range(20):
        plan = planning.solve(mdp, 0.95, initial_policy=rng.integers(2, size=20))

        assert plan.values == pytest.approx(optimal.values, rel=1e-12)
        assert plan.iterations <= 40


def test_last_plan_starts_the_next(riverswim):
    """Started from an optimal policy, one evaluation is enough."""
    mdp = riverswim(20)
    plan = planning.solve(mdp, 0.95)

    assert planning.solve(mdp, 0.95, initial_policy=plan.policy).iterations == 1


def test_cap_is_a_typed_error(riverswim):
    """Reaching the cap raises instead of returning an unfinished plan."""
    with pytest.raises(SolverError, match="within 1 policies"):
        planning.solve(riverswim(20), 0.95, initial_policy=np.zeros(20, int), max_iterations=1)


@pytest.mark.parametrize("discount", [0.0, 1.0, 1.5, -0.1, float("nan")])
def test_discount_outside_its_range(riverswim, discount):
    """Only discounts strictly between 0 and 1 have a bounded value."""
    with pytest.raises(ConfigError, match="strictly between 0 and 1"):
        planning.solve(riverswim(3), discount)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ([0, 1], "expected 3 integers"),
        ([0.0, 1.0, 0.0], "expected 3 integers"),
        ([0, 1, 2], "expected 0 to 1"),
        ([0, -1, 0], "expected 0 to 1"),
        (np.full((3, 2), 0.4), "sum to 1"),
    ],
)
def test_policies_that_do_not_fit(riverswim, policy, message):
    """The message says what was given and what is expected."""
    with pytest.raises(ModelError, match=message):
        planning.evaluate_policy(riverswim(3), policy, 0.9)


def test_value_scales_with_the_rewards(riverswim):
    """Planning is linear in the rewards."""
    mdp = riverswim(10)
    half = TabularMDP.from_successors(mdp.successors, mdp.probabilities, mdp.mean_rewards / 2)

    assert planning.solve(half, 0.9).values * 2 == pytest.approx(planning.solve(mdp, 0.9).values)


def test_arrays_are_solved_like_models(riverswim):
    """From any first policy, arrays give the plan of the model that they are of."""
    mdp = riverswim(10)
    expected = planning.solve(mdp, 0.95)
    for first in (np.zeros(10, dtype=np.int64), np.ones(10, dtype=np.int64), expected.policy):
        plan = planning.solve_arrays(mdp.transitions, mdp.mean_rewards, 0.95, first)

        np.testing.assert_array_equal(plan.policy, expected.policy)
        np.testing.assert_allclose(plan.values, expected.values, rtol=1e-12)


def test_rows_short_of_one_end_the_task():
    """Reward 1 a step, the task ends with probability 1/2: V = 1 / (1 - gamma / 2) = 1.8181..."""
    plan = planning.solve_arrays(
        np.full((1, 1, 1), 0.5), np.ones((1, 1)), 0.9, np.zeros(1, dtype=np.int64)
    )

    assert plan.values[0] == pytest.approx(1.0 / (1.0 - 0.45))


@pytest.mark.parametrize("discount", [0.9, 0.999])
def test_rough_plans_are_refined_to_the_same(garnet, riverswim, discount):
    """Iterative, banded and dense: policy, values and gaps are those of a plan to all digits."""
    for mdp in (garnet(400), riverswim(400), garnet(40)):
        rough = planning.solve(mdp, discount, rough=True)
        plan = planning.solve(mdp, discount)

        found, expected = (gaps.separate(mdp, one, discount) for one in (rough, plan))

        assert (found.policy == expected.policy).all()
        np.testing.assert_allclose(found.values, expected.values, rtol=3e-16)
        np.testing.assert_allclose(found.gaps, expected.gaps, rtol=1e-15, atol=found.gap_error)
        assert found.unresolved == expected.unresolved
