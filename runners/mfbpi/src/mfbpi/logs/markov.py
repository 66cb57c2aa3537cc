"""Does a log look Markov? Whether the next state depends on the state before, given the pair.

The statistic is that of a likelihood-ratio test over all pairs; its law is found by permuting the
states before among the visits of each pair. Nothing passes such a test for certain: it warns.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mfbpi_core.data.transitions import Transitions

#: Latest steps that are tested, and permutations.
LATEST, PERMUTATIONS = 20_000, 199


def p_value(steps: Transitions) -> float:
    """How likely so much dependence is without any; 1 where there is nothing to test."""
    begins = np.append(True, steps.terminated[:-1] | steps.truncated[:-1])
    keep = np.flatnonzero(~begins)[-LATEST:]
    if not len(keep):
        return 1.0
    pair = _codes(steps.observations[keep], steps.actions[keep])
    before, after = steps.observations[keep - 1], steps.next_observations[keep]
    order = np.argsort(pair, kind="stable")
    pair, before, after = pair[order], before[order], _codes(pair[order], after[order])
    rng = np.random.default_rng(0)
    found = _statistic(before, after)
    larger = 0
    for _ in range(PERMUTATIONS):
        mixed = np.lexsort((rng.random(len(pair)), pair))
        larger += _statistic(before[mixed], after) >= found
    return (1 + larger) / (1 + PERMUTATIONS)


def _codes(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    both = one * (int(other.max()) + 1) + other
    return np.asarray(np.unique(both, return_inverse=True)[1], dtype=np.int64)


def _statistic(before: npt.NDArray[np.int64], after: npt.NDArray[np.int64]) -> float:
    """Sum of n log n over the cells; what else a likelihood ratio has, permuting leaves alone."""
    counts = np.bincount(_codes(after, before)).astype(np.float64)
    return float((counts * np.log(np.maximum(counts, 1.0))).sum())
