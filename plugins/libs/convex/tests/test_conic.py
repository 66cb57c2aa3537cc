import math

import cvxpy as cp
import numpy as np
import pytest
from scipy import sparse

from mfbpi_core.errors import ConfigError, SolverError
from mfbpi_lib_bounds import coefficients, generative, navigation
from mfbpi_lib_bounds.coefficients import Coefficients, evaluate
from mfbpi_lib_convex import conic, programme


def _case(n_states: int, seed: int, spread: float = 3.0) -> tuple[Coefficients, sparse.csr_array]:
    """Coefficients with gaps over several magnitudes, and a random walk matrix."""
    rng = np.random.default_rng(seed)
    gaps = 10.0 ** rng.uniform(-spread, 0.0, (n_states, 2))
    made = coefficients.u(gaps, rng.random((n_states, 2)), rng.integers(2, size=n_states), 0.95)
    successors = rng.integers(n_states, size=(2 * n_states, 3))
    successors[::2, 0] = (np.arange(n_states) + 1) % n_states  # so that all states communicate
    weights = rng.dirichlet(np.ones(3), size=2 * n_states)
    rows = np.repeat(np.arange(2 * n_states), 3)
    entries = (weights.reshape(-1), (rows, successors.reshape(-1)))
    return made, sparse.csr_array(entries, shape=(2 * n_states, n_states))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_states", [2, 5, 20])
def test_agrees_with_the_exact_method(n_states, seed):
    """Two methods that share nothing but the definition: within 1 %, in fact 1e-4."""
    made, walk = _case(n_states, seed)

    for exact, found in (
        (generative.minimise(made), conic.minimise(made)),
        (navigation.minimise(made, walk), conic.minimise(made, walk)),
    ):
        assert found.status == "optimal"
        assert found.value == pytest.approx(exact.value, rel=1e-4)
        assert found.value >= exact.lower * (1 - 1e-9)


def test_result_is_evaluated_anew():
    """The value is U at the returned allocation, a feasible distribution; no gap is claimed."""
    made, walk = _case(8, 3)

    found = conic.minimise(made, walk)

    assert found.value == evaluate(made, found.allocation)
    assert found.allocation.sum() == pytest.approx(1.0, rel=1e-12)
    assert (found.allocation >= 0.0).all()
    flow = found.allocation.reshape(-1) @ walk - found.allocation.sum(axis=1)
    assert np.abs(flow).max() == pytest.approx(found.residual, abs=1e-15)
    assert found.residual < 1e-8
    assert math.isnan(found.relative_gap)
    assert found.solver.startswith("CLARABEL through cvxpy")


def test_states_that_do_not_act():
    """They get no samples and no programme row."""
    made, _ = _case(3, 0)
    acting = np.array([True, True, False])
    made = Coefficients(h=made.h, d=made.d, c=made.c, policy=made.policy, acting=acting)

    found = conic.minimise(made)

    assert (found.allocation[2] == 0.0).all()
    assert found.value == pytest.approx(generative.minimise(made).value, rel=1e-4)


def test_another_solver():
    """SCS, a first-order method, agrees or says that it is inaccurate."""
    made, _ = _case(3, 1, spread=1.0)

    found = conic.minimise(made, solver="scs")

    close = math.isclose(found.value, generative.minimise(made).value, rel_tol=0.01)
    assert close or found.status != "optimal"


def test_missing_solver_lists_those_installed():
    """The name asked for, and what there is."""
    made, _ = _case(3, 1)

    with pytest.raises(ConfigError, match=r"'NOSUCH' is not installed; installed: .*CLARABEL"):
        conic.minimise(made, solver="NOSUCH")


def test_solver_that_cannot_do_it():
    """A solver of linear programmes refuses cones: a typed error that names it."""
    made, _ = _case(3, 1)

    with pytest.raises(SolverError, match="HIGHS failed"):
        conic.minimise(made, solver="HIGHS")


def test_infeasible_is_a_typed_error():
    """A programme without solution raises with the status."""
    x = cp.Variable()

    with pytest.raises(SolverError, match="infeasible"):
        programme.solve(cp.Problem(cp.Minimize(x), [x >= 1.0, x <= 0.0]))


def test_inaccurate_is_surfaced(monkeypatch):
    """What a solver calls inaccurate is never passed off as optimal."""
    made, _ = _case(3, 1)
    honest = programme.solve

    def pretend(problem, solver):
        honest(problem, solver)
        return cp.OPTIMAL_INACCURATE

    monkeypatch.setattr(conic, "solve", pretend)

    found = conic.minimise(made)

    assert found.status == cp.OPTIMAL_INACCURATE
    assert found.reason


def test_unsettled_is_surfaced(monkeypatch):
    """A value that still changes after the last pass is not called optimal."""
    made, walk = _case(5, 1)
    monkeypatch.setattr(conic, "MAX_PASSES", 1)

    found = conic.minimise(made, walk)

    assert found.status == "inaccurate"
    assert "after 1 passes" in found.reason


def test_claims_that_do_not_match_are_surfaced(monkeypatch):
    """The solver's own value must be that of its allocation."""
    made, _ = _case(4, 2)
    honest = conic._improve

    def boast(*given):
        found = honest(*given)
        return conic.attrs.evolve(found, claimed=found.claimed * 0.9)

    monkeypatch.setattr(conic, "_improve", boast)

    found = conic.minimise(made)

    assert found.status == "inaccurate"
    assert "is not that of its allocation" in found.reason


def test_nothing_to_learn():
    """Without sub-optimal pairs there is no programme."""
    ones = np.ones((2, 1))
    made = coefficients.u(ones, ones, np.array([0, 0]), 0.9)

    with pytest.raises(SolverError, match="no sub-optimal pair"):
        conic.minimise(made)
