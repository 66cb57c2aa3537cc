"""Linear systems (N' D N + g g') p = r for weights D that spread by orders of magnitude.

Conjugate gradients (Hestenes & Stiefel 1952) solve them, with as good a preconditioner as the
weights ask for: the diagonal, as long as the weights are of similar size; then a dense Cholesky
factor in single precision, for large systems, where its time is what counts; then one in double
precision.
Random graphs fill in until they are dense, so that sparse factors would save nothing.

N' D N takes constants to 0, as every row of N sums to 0. The preconditioners have that direction
filled in; it is taken out of right-hand sides.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import lapack

from mfbpi_core.data.arrays import Array, FloatArray
from mfbpi_core.errors import SolverError

#: From this many states on, factors in single precision are tried first.
SINGLE_STATES = 5_000

#: Share of entries that are not zero from which dense arrays are faster.
CROWDED = 0.1

#: Products after which a preconditioner of each kind is given up for the next; the diagonal's are
#: cheap, and the more so the larger the system is.
DIAGONAL_PRODUCTS = 30
SINGLE_PRODUCTS = 20
DOUBLE_PRODUCTS = 40

#: What is first added to the diagonal, in relation to it, so that rounding leaves a factor
#: positive, how much more when that fails, and the most.
LIFT = {np.dtype(np.float32): 4e-8, np.dtype(np.float64): 1e-15}
MORE = 8.0
MAX_LIFT = 1e-3


class Normal:
    """The systems of one matrix N.

    Args:
        equations: N, sparse [n, m], each row of which sums to 0.

    Attributes:
        rows: N, dense where that is faster.
        columns: N' [m, n], likewise.
    """

    def __init__(self, equations: sparse.csr_array) -> None:
        n_pairs, n_states = equations.shape
        crowded = equations.nnz > CROWDED * n_pairs * n_states
        self.rows: Any = equations.toarray() if crowded else equations
        self.columns: Any = self.rows.T if crowded else equations.T.tocsr()
        self._kinds: list[np.dtype | None] = [None, np.dtype(np.float64)]
        if n_states >= SINGLE_STATES:
            self._kinds.insert(1, np.dtype(np.float32))
        self._products = {
            None: max(DIAGONAL_PRODUCTS, n_states // 50),
            np.dtype(np.float32): SINGLE_PRODUCTS,
            np.dtype(np.float64): DOUBLE_PRODUCTS,
        }
        self._factor: Array | None = None

    def update(self, weights: FloatArray, further: FloatArray) -> None:
        """Take the weights D [n], positive, and the vector g [m], whose sum is 0."""
        matrix = self.columns @ (sparse.diags_array(weights) @ self.rows)
        self._unit = 1.0 / np.sqrt(matrix.diagonal() + further**2)  # [m]
        self._further = further * self._unit
        scale = sparse.diags_array(self._unit)
        self._matrix = scale @ matrix @ scale  # with g g' its diagonal is one
        constant = 1.0 / self._unit
        self._constant = constant / np.linalg.norm(constant)
        self._factor = None

    def solve(self, right: FloatArray, tolerance: float) -> FloatArray:
        """The solution p [m] for r [m], to this relative residual, or as near as can be."""
        scaled = right * self._unit
        scaled -= self._constant * (self._constant @ scaled)
        while True:
            found, done = self._iterate(scaled, tolerance)
            if done or len(self._kinds) == 1:
                return found * self._unit
            # Weights only spread further apart: what was too weak once is so from now on.
            del self._kinds[0]
            self._factor = None

    def _iterate(self, right: FloatArray, tolerance: float) -> tuple[FloatArray, bool]:
        """Preconditioned conjugate gradients, and whether they reach the tolerance."""
        found, rest = np.zeros(len(right)), right.copy()
        size = goal = float(np.linalg.norm(right))
        direction, power = np.zeros(len(right)), 1.0
        for _ in range(self._products[self._kinds[0]]):
            if size <= tolerance * goal:
                return found, True
            better = self._precondition(rest / size) * size
            power, last = float(rest @ better), power
            direction = better + (power / last) * direction
            product = self._matrix @ direction + self._further * (self._further @ direction)
            step = power / float(direction @ product)
            found += step * direction
            rest -= step * product
            size = float(np.linalg.norm(rest))
        return found, size <= tolerance * goal

    def _precondition(self, right: FloatArray) -> FloatArray:
        kind = self._kinds[0]
        if kind is None:
            return right
        if self._factor is None:
            self._factor = self._factorised(kind)
        solve = lapack.spotrs if kind == np.float32 else lapack.dpotrs
        found: FloatArray = solve(self._factor, right.astype(kind), lower=1)[0].astype(np.float64)
        return found

    def _factorised(self, kind: np.dtype) -> Array:
        """A Cholesky factor of the scaled matrix, constants filled in."""
        factorise = lapack.spotrf if kind == np.float32 else lapack.dpotrf
        dense = np.stack([self._constant, self._further]).astype(kind)  # [2, m]
        lift = LIFT[kind]
        while lift <= MAX_LIFT:
            matrix = self._matrix.astype(kind)
            matrix = matrix.toarray("F") if sparse.issparse(matrix) else np.asfortranarray(matrix)
            for state in range(len(matrix)):  # no second array of this size
                matrix[state:, state] += dense[:, state] @ dense[:, state:]
            np.einsum("ii->i", matrix)[:] += kind.type(lift)
            factor, failure = factorise(matrix, lower=1, overwrite_a=1, clean=0)
            if not failure:
                return np.asarray(factor)
            lift *= MORE
        raise SolverError("the normal equations of the interior point method are singular")
