"""What is done for every pair of a large instance, compiled.

The same as :mod:`.rows` and :mod:`.backup` do with numpy, which passes over memory a hundred times
where one loop reads each number once. Small instances do not pay for the compiler: it is imported
from :data:`mfbpi_lib_tabular.numerics.rows.MANY_ROWS` on.

Sums of pairs are taken one after the other, so that a backup of K slots has K of them. No operation
is reordered: numba keeps to the order of the source unless it is told otherwise.
"""

from __future__ import annotations

import numba
import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

#: Factor that splits a float64 into two halves of 26 bits (Veltkamp).
_SPLITTER = 134217729.0

_leaf = numba.njit(cache=True, forceinline=True, error_model="numpy")


@_leaf
def _two_sum(a: float, b: float) -> tuple[float, float]:
    """The rounded sum and its rounding error (Knuth)."""
    high = a + b
    shadow = high - a
    return high, (a - (high - shadow)) + (b - shadow)


@_leaf
def _halves(a: float) -> tuple[float, float]:
    """A float64 as a sum of two numbers of at most 26 bits (Veltkamp)."""
    scaled = a * _SPLITTER
    top = scaled - (scaled - a)
    return top, a - top


@_leaf
def _times(high: float, low: float, number: float) -> tuple[float, float]:
    """Product of a pair and a float64."""
    product = high * number
    (a1, a2), (b1, b2) = _halves(high), _halves(number)
    error = a2 * b2 - (((product - a1 * b1) - a2 * b1) - a1 * b2)
    return _two_sum(product, low * number + error)


@_leaf
def _plus(high: float, low: float, other: float, more: float) -> tuple[float, float]:
    """Sum of two pairs."""
    total, error = _two_sum(high, other)
    rest, tiny = _two_sum(low, more)
    total, error = _two_sum(total, error + rest)
    return _two_sum(total, error + tiny)


@numba.njit(cache=True, error_model="numpy")
def row_facts(successors: IntArray, probabilities: FloatArray) -> tuple[IntArray, FloatArray]:
    """Of rows [n, K]: the first likeliest next state, and 1 - sum rounded once, each [n]."""
    n_rows, n_slots = probabilities.shape
    state, missing = np.empty(n_rows, dtype=np.int64), np.empty(n_rows)
    for i in range(n_rows):
        best, high, low = 0, -1.0, 0.0
        for k in range(n_slots):
            high, error = _two_sum(high, probabilities[i, k])
            low += error
            if probabilities[i, k] > probabilities[i, best]:
                best = k
        state[i], missing[i] = successors[i, best], -(high + low)
    return state, missing


@numba.njit(cache=True, error_model="numpy")
def advantages(
    pairs: IntArray,
    successors: IntArray,
    probabilities: FloatArray,
    rewards: FloatArray,
    likeliest: IntArray,
    missing: FloatArray,
    values: tuple[FloatArray, FloatArray],
    discount: float,
) -> FloatArray:
    """V(s) - r - gamma E V of some pairs [n] of rows [S A, K], in pairs of float64, [n]."""
    n_slots = probabilities.shape[1]
    highs, lows = values
    n_actions = len(rewards) // len(highs)
    found = np.empty(len(pairs))
    for i in range(len(pairs)):
        pair = pairs[i]
        high, low = missing[pair] * highs[likeliest[pair]], 0.0
        for k in range(n_slots):
            following, p = successors[pair, k], probabilities[pair, k]
            product, error = _times(highs[following], lows[following], p)
            high, low = _plus(high, low, product, error)
        high, low = _times(high, low, discount)
        high, low = _plus(high, low, rewards[pair], 0.0)
        state = pair // n_actions
        high, low = _plus(highs[state], lows[state], -high, -low)
        found[i] = high
    return found
