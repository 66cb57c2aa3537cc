"""Rows of probabilities: the likeliest next state, and what a row misses of a sum of 1."""

from __future__ import annotations

import numpy as np

from mfbpi_core.data.arrays import FloatArray, IntArray
from mfbpi_lib_tabular.numerics.backup import cut

#: Bits of the slices of probabilities whose sums are exact, for rows of up to 8,192 slots.
SLICES = 30, 70

#: Rows that are summed at a time, so that the temporary arrays stay in the cache.
BLOCK = 8192


def likeliest(successors: IntArray, probabilities: FloatArray) -> IntArray:
    """The first likeliest next state of rows [..., K]."""
    state, most = successors[..., 0].copy(), probabilities[..., 0].copy()
    for slot in range(1, probabilities.shape[-1]):  # faster than a maximum over a short last axis
        better = probabilities[..., slot] > most
        np.copyto(state, successors[..., slot], where=better)
        np.copyto(most, probabilities[..., slot], where=better)
    return state


def missing(probabilities: FloatArray) -> FloatArray:
    """1 - sum of each row [n, K], rounded once, [n]: sums of slices are exact."""
    ones, parts = np.ones(probabilities.shape[1]), [np.zeros(0)]
    for start in range(0, len(probabilities), BLOCK):
        first, rest = cut(probabilities[start : start + BLOCK], SLICES[0])
        second, rest = cut(rest, SLICES[1])
        parts.append(((1.0 - first @ ones) - second @ ones) - rest @ ones)
    return np.concatenate(parts)
