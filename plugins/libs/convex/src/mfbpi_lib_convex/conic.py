"""The bounds of mfbpi_lib_bounds as second-order cone programmes.

    minimise t  subject to  w(s, a) (t - d(s, a) K) >= h(s, a)   for sub-optimal (s, a),
                            w(s, pi*(s)) K >= c(s)               for every s,   t >= e K,
                            sum(w) = 1, w >= 0, and the flow equations of a walk.

Each product is a rotated cone. The weights span ten orders of magnitude, on which solvers lose
their way; so w, t and K are measured in units of a reference, at first a guess and then the
solution of the last pass, until the value settles. Nothing is taken from the exact method.
"""

from __future__ import annotations

import math

import attrs
import cvxpy as cp
import numpy as np
import numpy.typing as npt
from scipy import sparse

from mfbpi_core.contracts.bound import BoundSolution
from mfbpi_core.data.arrays import FloatArray
from mfbpi_core.errors import SolverError
from mfbpi_lib_bounds.coefficients import Coefficients, evaluate
from mfbpi_lib_convex.programme import DEFAULT_SOLVER, check_solver, solve, value_of, version

#: Passes before giving up, and relative change of the value that counts as settled.
MAX_PASSES = 12
SETTLED = 1e-6

#: Flow residual up to which a solution may be called optimal.
OPTIMAL_RESIDUAL = 1e-8

#: Smallest unit of a weight, as a share of all samples.
SMALLEST_UNIT = 1e-18


@attrs.frozen(kw_only=True, eq=False)
class _Pass:
    """What one pass found: weights [S, A], their value, and the solver's word and value."""

    weights: FloatArray
    value: float
    status: str
    claimed: float


def minimise(
    coefficients: Coefficients,
    walk: sparse.csr_array | None = None,
    *,
    solver: str = DEFAULT_SOLVER,
) -> BoundSolution:
    """Minimise a bound over allocations, with a convex solver.

    Args:
        coefficients: the bound, finite.
        walk: sparse [S A, S], where a walk is after each pair; None where any pair can be sampled.
        solver: name of an installed solver.

    Returns:
        The last pass, evaluated anew. ``status`` is ``"optimal"`` only where the solver says so,
        its value is that of the allocation, and the passes have settled; ``relative_gap`` is NaN,
        as nothing certifies it.

    Raises:
        ConfigError: when the solver is not installed.
        SolverError: when the solver fails.
    """
    check_solver(solver)
    if not coefficients.suboptimal.any():
        raise SolverError(
            "there is no sub-optimal pair, so there is no programme; use method=exact"
        )
    flow = None if walk is None else _flow(coefficients, walk)
    found, settled, count = _guess(coefficients), False, 0
    while not settled and count < MAX_PASSES:
        last, count = found, count + 1
        found = _improve(coefficients, flow, last.weights, solver)
        settled = found.status == cp.OPTIMAL and _close(found.value, last.value)
    residual = 0.0 if flow is None else float(np.abs(flow @ found.weights.reshape(-1)).max())
    status, reason = _verdict(found, settled, residual)
    return BoundSolution(
        value=found.value,
        allocation=found.weights,
        status=status,
        relative_gap=math.nan,
        residual=residual,
        solver=version(solver),
        reason=reason,
        details={"n_passes": count, "solver_value": found.claimed},
    )


def _verdict(found: _Pass, settled: bool, residual: float) -> tuple[str, str]:
    """Status and reason of the last pass."""
    if found.status != cp.OPTIMAL:
        return found.status, "the solver does not call its own solution accurate"
    if not settled:
        return "inaccurate", f"the value still changes after {MAX_PASSES} passes"
    if residual > OPTIMAL_RESIDUAL:
        return "inaccurate", f"a flow equation is missed by {residual:.1e}"
    if not math.isclose(found.claimed, found.value, rel_tol=100.0 * SETTLED):
        what = f"the solver's value {found.claimed:.6g} is not that of its allocation"
        return "inaccurate", f"{what}, {found.value:.6g}"
    return "optimal", ""


