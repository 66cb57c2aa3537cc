"""The bound u as one would first write it in cvxpy: one constraint for each (s, a, s') term."""

from __future__ import annotations

import warnings

import cvxpy as cp
import numpy as np
import numpy.typing as npt

from mfbpi_lib_bounds.coefficients import Coefficients


def minimise(coefficients: Coefficients, transitions: npt.NDArray[np.float64]) -> tuple[float, str]:
    """Value and status of the navigation optimum, as Clarabel reports them; NaN where it fails."""
    n_states, n_actions = coefficients.h.shape
    w, t = cp.Variable((n_states, n_actions), nonneg=True), cp.Variable()
    constraints = [cp.sum(w) == 1.0]
    for s in range(n_states):
        inflow = cp.sum(cp.multiply(w, transitions[:, :, s]))
        constraints.append(cp.sum(w[s]) == inflow)
        for a in range(n_actions):
            if a == coefficients.policy[s]:
                continue
            noise = coefficients.h[s, a] * cp.inv_pos(w[s, a])
            for other in range(n_states):
                own = cp.inv_pos(w[other, coefficients.policy[other]])
                constraints.append(noise + coefficients.d[s, a] * coefficients.c[other] * own <= t)
    problem = cp.Problem(cp.Minimize(t), constraints)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            problem.solve(solver="CLARABEL")
        except cp.SolverError:
            return float("nan"), "failed"
    return float(t.value), str(problem.status)
