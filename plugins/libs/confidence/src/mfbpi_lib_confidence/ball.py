"""The one-step bound: how small or large a mean can be over a ball of laws around the observed one.

The ball holds every law q over the outcomes with KL(p, q) <= c, p the observed law. Let d_k >= 0
and t >= 0. By the weighted inequality of arithmetic and geometric means, the terms off the
support of p being 0 or more,

    q.d + t = sum q_k (t + d_k) >= exp(sum p_k log(q_k (t + d_k) / p_k))
            >= exp(sum p_k log(t + d_k) - c),

so that every t > 0 gives a valid bound

    q.d >= t expm1(sum p_k log1p(d_k / t) - c),    and t = 0 gives q.d >= exp(sum p_k log d_k - c).

It is concave in t, and the best t gives the exact minimum if some outcome has d = 0. The best t is
the zero of phi(t) - c, or 0 if phi(0) <= c, with the decreasing function

    phi(t) = sum p_k log1p(d_k / t) + log(sum p_k / (1 + d_k / t)).

The largest mean of values y is max y - (smallest mean of max y - y). These forms keep their digits
at n = 1e10 and beyond, where nu - exp(sum p log(nu - y) - c) loses all. Source of the dual form:
Filippi, Cappé & Garivier 2010.
"""

from __future__ import annotations

import math

import numpy as np

from mfbpi_core.data.arrays import FloatArray
from mfbpi_lib_compiled import compiled

#: The search ends when phi(t) is this close to c, relatively. The bound is flat there: its own
#: distance from the optimum is of the order of the square of this, relative to its width.
CLOSE = 1e-7

#: Cap on the steps of the search. Any t is valid, so that stopping early costs tightness alone.
MAX_STEPS = 60

#: The least log t, absolutely and below that of the largest d: beyond, d / t overflows, and the
#: bound would be infinite. Where a frequency is a small sum of rewards, the best t is less.
LEAST_LOG, BELOW = -690.0, 600.0

#: Step of log t where neither the tangent nor the bracket helps.
LONG_STEP = 3.0


@compiled
def least_mean(weights: FloatArray, gaps: FloatArray, radius: float) -> tuple[float, float]:
    """Smallest mean of d over the ball, from below.

    Args:
        weights: float64 [k], p, summing to one.
        gaps: float64 [k], d >= 0; some outcome, on the support or off it, has d = 0.
        radius: c > 0; infinite for a pair never visited.

    Returns:
        ``(bound, t)``; t is infinite where all d are 0.
    """
    if radius == np.inf:
        return 0.0, 0.0
    mean, square, log_mean, inverse = 0.0, 0.0, 0.0, 0.0
    interior = True
    for k in range(weights.size):
        mean += weights[k] * gaps[k]
        interior = interior and (gaps[k] > 0.0 or weights[k] == 0.0)
    if not mean > 0.0:
        return 0.0, np.inf
    for k in range(weights.size):
        square += weights[k] * (gaps[k] - mean) * (gaps[k] - mean)
        if interior and weights[k] > 0.0:
            log_mean += weights[k] * math.log(gaps[k])
            inverse += weights[k] / gaps[k]
    if interior and log_mean + math.log(inverse) <= radius:
        return math.exp(log_mean - radius), 0.0
    return _search(weights, gaps, radius, math.sqrt(0.5 * square / radius))


@compiled
def _search(
    weights: FloatArray, gaps: FloatArray, radius: float, guess: float
) -> tuple[float, float]:
    """Newton's method on log phi as a function of log t, inside a bracket."""
    least = max(math.log(gaps.max()) - BELOW, LEAST_LOG)
    log_t = math.log(guess) if guess > 0.0 else 0.0
    low, high = -np.inf, np.inf
    t, growth = 0.0, 0.0
    for _ in range(MAX_STEPS):
        t = math.exp(log_t)
        growth, phi, slope = _stationarity(weights, gaps, t)
        if abs(phi - radius) <= CLOSE * radius:
            break
        if phi > radius:
            low = log_t
        else:
            high = log_t
        step = LONG_STEP if phi > radius else -LONG_STEP
        if phi > 0.0 and slope < 0.0:
            step = math.log(radius / phi) * phi / slope
        if phi <= radius and log_t <= least:
            break  # the best t is below all that can be computed with
        log_t = max(_inside(log_t, step, low, high), least)
    return max(t * math.expm1(growth - radius), 0.0), t


