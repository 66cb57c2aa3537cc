"""The flow equations of a walk, in the form in which rounding does no harm.

With v(s, a) the frequency of a pair, a walk is in balance where what arrives in each state from
the others is what leaves it for others,

    sum_a v(s, a) sum_{s' != s} P(s' | s, a) = sum_{s' != s, a} P(s | s', a) v(s', a).

Staying is left out: 1 - P(s | s, a) as a difference has no right digit where leaving is rare.
"""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt
from scipy import sparse

from mfbpi_core.data.arrays import FloatArray
from mfbpi_lib_tabular.analysis import structure


class Flow:
    """The moves of one instance.

    Args:
        walk: stochastic [n, m], where a walk is after each pair; row (s, a) is s A + a.
        n_actions: A, with n = m A.
    """

    def __init__(self, walk: sparse.csr_array, n_actions: int) -> None:
        self.walk = walk
        self.shape: tuple[int, int] = walk.shape
        self.leaves = np.repeat(np.arange(walk.shape[1]), n_actions)  # [n], state of each pair

    @functools.cached_property
    def moves(self) -> sparse.csr_array:
        """Probabilities of going to another state, [n, m], without zeros."""
        walk = self.walk
        moves = sparse.csr_array((self._gone, walk.indices, walk.indptr), self.shape, copy=True)
        moves.sum_duplicates()
        moves.eliminate_zeros()
        return moves

    @functools.cached_property
    def leaving(self) -> FloatArray:
        """Probability of leaving the state of each pair, [n], as the sum of all ways out."""
        total: FloatArray = self.moves.sum(axis=1)
        return total

    @functools.cached_property
    def difference(self) -> sparse.csr_array:
        """N [n, m] as 1{s = s'} - P: right where no state is left rarely, and quick to make.

        Entry by entry, as scipy's difference of two matrices takes ten times as long where they
        are small, and agents solve small programmes again and again.
        """
        n_pairs, n_states = self.shape
        ones = np.arange(n_pairs) * n_states + self.leaves
        places = np.concatenate([self._rows * n_states + self.walk.indices, ones])
        order = np.argsort(places, kind="stable")
        places = places[order]
        first = np.flatnonzero(np.diff(places, prepend=-1))
        entries = np.concatenate([-self.walk.data, np.ones(n_pairs)])[order]
        entries = np.add.reduceat(entries, first)
        kept = entries != 0.0
        places = places[first][kept]
        starts = np.searchsorted(places, np.arange(n_pairs + 1) * n_states)
        return sparse.csr_array((entries[kept], places % n_states, starts), shape=self.shape)

    @functools.cached_property
    def equations(self) -> sparse.csr_array:
        """N [n, m]: N'v = 0 are the equations of the module's head."""
        pairs = np.arange(self.shape[0])
        diagonal = sparse.csr_array((self.leaving, (pairs, self.leaves)), shape=self.shape)
        equations = (diagonal - self.moves).tocsr()
        equations.sort_indices()
        return equations

    def frequencies(self, policy: FloatArray) -> FloatArray:
        """Long-run frequencies [m, A] of the walk that takes actions by probabilities [m, A]."""
        pairs = np.arange(policy.size)
        mix = sparse.csr_array((policy.reshape(-1), (self.leaves, pairs)))
        chain = (mix @ self.walk).tocsr()
        frequencies: FloatArray = structure.chain_distribution(chain)[:, None] * policy
        return frequencies

    def imbalance(self, weights: FloatArray) -> float:
        """Largest difference of what leaves a state and what arrives, relative to what leaves."""
        gone = self._gone * weights[self._rows]
        out = np.bincount(self.leaves[self._rows], gone, self.shape[1])
        missed = np.abs(out - np.bincount(self.walk.indices, gone, self.shape[1]))
        return float((missed / np.where(out > 0.0, out, 1.0)).max())

    @functools.cached_property
    def _rows(self) -> npt.NDArray[np.int64]:
        """The pair of each entry of the walk, [nnz]."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.walk.indptr))

    @functools.cached_property
    def _gone(self) -> FloatArray:
        """The entries of the walk, [nnz], without staying."""
        return np.where(self.walk.indices == self.leaves[self._rows], 0.0, self.walk.data)


def arrivals(rows: sparse.csr_array, weights: FloatArray) -> FloatArray:
    """Product of weights [n] and rows [n, m], without the transposed matrix scipy makes for it."""
    each = np.repeat(weights, np.diff(rows.indptr))
    product = np.bincount(rows.indices, rows.data * each, rows.shape[1])
    return product.astype(np.float64, copy=False)
