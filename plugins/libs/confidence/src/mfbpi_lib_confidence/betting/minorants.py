"""Below the log capital of a pair: a convex polygon, and what a Lagrangian makes of polygons.

Let a pair's log capital on an interval be above log sum_b exp(chord_b), chords being affine. That
is convex, so above each of its tangents, hence above the largest of several: a polygon. With
polygons M_j and means in their intervals, for every multiplier lambda >= 0,

    sum c_j mu_j <= lambda x + sum_j max over the interval of (c_j mu - lambda M_j(mu)),

and each maximum is at a corner, as what is maximised is concave and affine between corners. The
right-hand side is convex in lambda and affine between finitely many values.
"""

from __future__ import annotations

import math

import numpy as np

from mfbpi_core.data.arrays import FloatArray, IntArray
from mfbpi_lib_compiled import compiled

#: Tangents of a polygon, at equal distances from end to end.
TANGENTS = 12

#: Most steps of one search for the multiplier; any multiplier gives a bound.
STEPS = 60

#: Corners that differ by less, relative to what the threshold weighs, count as one: two programs
#: shall choose the same.
TIED = 1e-9


@compiled
def tangent(chords: FloatArray, off: float) -> tuple[float, float]:
    """Height and slope of log sum_b exp(chord_b).

    Args:
        chords: float64 [B, 2], height at the lower end of the interval, and slope.
        off: distance from the lower end.
    """
    top = -np.inf
    for b in range(chords.shape[0]):
        top = max(top, chords[b, 0] + chords[b, 1] * off)
    total, slope = 0.0, 0.0
    for b in range(chords.shape[0]):
        share = math.exp(chords[b, 0] + chords[b, 1] * off - top)
        total += share
        slope += share * chords[b, 1]
    return top + math.log(total), slope / total


@compiled
def polygon(chords: FloatArray, low: float, high: float, corners: FloatArray) -> None:
    """Write the corners of the largest of the tangents.

    Args:
        chords: see :func:`tangent`.
        low: lower end of the interval.
        high: upper end.
        corners: float64 [TANGENTS + 1, 2], place and height of each, in their order.
    """
    height, slope = tangent(chords, 0.0)
    at = low
    corners[0, 0], corners[0, 1] = low, height
    for k in range(1, TANGENTS):
        to = min(low + (high - low) * k / (TANGENTS - 1), high)
        there, steeper = tangent(chords, to - low)
        place = 0.5 * (at + to)
        if steeper - slope > 1e-12 * (abs(steeper) + abs(slope)):
            place = at + (height - there + steeper * (to - at)) / (steeper - slope)
            place = min(max(place, at), to)
        corners[k, 0] = place
        corners[k, 1] = max(height + slope * (place - at), there + steeper * (place - to))
        at, height, slope = to, there, steeper
    corners[TANGENTS, 0], corners[TANGENTS, 1] = high, height


@compiled
def relaxed(
    multiplier: float, coefficients: FloatArray, corners: FloatArray, x: float, used: IntArray
) -> tuple[float, float]:
    """The Lagrangian bound at a multiplier, and its slope there; writes the corners that count.

    Args:
        multiplier: lambda.
        coefficients: float64 [J], c.
        corners: float64 [J, TANGENTS + 1, 2], see :func:`polygon`.
        x: what the log capital stays below.
        used: int64 [J], which corner of each polygon counts.
    """
    total, slope, tied = multiplier * x, x, TIED * multiplier * x
    for j in range(coefficients.size):
        values = coefficients[j] * corners[j, :, 0] - multiplier * corners[j, :, 1]
        most = values.max()
        total += most
        used[j] = 0
        while values[used[j]] < most - tied:
            used[j] += 1
        slope -= corners[j, used[j], 1]
    return total, slope


@compiled
def smallest(
    coefficients: FloatArray, corners: FloatArray, x: float, used: IntArray
) -> tuple[float, float]:
    """The smallest Lagrangian bound, and its multiplier; that of multiplier 0 if none is least.

    The bound is above its supporting lines: where two of them cross, next to the least value, is
    tried next, until the bound is on them.

    Args:
        coefficients: see :func:`relaxed`.
        corners: likewise.
        x: likewise.
        used: likewise.
    """
    low, high = 0.0, 0.0
    left, falling = relaxed(low, coefficients, corners, x, used)
    if falling >= 0.0:
        return left, low
    for j in range(coefficients.size):
        width = corners[j, -1, 0] - corners[j, 0, 0]
        high = max(high, abs(coefficients[j]) * width / x)
    right, rising = relaxed(high, coefficients, corners, x, used)
    for _ in range(STEPS):
        if rising >= 0.0:
            break
        low, left, falling = high, right, rising
        high *= 2.0
        right, rising = relaxed(high, coefficients, corners, x, used)
    if rising < 0.0:  # the capital exceeds x wherever the means may be: the event has failed
        return relaxed(0.0, coefficients, corners, x, used)[0], 0.0
    for _ in range(STEPS):
        crossing = low + (right - left - rising * (high - low)) / (falling - rising)
        if not low < crossing < high:
            break
        on_lines = left + falling * (crossing - low)
        value, slope = relaxed(crossing, coefficients, corners, x, used)
        if slope < 0.0:
            low, left, falling = crossing, value, slope
        else:
            high, right, rising = crossing, value, slope
        if value <= on_lines + 1e-12 * abs(value):
            break
    best = low if left < right else high
    return relaxed(best, coefficients, corners, x, used)[0], best
