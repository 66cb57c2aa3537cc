"""Which states a walk from the start can be in: without scipy, for every environment asks it."""

from __future__ import annotations

import numpy as np

from mfbpi_core.data.arrays import BoolArray, FloatArray, IntArray
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_lib_tabular.compiled import compiled


def unreachable_states(mdp: TabularMDP) -> IntArray:
    """States that no policy reaches from the initial distribution, sorted."""
    arrays = mdp.successors, mdp.probabilities, mdp.initial
    missing: IntArray = np.flatnonzero(~_reached(*map(np.ascontiguousarray, arrays)))
    return missing


@compiled
def _reached(successors: IntArray, probabilities: FloatArray, initial: FloatArray) -> BoolArray:
    """Whether a walk can come to each state, [S]: one state after the other, of those found."""
    reached = initial > 0.0
    waiting = np.empty(initial.size, np.int64)
    n_found = 0
    for s in np.flatnonzero(reached):
        waiting[n_found] = s
        n_found += 1
    n_done = 0
    while n_done < n_found:
        s = waiting[n_done]
        n_done += 1
        for a in range(successors.shape[1]):
            for k in range(successors.shape[2]):
                s2 = successors[s, a, k]
                if probabilities[s, a, k] > 0.0 and not reached[s2]:
                    reached[s2] = True
                    waiting[n_found] = s2
                    n_found += 1
    return reached
