"""The least value of a bound when any pair can be sampled: a scalar search, exact."""

from __future__ import annotations

import numpy as np

from mfbpi_core.data.arrays import FloatArray
from mfbpi_lib_bounds.coefficients import Coefficients, evaluate
from mfbpi_lib_bounds.scalar import Model
from mfbpi_lib_bounds.solution import Solution


def minimise(coefficients: Coefficients) -> Solution:
    """Minimise U over all distributions [S, A], to the precision of the arithmetic.

    The coefficients must be finite; with no sub-optimal pair at all there is nothing to learn
    and the value is 0 anywhere.
    """
    if not coefficients.suboptimal.any():
        return nothing_to_learn(coefficients)
    model = scalar_model(coefficients)
    x = model.minimiser
    weights = least_weights(coefficients, x)
    allocation = weights / weights.sum()
    return Solution(
        value=evaluate(coefficients, allocation),
        allocation=allocation,
        lower=model.floor(x),
        residual=0.0,
        n_programmes=0,
        x=x,
        basis=None,
    )


def scalar_model(coefficients: Coefficients) -> Model:
    """The convex function of one variable whose least value is that of the bound."""
    pairs = coefficients.suboptimal
    d = coefficients.d[pairs]
    total = float(coefficients.c[coefficients.acting].sum())
    return Model(c=total, h=coefficients.h[pairs], d=d, top=_top(coefficients))


def _top(coefficients: Coefficients) -> float:
    """The least that U can be in relation to K."""
    return max(float(coefficients.d[coefficients.suboptimal].max()), coefficients.e)


def least_weights(coefficients: Coefficients, x: float) -> FloatArray:
    """Least w [S, A] with K(w) <= 1 and U(w) <= top + x; 0 where a state does not act."""
    pairs, states = coefficients.suboptimal, np.flatnonzero(coefficients.acting)
    beyond = _top(coefficients) - coefficients.d[pairs]
    weights = np.zeros(coefficients.h.shape)  # w[s, a]
    weights[pairs] = coefficients.h[pairs] / (x + beyond)
    weights[states, coefficients.policy[states]] = coefficients.c[states]
    return weights


def nothing_to_learn(coefficients: Coefficients) -> Solution:
    """The solution where every policy is the same: value 0, samples spread evenly."""
    shape = coefficients.h.shape
    allocation = np.repeat(coefficients.acting.astype(np.float64)[:, None], shape[1], axis=1)
    return Solution(
        value=0.0,
        allocation=allocation / allocation.sum(),
        lower=0.0,
        residual=0.0,
        n_programmes=0,
        x=0.0,
        basis=None,
    )
