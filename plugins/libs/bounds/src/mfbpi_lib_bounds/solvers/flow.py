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

from mfbpi_lib_tabular.analysis import structure

FloatArray = npt.NDArray[np.float64]


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
        data = np.where(self._stays, 0.0, self.walk.data)
        moves = sparse.csr_array((data, self.walk.indices, self.walk.indptr), self.shape, copy=True)
        moves.sum_duplicates()
        moves.eliminate_zeros()
        return moves

    @functools.cached_property
    def leaving(self) -> FloatArray:
        """Probability of leaving the state of each pair, [n], as the sum of all ways out."""
        total: FloatArray = self.moves.sum(axis=1)
        return total

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
        out = np.bincount(self.leaves, weights * self.leaving, self.shape[1])
        missed = np.abs(out - weights @ self.moves)
        return float((missed / np.where(out > 0.0, out, 1.0)).max())

    @property
    def _stays(self) -> npt.NDArray[np.bool_]:
        rows = np.repeat(self.leaves, np.diff(self.walk.indptr))
        return self.walk.indices == rows
