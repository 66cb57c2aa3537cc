import numpy as np
import pytest
from scipy import sparse

from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.errors import SolverError
from mfbpi_lib_bounds import navigation
from mfbpi_lib_bounds.instance import PlannedInstance
from mfbpi_lib_bounds.solvers import interior, normal
from mfbpi_lib_bounds.solvers.flow import Flow
from mfbpi_lib_bounds.solvers.interior import EVEN, Interior, is_entangled
from mfbpi_lib_bounds.solvers.normal import Normal


def _by_highs(monkeypatch, made, walk):
    """The solution without the interior point method."""
    with monkeypatch.context() as patch:
        patch.setattr(navigation, "INTERIOR_STATES", 10**9)
        return navigation.minimise(made, walk)


def _random(n_states, n_successors, seed, rare=False, **options):
    """An instance of 3 actions with the slots given; rare: of many sizes down to about 1e-5."""
    rng = np.random.default_rng(seed)
    shape = (n_states, 3, n_successors)
    weights = rng.dirichlet(np.ones(n_successors), size=shape[:2])
    weights *= 10.0 ** rng.uniform(-5.0 if rare else 0.0, 0.0, size=shape)
    weights /= weights.sum(axis=2, keepdims=True)
    rewards = rng.random(shape[:2])
    rewards[options.get("terminal", np.zeros(n_states, dtype=np.bool_))] = 0.0
    return TabularMDP.from_successors(
        rng.integers(n_states, size=shape), weights, rewards, **options
    )


def _check(found, like, instance):
    """The solution is certified, in balance, and as good as another to 1e-9."""
    assert found.solver == "interior point method"
    assert found.value == pytest.approx(like.value, rel=1e-9)
    assert found.relative_gap <= 1e-9
    assert found.lower <= like.value * (1.0 + 1e-12)
    assert found.residual <= navigation.OPTIMAL_RESIDUAL
    flow = Flow(instance.walk, instance.mdp.n_actions)
    assert flow.imbalance(found.allocation.reshape(-1)) <= EVEN


@pytest.mark.parametrize(
    ("n_states", "kind", "discount"),
    [(600, "u", 0.9), (200, "u", 0.999), (200, "u0", 0.9), (200, "u_tilde", 0.99)],
)
def test_finds_what_highs_finds(monkeypatch, bound, n_states, kind, discount):
    """Random graphs; with 600 states fewer flows are positive than there are equations."""
    made, instance = bound(_random(n_states, 5, seed=2), discount, kind)
    assert instance.navigation_reason() == ""
    expected = _by_highs(monkeypatch, made, instance.walk)
    monkeypatch.setattr(navigation, "INTERIOR_STATES", 200)

    found = navigation.minimise(made, instance.walk)

    _check(found, expected, instance)


@pytest.mark.parametrize(("n_successors", "rare"), [(5, True), (40, False)])
def test_rare_and_many_successors(monkeypatch, bound, n_successors, rare):
    """Transitions of probabilities down to 1e-5, and so many that dense arrays are used."""
    made, instance = bound(_random(220, n_successors, seed=5, rare=rare), 0.99, "u")
    expected = _by_highs(monkeypatch, made, instance.walk)
    monkeypatch.setattr(navigation, "INTERIOR_STATES", 200)

    found = navigation.minimise(made, instance.walk)

    _check(found, expected, instance)


def test_terminal_states_take_no_part(monkeypatch, bound):
    """An episode that can end in 20 of 620 states goes on from the first states."""
    terminal = np.arange(620) >= 600
    made, instance = bound(_random(620, 5, seed=7, terminal=terminal), 0.99, "u")
    assert instance.navigation_reason() == ""

    found = navigation.minimise(made, instance.walk)

    assert found.solver == "interior point method"
    assert not found.allocation[terminal].any()
    highs = _by_highs(monkeypatch, made, instance.walk)
    assert found.value == pytest.approx(highs.value, rel=1e-9)


def test_small_and_narrow_instances_keep_the_simplex_method(riverswim, bound):
    """A line of 600 states is not entangled; a random graph of 100 is, and stays with HiGHS."""
    line = PlannedInstance(mdp=riverswim(600), discount=0.9)
    assert not is_entangled(Flow(line.walk, 2))
    made, instance = bound(_random(100, 5, seed=2), 0.9, "u")
    assert is_entangled(Flow(instance.walk, 3))
    assert navigation.minimise(made, instance.walk).solver.startswith("HiGHS")


@pytest.mark.parametrize("n_successors", [2, 19, 20, 21, 22, 25, 100])
def test_pairs_of_many_successors_entangle(monkeypatch, n_successors):
    """With a fifth of 100 states at once, and without the numbering that would say so as well."""
    at = np.arange(100)[:, None, None] + np.arange(n_successors) + np.zeros((1, 3, 1), dtype=int)
    weights = np.full(at.shape, 1.0 / n_successors)
    ring = TabularMDP.from_successors(at % 100, weights, np.zeros((100, 3)))
    flow = Flow(PlannedInstance(mdp=ring, discount=0.9).walk, 3)
    by_numbering = is_entangled(flow)
    monkeypatch.setattr(interior.csgraph, "reverse_cuthill_mckee", None)

    assert by_numbering == (n_successors > 11)  # 2 (k - 1) apart, as both ways round meet
    if n_successors > 21:
        assert is_entangled(flow)


def test_highs_takes_over(monkeypatch, bound):
    """Where the method stalls, the solution is that of HiGHS."""
    made, instance = bound(_random(520, 3, seed=5), 0.99, "u")
    assert instance.navigation_reason() == ""
    expected = _by_highs(monkeypatch, made, instance.walk)
    monkeypatch.setattr("mfbpi_lib_bounds.solvers.interior.MAX_STEPS", 3)
    with pytest.raises(SolverError, match=r"stalls at a relative gap of .*; expected 1e-10"):
        Interior(made, Flow(instance.walk, 3), 1e-10).run()

    found = navigation.minimise(made, instance.walk)

    assert found.solver == expected.solver
    assert found.value == expected.value


@pytest.mark.parametrize("single", [False, True])
def test_normal_equations_of_weights_far_apart(monkeypatch, single):
    """Weights over 14 orders of magnitude: (N' D N + g g') p = r to the tolerance asked for."""
    monkeypatch.setattr(normal, "SINGLE_STATES", 1 if single else 10**9)
    rng = np.random.default_rng(0)
    instance = PlannedInstance(mdp=_random(300, 5, seed=1), discount=0.9)
    equations = Flow(instance.walk, 3).equations
    further = rng.normal(size=300)
    further -= further.mean()
    systems = Normal(equations)
    for spread in (1.0, 4.0, 14.0):
        weights = 10.0 ** rng.uniform(-spread / 2.0, spread / 2.0, size=900)
        right = equations.T @ rng.normal(size=900)

        systems.update(weights, further)
        found = systems.solve(right, 1e-8)

        left = equations.T @ (weights * (equations @ found)) + further * (further @ found)
        size = np.sqrt((sparse.diags_array(weights) @ equations**2).sum(axis=0))
        assert np.linalg.norm((left - right) / size) <= 1e-7 * np.linalg.norm(right / size)


@pytest.mark.slow
def test_three_thousand_states(bound):
    """A random graph on which the simplex method takes minutes."""
    made, instance = bound(_random(3_000, 5, seed=3), 0.99, "u")

    found = navigation.minimise(made, instance.walk)

    _check(found, found, instance)