@compiled
def _stationarity(weights: FloatArray, gaps: FloatArray, t: float) -> tuple[float, float, float]:
    """``sum p log1p(d / t)``, phi(t), and the derivative of phi by log t."""
    growth, lost, kept, bend = 0.0, 0.0, 0.0, 0.0
    for k in range(weights.size):
        u = gaps[k] / t
        share = weights[k] / (1.0 + u)
        growth += weights[k] * math.log1p(u)
        kept += share
        lost += share * u
        bend += share * u / (1.0 + u)
    phi = growth + (math.log1p(-lost) if lost < 0.5 else math.log(kept))
    return growth, phi, bend / kept - lost


@compiled
def polished(weights: FloatArray, gaps: FloatArray, radius: float, t: float) -> float:
    """The best t to the last digits, from one that :func:`least_mean` found; one Newton step.

    The bound does not need it: its error is of second order in that of t. The law that attains the
    bound does: its error is of first order.
    """
    if not 0.0 < t < np.inf:
        return t
    _, phi, slope = _stationarity(weights, gaps, t)
    if not (phi > 0.0 and slope < 0.0 and abs(phi - radius) <= 0.1 * radius):
        return t
    return t * math.exp(math.log(radius / phi) * phi / slope)


@compiled
def _inside(log_t: float, step: float, low: float, high: float) -> float:
    """The next log t: at most a long step away, and inside the bracket."""
    proposed = log_t + min(max(step, -4.0 * LONG_STEP), 4.0 * LONG_STEP)
    if low < proposed < high:
        return proposed
    if low > -np.inf and high < np.inf:
        return 0.5 * (low + high)
    return log_t + (LONG_STEP if low > -np.inf else -LONG_STEP)


@compiled
def largest_mean(weights: FloatArray, values: FloatArray, top: float, radius: float) -> float:
    """Largest mean of values over the ball, from above.

    Args:
        weights: float64 [k], the observed law on its support.
        values: float64 [k], values of these outcomes.
        top: largest value of any outcome, seen or not.
        radius: c.
    """
    gaps = np.empty(values.size)
    for k in range(values.size):
        gaps[k] = top - values[k]
    return top - least_mean(weights, gaps, radius)[0]


@compiled
def smallest_mean(weights: FloatArray, values: FloatArray, bottom: float, radius: float) -> float:
    """Smallest mean of values over the ball, from below; ``bottom``: least value of any outcome."""
    gaps = np.empty(values.size)
    for k in range(values.size):
        gaps[k] = values[k] - bottom
    return bottom + least_mean(weights, gaps, radius)[0]


@compiled
def mean_interval(
    totals: FloatArray, visits: FloatArray, radii: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Lowest and highest mean of rewards in [0, 1], for each of P pairs.

    Args:
        totals: float64 [P], sums of the rewards.
        visits: float64 [P], n.
        radii: float64 [P], c; infinite where n = 0.

    Returns:
        float64 [P] twice.
    """
    low, high = np.zeros(totals.size), np.ones(totals.size)
    weights, values = np.zeros(2), np.zeros(2)
    values[0] = 1.0
    for j in range(totals.size):
        if visits[j] > 0.0:
            paid = min(max(totals[j], 0.0), visits[j])
            weights[0], weights[1] = paid / visits[j], (visits[j] - paid) / visits[j]
            low[j] = smallest_mean(weights, values, 0.0, radii[j])
            high[j] = largest_mean(weights, values, 1.0, radii[j])
    return low, high
