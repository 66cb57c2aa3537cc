"""Capital of bets against a mean, and the largest value that a linear functional of means can have.

Each visit of pair j pays u = r + gamma h(s'), of mean mu. A stake theta that was fixed before the
data came turns the visits into a capital, every factor of which has conditional mean 1 at the true
mu, however the visits were chosen:

    K(mu) = sum log(1 + theta (u - mu)).

A pair mixes three sizes of stake b, L = log sum_b v_b exp K_b, and a functional multiplies the
capitals of its pairs, so that (Ville 1939) with probability 1 - exp(-x), at all times,
sum_j L_j < x at the true means.

Of rewards of any law in their range only sums by successor are needed: log is concave, so that a
reward counts as the share of a visit that pays the highest, and the rest that pays the lowest,
which makes the capital smaller.

*Minorant.* K is concave: on an interval it is above the chord between the ends. log sum v exp of
affine functions is convex, and above its tangent. Both together give an affine minorant of L on the
interval, wherever the tangent touches.

*Bound.* With the means in their intervals, for every multiplier lambda >= 0,

    sum c_j mu_j <= lambda x + sum_j max over the interval of (c_j mu_j - lambda minorant_j).

It is piecewise linear and convex in lambda: the best is at a breakpoint, or at 0. Intervals are
halved where chords are far below; the bound is the largest over the parts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numba
import numpy as np

from mfbpi_core.data.arrays import FloatArray, IntArray

#: Sizes b of the stakes, and their prior v.
SIZES = np.array([0.4, 1.0, 1.6])
PRIOR = np.array([0.2, 0.6, 0.2])

#: Largest stake by the width of the range of u; below 1, so that no factor is negative.
LARGEST_STAKE = 0.95

#: Most halvings of intervals for one bound, and the least gain for which they go on.
HALVINGS, GAIN = 8, 0.02

#: A place this near to an end, relatively, is not inside: rounding must not decide that.
NEAR = 1e-6


class Seen(NamedTuple):
    """Points that were seen; pair j holds those from ``starts[j]`` to ``starts[j + 1]``.

    Attributes:
        starts: int64 [P + 1].
        weights: float64, of the points; see :func:`log_capital`.
        paid: float64, likewise.
        periods: int64, likewise.
        largest: see :func:`minorant`.
    """

    starts: IntArray
    weights: FloatArray
    paid: FloatArray
    periods: IntArray
    largest: float


@numba.njit(cache=True)
def log_capital(
    weights: FloatArray,
    paid: FloatArray,
    periods: IntArray,
    stakes: FloatArray,
    size: float,
    largest: float,
    mean: float,
) -> float:
    """K(mu).

    Args:
        weights: float64 [k], how many visits paid each; shares of one are allowed.
        paid: float64 [k], u.
        periods: int64 [k], when.
        stakes: float64 [periods], theta for size 1.
        size: b.
        largest: size that no stake may exceed.
        mean: mu.
    """
    total = 0.0
    for k in range(weights.size):
        theta = min(max(size * stakes[periods[k]], -largest), largest)
        total += weights[k] * math.log1p(theta * (paid[k] - mean))
    return total


@numba.njit(cache=True)
def minorant(
    weights: FloatArray,
    paid: FloatArray,
    periods: IntArray,
    stakes: FloatArray,
    largest: float,
    low: float,
    high: float,
    touch: float,
) -> tuple[float, float, float]:
    """An affine minorant of L on an interval, a + slope mu, and how far L is above it at touch.

    Args:
        weights: see :func:`log_capital`.
        paid: likewise.
        periods: likewise.
        stakes: likewise.
        largest: likewise.
        low: lower end of the interval.
        high: upper end.
        touch: where the tangent touches.
    """
    top, total, slope, there = -np.inf, 0.0, 0.0, -np.inf
    terms, slopes, exact = np.zeros(SIZES.size), np.zeros(SIZES.size), np.zeros(SIZES.size)
    for b in range(SIZES.size):
        size = SIZES[b]
        at_low = log_capital(weights, paid, periods, stakes, size, largest, low)
        if high > low:
            at_high = log_capital(weights, paid, periods, stakes, size, largest, high)
            slopes[b] = (at_high - at_low) / (high - low)
        terms[b] = math.log(PRIOR[b]) + at_low + slopes[b] * (touch - low)
        at_touch = log_capital(weights, paid, periods, stakes, size, largest, touch)
        exact[b] = math.log(PRIOR[b]) + at_touch
        top, there = max(top, terms[b]), max(there, exact[b])
    true = 0.0
    for b in range(SIZES.size):
        share = math.exp(terms[b] - top)
        total += share
        slope += share * slopes[b]
        true += math.exp(exact[b] - there)
    slope /= total
    height = top + math.log(total)
    return height - slope * touch, slope, there + math.log(true) - height


@numba.njit(cache=True)
def lagrangian(
    coefficients: FloatArray, minorants: FloatArray, intervals: FloatArray, x: float
) -> tuple[float, float]:
    """Upper bound of sum c_j mu_j, the smallest over multipliers, and the multiplier.

    Args:
        coefficients: float64 [J], c.
        minorants: float64 [J, 3], a and slope of each; the third is not used.
        intervals: float64 [J, 2].
        x: what the log capital stays below.
    """
    best, at, largest = _at(0.0, coefficients, minorants, intervals, x), 0.0, 0.0
    for j in range(coefficients.size):
        slope = minorants[j, 1]
        multiplier = coefficients[j] / slope if slope != 0.0 else 0.0
        if 0.0 < multiplier < np.inf:
            largest = max(largest, multiplier)
            bound = _at(multiplier, coefficients, minorants, intervals, x)
            if bound < best:
                best, at = bound, multiplier
    beyond = _at(10.0 * largest, coefficients, minorants, intervals, x)
    return (beyond, 10.0 * largest) if beyond < best else (best, at)


@numba.njit(cache=True)
def _at(
    multiplier: float,
    coefficients: FloatArray,
    minorants: FloatArray,
    intervals: FloatArray,
    x: float,
) -> float:
    total = multiplier * x
    for j in range(coefficients.size):
        slope = coefficients[j] - multiplier * minorants[j, 1]
        total += (
            max(slope * intervals[j, 0], slope * intervals[j, 1]) - multiplier * minorants[j, 0]
        )
    return total


@numba.njit(cache=True)
def inside(wanted: float, low: float, high: float) -> float:
    """What is wanted, if it is clearly inside of an interval; else the middle."""
    room = NEAR * (high - low)
    return wanted if low + room < wanted < high - room else 0.5 * (low + high)


@numba.njit(cache=True)
def largest_sum(
    coefficients: FloatArray,
    stakes: FloatArray,
    touches: FloatArray,
    pairs: IntArray,
    seen: Seen,
    intervals: FloatArray,
    x: float,
) -> float:
    """Upper bound of sum c_j mu_j over means in their intervals whose log capital is below x.

    Args:
        coefficients: float64 [J], c.
        stakes: float64 [J, periods], of size b = 1.
        touches: float64 [J], deviations that are expected to matter.
        pairs: int64 [J], whose points they are.
        seen: points of all pairs.
        intervals: float64 [J, 2].
        x: what the log capital stays below.
    """
    n = coefficients.size
    parts = np.zeros((HALVINGS + 1, n, 2))
    lines = np.zeros((HALVINGS + 1, n, 3))
    bounds, at = np.full(HALVINGS + 1, -np.inf), np.zeros(HALVINGS + 1)
    parts[0] = intervals
    for j in range(n):
        _line(j, parts[0], lines[0], stakes, touches, pairs, seen)
    bounds[0], at[0] = lagrangian(coefficients, lines[0], parts[0], x)
    first = bounds[0]
    for used in range(1, HALVINGS + 1):
        worst = bounds.argmax()
        j = int(lines[worst, :, 2].argmax())
        low, high = parts[worst, j]
        if not (lines[worst, j, 2] * at[worst] > GAIN * abs(first) and high > low):
            break
        cut = inside(touches[j], low, high)
        parts[used], lines[used] = parts[worst], lines[worst]
        parts[worst, j, 1], parts[used, j, 0] = cut, cut
        for part in (worst, used):
            _line(j, parts[part], lines[part], stakes, touches, pairs, seen)
            bounds[part], at[part] = lagrangian(coefficients, lines[part], parts[part], x)
    return bounds.max()


@numba.njit(cache=True)
def _line(
    j: int,
    intervals: FloatArray,
    lines: FloatArray,
    stakes: FloatArray,
    touches: FloatArray,
    pairs: IntArray,
    seen: Seen,
) -> None:
    """Write the minorant of one pair on its interval."""
    low, high = seen.starts[pairs[j]], seen.starts[pairs[j] + 1]
    left, right = intervals[j]
    lines[j, 0], lines[j, 1], lines[j, 2] = minorant(
        seen.weights[low:high],
        seen.paid[low:high],
        seen.periods[low:high],
        stakes[j],
        seen.largest,
        left,
        right,
        inside(touches[j], left, right),
    )
