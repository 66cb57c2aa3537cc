"""What a dual solution of the programme proves, and how much rounding may blur it."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from mfbpi_core.data.arrays import FloatArray

#: A certificate is not looked at more closely when rounding moves it by no more than this share.
SHARP = 1e-11

EPS = float(np.finfo(np.float64).eps)


def reduced_costs(flow: sparse.csr_array, dual: FloatArray) -> FloatArray:
    """1 - N y for y scaled down until no entry is negative beyond rounding."""
    load = flow @ dual
    costs: FloatArray = np.maximum(1.0 - load / max(1.0, float(load.max())), 0.0)
    return costs


def blur(flow: sparse.csr_array, dual: FloatArray, least: FloatArray, weights: FloatArray) -> float:
    """Share of the sum of weights by which rounding may have moved its lower bound.

    A reduced cost is a sum of terms that can be large and cancel. A row of |N| sums to at
    most 2, which is enough to know where the dual is small.
    """
    unit = (int(np.diff(flow.indptr).max(initial=0)) + 2) * EPS
    rough = 4.0 * unit * float(np.abs(dual).max())
    if rough <= SHARP:
        return rough
    errors = unit * (abs(flow) @ np.abs(dual))
    return min(rough, float(errors.max() + errors @ least / weights.sum()))