def _close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=SETTLED)


def _guess(coefficients: Coefficients) -> _Pass:
    """Units of the first pass: half the samples in proportion to h, half in proportion to c."""
    pairs, own = _masks(coefficients)
    weights = np.zeros(coefficients.h.shape)  # w[s, a]
    weights[pairs] = coefficients.h[pairs] / coefficients.h[pairs].sum()
    c = np.broadcast_to(coefficients.c[:, None], own.shape)[own]
    weights[own] = c / c.sum()
    weights /= 2.0
    value = evaluate(coefficients, weights)
    return _Pass(weights=weights, value=value, status="guess", claimed=math.nan)


def _improve(
    coefficients: Coefficients, flow: sparse.csr_array | None, reference: FloatArray, solver: str
) -> _Pass:
    """One pass: the programme in units of the reference weights [S, A]."""
    pairs, own = _masks(coefficients)
    unit = np.where(pairs | own, np.maximum(reference, SMALLEST_UNIT), 0.0)  # [S, A]
    c = np.broadcast_to(coefficients.c[:, None], own.shape)[own]
    unit_k, unit_t = float((c / unit[own]).max()), evaluate(coefficients, unit)
    w, t, k = cp.Variable(unit.size, nonneg=True), cp.Variable(), cp.Variable()
    slack = t - (coefficients.d[pairs] * (unit_k / unit_t)) * k
    constraints = [
        unit.reshape(-1) @ w == 1.0,
        _product(w[np.flatnonzero(pairs)], slack, coefficients.h[pairs] / (unit[pairs] * unit_t)),
        _product(w[np.flatnonzero(own)], k, c / (unit[own] * unit_k)),
    ]
    if coefficients.e:
        constraints.append(t >= coefficients.e * (unit_k / unit_t) * k)
    if flow is not None:
        constraints.append(_in_units(flow, unit.reshape(-1)) @ w == 0.0)
    problem = cp.Problem(cp.Minimize(t), constraints)
    status = solve(problem, solver)
    weights = np.maximum(value_of(w).reshape(unit.shape) * unit, 0.0)
    weights /= weights.sum()
    value = evaluate(coefficients, weights)
    return _Pass(weights=weights, value=value, status=status, claimed=float(value_of(t)) * unit_t)


def _product(one: cp.Expression, other: cp.Expression, least: FloatArray) -> cp.Constraint:
    """The products of two vectors are at least ``least`` [n], both 0 or more: n cones."""
    rows = [2.0 * np.sqrt(least), one - other]
    sides = cp.vstack(rows)  # type: ignore[attr-defined] # its stub hides the function
    return cp.SOC(one + other, sides, axis=0)


def _in_units(flow: sparse.csr_array, unit: FloatArray) -> sparse.csr_array:
    """The flow equations for weights in units, each divided by its largest coefficient."""
    scaled = flow @ sparse.diags_array(unit)
    largest = np.abs(scaled).max(axis=1).toarray().reshape(-1)
    kept = largest > 0.0
    return (sparse.diags_array(1.0 / largest[kept]) @ scaled.tocsr()[kept]).tocsr()


def _flow(coefficients: Coefficients, walk: sparse.csr_array) -> sparse.csr_array:
    """N' with N[(s, a), s'] = 1{s = s'} - P(s' | s, a), [S, S A]; no flow where nothing acts."""
    n_states, n_actions = coefficients.h.shape
    stays = sparse.kron(sparse.eye_array(n_states), np.ones((n_actions, 1)), format="csr")
    return (stays - walk).T.tocsr()


def _masks(
    coefficients: Coefficients,
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Bool [S, A] twice: the sub-optimal pairs and the optimal ones, in states that act."""
    pairs = coefficients.suboptimal
    return pairs, ~pairs & coefficients.acting[:, None]
