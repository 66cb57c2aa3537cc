"""Means E V of a pair V = high + low to twice the precision of float64, by products that are exact.

The entries of P and of V, brought to a size of at most 1, are cut into slices of beta bits each, on
common grids of 2^-beta, 2^-2 beta and so on (Ozaki, Ogita, Oishi & Rump 2012, "Error-free
transformations of matrix multiplication"). A product of slices i and j, summed over K slots, is a
multiple of 2^-(i + j) beta and small enough to be exact in float64 as long as
2 beta + log2 K <= 52: so plain, fast products will do. The fourth slices are what is left; products
of i + j = 5 are of size 2^-3 beta and need no exactness, and those beyond that are added to
them roughly. For :data:`MAX_SLOTS` slots all that is inexact is 2^-106 max |V|, and the last sums
are rounded to 2^-105.
"""

from __future__ import annotations

import numpy as np

from mfbpi_core.data.arrays import FloatArray, IntArray
from mfbpi_lib_tabular.numerics import doubled
from mfbpi_lib_tabular.numerics.doubled import Doubled

#: Rows of more slots are averaged in :mod:`mfbpi_lib_tabular.numerics.doubled` arithmetic.
MAX_SLOTS = 64


class Means:
    """Means of the values of all states.

    Args:
        values: V [S].
        n_slots: K, at most :data:`MAX_SLOTS`.
    """

    def __init__(self, values: Doubled, n_slots: int) -> None:
        largest = max(float(np.abs(values.high).max()), 1e-250)
        self._beta = (52 - int(np.ceil(np.log2(n_slots)))) // 2
        self._unit = 2.0 ** min(float(np.ceil(np.log2(largest))), 1023.0)
        v1, rest = cut(values.high / self._unit, self._beta)
        v2, rest = cut(rest, 2 * self._beta)
        rest, tiny = doubled.two_sum(rest, values.low / self._unit)
        v3, rest = cut(rest, 3 * self._beta)
        self._slices = v1, v2, v3, rest + tiny  # each [S]

    def of(self, successors: IntArray, probabilities: FloatArray) -> Doubled:
        """The mean over the slots [K, n] of each pair, [n]."""
        v1, v2, v3, v4 = (one.take(successors) for one in self._slices)
        p1, rest = cut(probabilities, self._beta)
        p2, rest = cut(rest, 2 * self._beta)
        p3, p4 = cut(rest, 3 * self._beta)
        high, low = doubled.fast_two_sum(_dot(p1, v1), _dot(p1, v2) + _dot(p2, v1))
        high, rest = doubled.two_sum(high, _dot(p1, v3) + _dot(p2, v2) + _dot(p3, v1))
        v3 += v4
        tiny = _dot(p1, v4) + _dot(p2, v3) + _dot(p3, v2 + v3) + _dot(p4, v1 + v2)
        high, low = doubled.fast_two_sum(high, (low + rest) + tiny)
        return Doubled(high * self._unit, low * self._unit)


def cut(numbers: FloatArray, bits: int) -> tuple[FloatArray, FloatArray]:
    """The multiple of 2^-bits next to each number, and what is left, both exact."""
    shift = 1.5 * 2.0 ** (52 - bits)
    top = numbers + shift
    top -= shift
    return top, numbers - top


def _dot(p: FloatArray, v: FloatArray) -> FloatArray:
    """Sum of products over the first axis."""
    total: FloatArray = np.einsum("kn,kn->n", p, v)
    return total
