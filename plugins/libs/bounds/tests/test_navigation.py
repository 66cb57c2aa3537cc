import copy

import numpy as np
import pytest
from scipy import optimize, sparse

from mfbpi_core.data.mdp import TabularMDP
from mfbpi_lib_bounds import coefficients, generative, navigation
from mfbpi_lib_bounds.coefficients import Coefficients, evaluate
from mfbpi_lib_bounds.instance import PlannedInstance
from mfbpi_lib_bounds.solvers import search

KINDS = ("u0", "u", "u1", "u_tilde")


def _stationary(mdp: TabularMDP, policy: np.ndarray) -> np.ndarray:
    """Frequencies [S, A] of the walk of a stochastic policy [S, A], by a dense solve."""
    chain = np.einsum("sa,sat->st", policy, mdp.transitions)
    system = np.vstack([chain.T - np.eye(mdp.n_states), np.ones(mdp.n_states)])
    mu = np.linalg.lstsq(system, np.append(np.zeros(mdp.n_states), 1.0), rcond=None)[0]
    return np.maximum(mu, 0.0)[:, None] * policy


def _brute_force(mdp: TabularMDP, made: Coefficients) -> float:
    """Least U over walks of policies, by a derivative-free search from several starts."""
    rng = np.random.default_rng(0)
    size = mdp.n_states * (mdp.n_actions - 1)

    def value(logits: np.ndarray) -> float:
        table = np.zeros((mdp.n_states, mdp.n_actions))
        table[:, 1:] = np.clip(logits, -60, 60).reshape(mdp.n_states, -1)
        weights = np.exp(table)
        return np.log(evaluate(made, _stationary(mdp, weights / weights.sum(1, keepdims=True))))

    best = np.inf
    for _ in range(3):
        point = rng.normal(scale=2.0, size=size)
        for _ in range(4):  # restarts shake the simplex loose at kinks
            found = optimize.minimize(
                value, point, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-12}
            )
            point = found.x
        best = min(best, found.fun)
    return float(np.exp(best))


@pytest.mark.parametrize(
    ("n_states", "discount", "expected"),
    [(5, 0.95, 3.192226e7), (10, 0.99, 1.632730e9), (20, 0.99, 1.349997e10)],
)
def test_riverswim(riverswim, bound, n_states, discount, expected):
    """Reference optima of u."""
    made, instance = bound(riverswim(n_states), discount, "u")

    assert navigation.minimise(made, instance.walk).value == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("n_states", [5, 10, 20, 50, 100])
@pytest.mark.parametrize("discount", [0.95, 0.99])
@pytest.mark.parametrize("kind", KINDS)
def test_certificate_on_riverswim(riverswim, bound, n_states, discount, kind):
    """Gap at most 1e-9, flow residual at most 1e-12, attained, not below the generative value."""
    made, instance = bound(riverswim(n_states), discount, kind)

    found = navigation.minimise(made, instance.walk)

    assert found.relative_gap <= 1e-9
    assert found.lower <= found.value * (1 + 1e-13)
    assert found.residual <= 1e-12
    assert found.value == evaluate(made, found.allocation)
    assert found.allocation.sum() == pytest.approx(1.0, rel=1e-12)
    assert (found.allocation > 0.0).all()
    inflow = np.einsum("sa,sat->t", found.allocation, instance.mdp.transitions)
    assert np.abs(inflow - found.allocation.sum(axis=1)).max() <= 1e-12
    assert found.value >= generative.minimise(made).value * (1 - 1e-14)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("discount", [0.95, 0.99])
def test_certificate_on_random_instances(garnet, bound, seed, discount):
    """Random sparse instances, most of which have their optimum at a kink."""
    made, instance = bound(garnet(40, seed=seed), discount, "u")

    found = navigation.minimise(made, instance.walk)

    assert found.relative_gap <= 1e-9
    assert found.residual <= 1e-12
    assert found.n_programmes <= 25


