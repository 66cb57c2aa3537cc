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

*Bound.* K is concave: on an interval it is above the chord between the ends. The log of the sum of
exponentials of these, and so L, is above a polygon: :mod:`mfbpi_lib_confidence.betting.minorants`
bounds sum c_j mu_j by them. Intervals are halved where chords are far below; the bound is the
largest over the parts.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from mfbpi_core.data.arrays import FloatArray, IntArray
from mfbpi_lib_compiled import compiled
from mfbpi_lib_confidence.betting.minorants import TANGENTS, TIED, polygon, smallest

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
        largest: see :func:`log_capital`; the size that no stake may exceed.
    """

    starts: IntArray
    weights: FloatArray
    paid: FloatArray
    periods: IntArray
    largest: float


@compiled
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


@compiled
def log_mixture(seen: Seen, pair: int, stakes: FloatArray, mean: float) -> float:
    """L(mu) of a pair.

    Args:
        seen: points of all pairs.
        pair: its number.
        stakes: float64 [periods], theta for size 1.
        mean: mu.
    """
    terms = _terms(seen, pair, stakes, mean)
    top = terms.max()
    return top + math.log(np.exp(terms - top).sum())


@compiled
def _terms(seen: Seen, pair: int, stakes: FloatArray, mean: float) -> FloatArray:
    """log v_b + K_b(mu), [B]."""
    low, high = seen.starts[pair], seen.starts[pair + 1]
    found = np.log(PRIOR)
    for b in range(SIZES.size):
        found[b] += log_capital(
            seen.weights[low:high],
            seen.paid[low:high],
            seen.periods[low:high],
            stakes,
            SIZES[b],
            seen.largest,
            mean,
        )
    return found


@compiled
def chords(seen: Seen, pair: int, stakes: FloatArray, low: float, high: float) -> FloatArray:
    """Chords of log v_b + K_b between the ends of an interval, height and slope, [B, 2].

    Args:
        seen: points of all pairs.
        pair: its number.
        stakes: float64 [periods], theta for size 1.
        low: lower end, where heights are taken.
        high: upper end.
    """
    found = np.zeros((SIZES.size, 2))
    found[:, 0] = _terms(seen, pair, stakes, low)
    if high > low:
        found[:, 1] = (_terms(seen, pair, stakes, high) - found[:, 0]) / (high - low)
    return found


@compiled
def inside(wanted: float, low: float, high: float) -> float:
    """What is wanted, if it is clearly inside of an interval; else the middle."""
    room = NEAR * (high - low)
    return wanted if low + room < wanted < high - room else 0.5 * (low + high)


@compiled
def largest_sum(
    coefficients: FloatArray,
    stakes: FloatArray,
    pairs: IntArray,
    seen: Seen,
    intervals: FloatArray,
    x: float,
) -> float:
    """Upper bound of sum c_j mu_j over means in their intervals whose log capital is below x.

    Args:
        coefficients: float64 [J], c.
        stakes: float64 [J, periods], of size b = 1.
        pairs: int64 [J], whose points they are.
        seen: points of all pairs.
        intervals: float64 [J, 2].
        x: what the log capital stays below.
    """
    n = coefficients.size
    parts = np.zeros((HALVINGS + 1, n, 2))
    corners = np.zeros((HALVINGS + 1, n, TANGENTS + 1, 2))
    used = np.zeros((HALVINGS + 1, n), dtype=np.int64)
    above = np.zeros((HALVINGS + 1, n))  # how far L is above the polygon, at the corner that counts
    bounds, at = np.full(HALVINGS + 1, -np.inf), np.zeros(HALVINGS + 1)
    parts[0] = intervals
    for j in range(n):
        low, high = parts[0, j]
        polygon(chords(seen, pairs[j], stakes[j], low, high), low, high, corners[0, j])
    bounds[0], at[0] = smallest(coefficients, corners[0], x, used[0])
    _measure(corners[0], used[0], pairs, stakes, seen, above[0])
    first = bounds[0]
    for new in range(1, HALVINGS + 1):
        worst = int((bounds >= bounds.max() - TIED * abs(first)).argmax())
        j = int(above[worst].argmax())
        low, high = parts[worst, j]
        if not (above[worst, j] * at[worst] > GAIN * abs(first) and high > low):
            break
        cut = inside(corners[worst, j, used[worst, j], 0], low, high)
        parts[new], corners[new] = parts[worst], corners[worst]
        parts[worst, j, 1], parts[new, j, 0] = cut, cut
        for part in (worst, new):
            low, high = parts[part, j]
            polygon(chords(seen, pairs[j], stakes[j], low, high), low, high, corners[part, j])
            bounds[part], at[part] = smallest(coefficients, corners[part], x, used[part])
            _measure(corners[part], used[part], pairs, stakes, seen, above[part])
    return bounds.max()


@compiled
def _measure(
    corners: FloatArray,
    used: IntArray,
    pairs: IntArray,
    stakes: FloatArray,
    seen: Seen,
    above: FloatArray,
) -> None:
    """Write how far L is above each polygon at the corner that counts."""
    for j in range(pairs.size):
        place, height = corners[j, used[j]]
        above[j] = log_mixture(seen, pairs[j], stakes[j], place) - height
