"""An ensemble of (Q, M) tables whose quantiles cost two rows, not a sort.

Only one column (s, a) changes in a step, so each column is kept in order: the order of the last
step, repaired by insertion, is nearly right. Values are stored a second time by rank, so that the
xi-quantile of every entry is the interpolation of two contiguous tables.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt


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


@numba.njit(cache=True)
def reorder(ensemble: Ensemble, s: int, a: int) -> None:
    """Restore the order of column (s, a) after its members changed."""
    values = ensemble.heads[s, a]
    order = ensemble.order[s, a]
    for i in range(1, order.size):
        member = order[i]
        value = values[member]
        j = i - 1
        while j >= 0 and values[order[j]] > value:
            order[j + 1] = order[j]
            j -= 1
        order[j + 1] = member
    for rank in range(order.size):
        ensemble.ranked[rank, s, a] = values[order[rank]]


@numba.njit(cache=True)
def quantile(ensemble: Ensemble, xi: float, out: npt.NDArray[np.float64]) -> None:
    """Write the xi-quantile over the members of every entry, interpolated linearly.

    Args:
        ensemble: in order.
        xi: in [0, 1].
        out: float64 [S, A].
    """
    position = xi * (ensemble.ranked.shape[0] - 1)
    below = int(position)
    above = min(below + 1, ensemble.ranked.shape[0] - 1)
    fraction = position - below
    low = ensemble.ranked[below].ravel()
    high = ensemble.ranked[above].ravel()
    flat = out.ravel()
    for i in range(flat.size):
        flat[i] = low[i] + fraction * (high[i] - low[i])