@pytest.mark.parametrize("n_states", [2, 3])
@pytest.mark.parametrize("kind", ["u0", "u"])
def test_brute_force(garnet, bound, n_states, kind):
    """On two and three states a blind search over policies ends at the same value."""
    mdp = garnet(n_states, n_actions=2, branching=3, seed=5)
    made, instance = bound(mdp, 0.9, kind)

    found = navigation.minimise(made, instance.walk)

    blind = _brute_force(mdp, made)
    assert blind == pytest.approx(found.value, rel=1e-6)
    assert blind >= found.value * (1 - 1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_never_beaten_by_random_walks(garnet, bound, kind):
    """100 random policies, some near the best one."""
    mdp = garnet(6, seed=2)
    made, instance = bound(mdp, 0.9, kind)
    found = navigation.minimise(made, instance.walk)
    best = found.allocation / found.allocation.sum(axis=1, keepdims=True)
    rng = np.random.default_rng(0)
    for i in range(100):
        noise = rng.dirichlet(np.ones(3), size=6)
        share = 10.0 ** -(i % 10)

        value = evaluate(made, _stationary(mdp, (1 - share) * best + share * noise))

        assert value >= found.value * (1 - 1e-10)


def test_relabelling_changes_nothing(riverswim, bound):
    """States in another order: the same value, the allocation in that order."""
    mdp = riverswim(8)
    order = np.random.default_rng(0).permutation(8)
    other = TabularMDP.from_dense(mdp.transitions[order][:, :, order], mdp.mean_rewards[order])
    one, two = (
        navigation.minimise(b, i.walk) for b, i in (bound(m, 0.9, "u") for m in (mdp, other))
    )

    assert two.value == pytest.approx(one.value, rel=1e-10)
    assert two.allocation == pytest.approx(one.allocation[order], rel=1e-6, abs=1e-12)


def test_warm_start_gives_the_same(riverswim, bound):
    """From its own solution, one or two programmes are enough; from another's, a few."""
    made, instance = bound(riverswim(50), 0.99, "u")
    cold = navigation.minimise(made, instance.walk)

    warm = navigation.minimise(made, instance.walk, start=cold.end)
    other, _ = bound(riverswim(50), 0.98, "u")
    from_another = navigation.minimise(other, instance.walk, start=cold.end)

    assert warm.value == pytest.approx(cold.value, rel=1e-12)
    assert warm.n_programmes <= 2
    assert from_another.value == pytest.approx(
        navigation.minimise(other, instance.walk).value, rel=1e-12
    )


def test_start_of_another_size_is_ignored(riverswim, bound):
    """A basis that does not fit is left aside."""
    small, small_instance = bound(riverswim(5), 0.9, "u")
    large, large_instance = bound(riverswim(7), 0.9, "u")
    start = navigation.minimise(small, small_instance.walk).end

    found = navigation.minimise(large, large_instance.walk, start=start)

    assert found.relative_gap < 1e-12


def test_solutions_can_be_copied(riverswim, bound):
    """Agents keep them in checkpoints: a copy starts a solve just as the original does."""
    made, instance = bound(riverswim(6), 0.9, "u")
    first = navigation.minimise(made, instance.walk)

    again = [
        navigation.minimise(made, instance.walk, start=s.end) for s in (first, copy.deepcopy(first))
    ]

    assert (again[0].allocation == again[1].allocation).all()


def test_dense_walks(garnet, bound):
    """Smoothed estimates have no zero: a dense walk solves as well."""
    mdp = garnet(20)
    made, _ = bound(mdp, 0.9, "u")
    smooth = 0.9 * mdp.transitions.reshape(60, 20) + 0.1 / 20

    found = navigation.minimise(made, sparse.csr_array(smooth))

    assert found.relative_gap < 1e-9
    assert np.abs(found.allocation.reshape(-1) @ smooth - found.allocation.sum(1)).max() < 1e-12


def test_episodes_restart(bound):
    """A corridor of two steps: each step is half of all samples, whatever is done there."""
    transitions = np.zeros((3, 2, 3))  # P[s, a, s']
    transitions[0, :, 1] = transitions[1:, :, 2] = 1.0
    mdp = TabularMDP.from_dense(
        transitions, [[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]], terminal=np.array([False, False, True])
    )
    made, instance = bound(mdp, 0.9, "u")

    found = navigation.minimise(made, instance.walk)

    assert found.allocation.sum(axis=1) == pytest.approx([0.5, 0.5, 0.0])
    assert found.relative_gap < 1e-12


def test_nothing_to_learn_is_still_a_walk(garnet, bound):
    """With one action the value is 0 and the allocation is the stationary distribution."""
    mdp = garnet(5, n_actions=1)
    made, instance = bound(mdp, 0.9, "u")

    found = navigation.minimise(made, instance.walk)

    assert found.value == 0.0
    assert found.allocation == pytest.approx(_stationary(mdp, np.ones((5, 1))), abs=1e-12)


@pytest.mark.slow
def test_thousand_states(garnet, bound):
    """A random sparse instance of 1,000 states: certified, in a few seconds."""
    made, instance = bound(garnet(1000), 0.99, "u")

    found = navigation.minimise(made, instance.walk)

    assert found.relative_gap <= 1e-9
    assert found.residual <= 1e-12


def test_instance_is_planned_once(riverswim):
    """Plan, gaps and walk are computed on demand and kept."""
    instance = PlannedInstance(mdp=riverswim(4), discount=0.9)

    assert instance.separation is instance.separation
    assert instance.walk is instance.walk


def test_rare_transitions_keep_the_flow_exact():
    """Transitions of probability 1e-10 are neither dropped nor paid for with the flow."""
    rare = 1e-10
    transitions = np.zeros((3, 2, 3))  # P[s, a, s']
    transitions[0, 0] = [1.0 - rare, rare, 0.0]
    transitions[0, 1] = [0.0, 0.5, 0.5]
    transitions[1, 0] = [0.0, 1.0 - rare, rare]
    transitions[1, 1] = transitions[2] = [1.0, 0.0, 0.0]
    walk = sparse.csr_array(transitions.reshape(6, 3))
    table = np.array([[0.0, 0.3], [0.2, 0.0], [0.0, 0.1]])
    made = coefficients.u(table, np.full((3, 2), 0.2), np.array([0, 1, 0]), 0.9)

    found = navigation.minimise(made, walk)

    assert found.relative_gap <= 1e-9
    assert found.residual <= 1e-12


def test_flow_is_balanced_anew_where_it_is_missed(riverswim, bound, monkeypatch):
    """The chain of the same proportions replaces an allocation that misses its flow."""
    made, instance = bound(riverswim(6), 0.9, "u")
    expected = navigation.minimise(made, instance.walk)
    monkeypatch.setattr(search, "BALANCED", -1.0)

    found = navigation.minimise(made, instance.walk)

    assert found.value == pytest.approx(expected.value, rel=1e-9)
    assert found.residual <= max(expected.residual, 1e-15)
