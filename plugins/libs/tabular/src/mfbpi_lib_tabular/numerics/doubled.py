"""Numbers of twice the precision, as unevaluated sums high + low of two float64 arrays.

Each operation carries a relative error of at most :data:`UNIT`, from the error-free sums and
products of Dekker (1971) and Knuth, as analysed by Joldes, Muller & Popescu (2017, "Tight and
rigorous error bounds for basic building blocks of double-word arithmetic"): 3 u^2 for a sum of
two pairs, 2 u^2 for a pair plus a number, 2 u^2 for a pair times a number, u = 2^-53.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mfbpi_core.data.arrays import FloatArray

#: Relative error of one operation, rounded up: 4 u^2.
UNIT = 2.0**-104

#: Factor that splits a float64 into two halves of 26 bits (Veltkamp).
_SPLITTER = 134217729.0


class Doubled(NamedTuple):
    """An array as the sum of two, |low| at most half a unit in the last place of high."""

    high: FloatArray
    low: FloatArray


def of(numbers: FloatArray) -> Doubled:
    """Float64 numbers, exactly."""
    return Doubled(numbers, np.zeros(numbers.shape))


def plus(x: Doubled, y: Doubled) -> Doubled:
    """Sum of two pairs."""
    high, low = two_sum(x.high, y.high)
    rest, tiny = two_sum(x.low, y.low)
    high, low = fast_two_sum(high, low + rest)
    return fast_two_sum(high, low + tiny)


def plus_number(x: Doubled, number: FloatArray) -> Doubled:
    """Sum of a pair and a float64."""
    high, low = two_sum(x.high, number)
    return fast_two_sum(high, low + x.low)


def times_number(x: Doubled, number: FloatArray | float) -> Doubled:
    """Product of a pair and a float64."""
    high, low = _two_product(x.high, number)
    high, rest = fast_two_sum(high, x.low * number)
    return fast_two_sum(high, rest + low)


def minus(x: Doubled, y: Doubled) -> Doubled:
    """Difference of two pairs."""
    return plus(x, Doubled(-y.high, -y.low))


def total(x: Doubled) -> Doubled:
    """Sum over the last axis, in ceil(log2 K) rounds of pairwise sums."""
    while x.high.shape[-1] > 1:
        half = x.high.shape[-1] // 2
        front = Doubled(x.high[..., :half], x.low[..., :half])
        back = Doubled(x.high[..., half : 2 * half], x.low[..., half : 2 * half])
        odd = Doubled(x.high[..., 2 * half :], x.low[..., 2 * half :])
        x = plus(front, back)
        if odd.high.shape[-1]:
            x = Doubled(*(np.concatenate(both, axis=-1) for both in zip(x, odd, strict=True)))
    return Doubled(x.high[..., 0], x.low[..., 0])


def two_sum(a: FloatArray, b: FloatArray) -> Doubled:
    """The rounded sum a + b and its rounding error (Knuth)."""
    high = a + b
    shadow = high - a
    return Doubled(high, (a - (high - shadow)) + (b - shadow))


def fast_two_sum(a: FloatArray, b: FloatArray) -> Doubled:
    """The same for |a| >= |b| (Dekker)."""
    high = a + b
    return Doubled(high, b - (high - a))


def _two_product(a: FloatArray, b: FloatArray | float) -> Doubled:
    """The rounded product a b and its rounding error (Dekker); exact short of underflow."""
    high = a * b
    (a1, a2), (b1, b2) = _halves(a), _halves(b)
    return Doubled(high, a2 * b2 - (((high - a1 * b1) - a2 * b1) - a1 * b2))


def _halves(a: FloatArray | float) -> tuple[FloatArray, FloatArray]:
    """A float64 as a sum of two numbers of at most 26 bits (Veltkamp)."""
    scaled = np.multiply(a, _SPLITTER)
    top = scaled - (scaled - a)
    return top, np.subtract(a, top)
