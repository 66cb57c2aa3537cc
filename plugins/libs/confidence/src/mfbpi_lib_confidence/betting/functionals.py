"""Stakes on a linear functional of means, and what its capital says.

For a functional c, x its threshold, and m the horizon, the stake on pair j is -b theta_j with

    theta_j = sqrt(2 (x + 1.5) m / Q) c_j / (m N_j),    Q = sum_j c_j^2 v_j / N_j,

N and v the visits and variances when it is fixed: the best against the likeliest deviation that
raises the functional, after m N visits more, were capitals quadratic.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from mfbpi_core.data.arrays import FloatArray, IntArray
from mfbpi_lib_compiled import compiled
from mfbpi_lib_confidence.betting.capital import Seen, largest_sum, log_mixture

#: Horizon m: stakes are best after m N visits more.
HORIZON = 3.0


@compiled
def _plan(
    x: float,
    coefficients: FloatArray,
    pairs: IntArray,
    visits: FloatArray,
    variances: FloatArray,
    stakes: FloatArray,
) -> None:
    """Write the stakes of each period, [J, periods]."""
    for t in range(coefficients.shape[0]):
        spread = 0.0
        for i in range(pairs.size):
            spread += coefficients[t, i] ** 2 * variances[t, pairs[i]] / visits[t, pairs[i]]
        size = math.sqrt(2.0 * (x + 1.5) * HORIZON / spread) if spread > 0.0 else 1e300
        for i in range(pairs.size):
            stakes[i, t] = -(coefficients[t, i] / (HORIZON * visits[t, pairs[i]]) * size)


class Bets(NamedTuple):
    """Functionals sum_z c_z mu_z + mu_extra, and what their stakes are planned from.

    Attributes:
        frozen: float64 [periods, F, Z], coefficients c of the policy's own pairs when the stakes
            of a period were fixed.
        extra: int64 [F], a further pair of coefficient 1; -1 for none.
        own: int64 [Z], numbers of the policy's own pairs.
        thresholds: float64 [F], x.
        visits: float64 [periods, P], N when the stakes were fixed.
        variances: float64 [periods, P], of u then.
    """

    frozen: FloatArray
    extra: IntArray
    own: IntArray
    thresholds: FloatArray
    visits: FloatArray
    variances: FloatArray


@compiled
def functional_bounds(
    bets: Bets, present: FloatArray, seen: Seen, intervals: FloatArray
) -> FloatArray:
    """Upper bounds of F functionals, float64 [F].

    Args:
        bets: what was frozen.
        present: float64 [F, Z], coefficients of the functionals to be bounded.
        seen: points since.
        intervals: float64 [P, 2], where the means lie.
    """
    n_periods, n_functionals, n_own = bets.frozen.shape
    found, now = np.zeros(n_functionals), np.zeros(n_own + 1)
    before, stakes = np.zeros((n_periods, n_own + 1)), np.zeros((n_own + 1, n_periods))
    pairs = np.zeros(n_own + 1, dtype=np.int64)
    for f in range(n_functionals):
        n = n_own + (bets.extra[f] >= 0)
        before[:, :n_own], now[:n_own], pairs[:n_own] = bets.frozen[:, f], present[f], bets.own
        before[:, n_own], now[n_own], pairs[n_own] = 1.0, 1.0, bets.extra[f]
        x = bets.thresholds[f]
        _plan(x, before[:, :n], pairs[:n], bets.visits, bets.variances, stakes)
        found[f] = largest_sum(now[:n], stakes[:n], pairs[:n], seen, intervals[pairs[:n]], x)
    return found


@compiled
def log_capitals(bets: Bets, seen: Seen, means: FloatArray) -> FloatArray:
    """Log capitals at given means, float64 [F]: below ``thresholds`` at the true ones, surely.

    Args:
        bets: see :func:`functional_bounds`.
        seen: likewise.
        means: float64 [P], mu.
    """
    n_periods, n_functionals, n_own = bets.frozen.shape
    found = np.zeros(n_functionals)
    before, stakes = np.zeros((n_periods, n_own + 1)), np.zeros((n_own + 1, n_periods))
    pairs = np.zeros(n_own + 1, dtype=np.int64)
    for f in range(n_functionals):
        n = n_own + (bets.extra[f] >= 0)
        before[:, :n_own], pairs[:n_own] = bets.frozen[:, f], bets.own
        before[:, n_own], pairs[n_own] = 1.0, bets.extra[f]
        _plan(bets.thresholds[f], before[:, :n], pairs[:n], bets.visits, bets.variances, stakes)
        for i in range(n):
            found[f] += log_mixture(seen, pairs[i], stakes[i], means[pairs[i]])
    return found
