"""An ensemble of (Q, M) tables whose quantiles cost two rows, not a sort.

Only one column (s, a) changes in a step, so each column is kept in order: the order of the last
step, repaired by insertion, is nearly right. Values are stored a second time by rank, so that the
xi-quantile of every entry is the interpolation of two contiguous tables.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mfbpi_lib_tabular.compiled import leaf, long_leaf


class Ensemble(NamedTuple):
    """B tables over state-action pairs.

    Attributes:
        heads: float64 [S, A, B], the value of each member.
        order: int64 [S, A, B], members by increasing value.
        ranked: float64 [B, S, A], the values by rank.
    """

    heads: npt.NDArray[np.float64]
    order: npt.NDArray[np.int64]
    ranked: npt.NDArray[np.float64]

    @classmethod
    def spread(cls, shape: tuple[int, int, int], high: float, rng: np.random.Generator) -> Ensemble:
        """Values drawn uniformly from [0, high], independently for every (s, a, b)."""
        heads = rng.uniform(0.0, high, size=shape)
        order = np.argsort(heads, axis=2, kind="stable")
        ranked = np.ascontiguousarray(np.take_along_axis(heads, order, axis=2).transpose(2, 0, 1))
        return cls(heads=heads, order=order, ranked=ranked)


@long_leaf
def reorder(ensemble: Ensemble, s: int, a: int, sorted_: npt.NDArray[np.float64]) -> None:
    """Restore the order of column (s, a) after its members changed, by insertion.

    Args:
        ensemble: the ensemble.
        s: state.
        a: action.
        sorted_: float64 [B], scratch: the values sorted so far, side by side in memory.
    """
    values, order, ranked = ensemble.heads, ensemble.order, ensemble.ranked
    for i in range(sorted_.size):
        member = order[s, a, i]
        value = values[s, a, member]
        j = i
        while j > 0 and sorted_[j - 1] > value:
            sorted_[j] = sorted_[j - 1]
            order[s, a, j] = order[s, a, j - 1]
            j -= 1
        sorted_[j] = value
        order[s, a, j] = member
    for rank in range(sorted_.size):
        ranked[rank, s, a] = sorted_[rank]


@leaf
def quantile(ensemble: Ensemble, xi: float, out: npt.NDArray[np.float64]) -> None:
    """Write the xi-quantile over the members of every entry, interpolated linearly.

    Args:
        ensemble: in order.
        xi: in [0, 1].
        out: float64 [S, A].
    """
    ranked = ensemble.ranked
    position = xi * (ranked.shape[0] - 1)
    below = int(position)
    above = min(below + 1, ranked.shape[0] - 1)
    fraction = position - below
    for s in range(out.shape[0]):
        for a in range(out.shape[1]):
            low, high = ranked[below, s, a], ranked[above, s, a]
            out[s, a] = low + fraction * (high - low)
