"""Variances, spans and moments of refined values at the next state, with bounds of their errors.

The quantities of :mod:`mfbpi_lib_tabular.solution.moments`, for values that are given as a pair V =
values + rest (:mod:`mfbpi_lib_tabular.solution.refinement`). Deviations are computed from
differences to the likeliest next state s0, so that they keep their digits however large the values
are.

**Error of a deviation.** Let D be the largest |V(s') - V(s0)| over the support: at most twice the
largest deviation. A difference of two pairs has an error of 2 eps D + 4 eps^2 max |V|, its mean
over K slots (K + 2) eps D more, and a row that misses one by K eps shifts the mean by K eps D. The
values themselves are off by e, which moves a deviation by at most 2 e.

**Error of a root.** (M^k)^(2^-k), the standard deviation among them, is a norm of the deviations,
which is no further off than they are, and is evaluated to 16 eps. Where the next state is sure, it
is exactly 0.
"""

from __future__ import annotations

import functools

import attrs
import numpy as np

from mfbpi_core.data.arrays import FloatArray, IntArray
from mfbpi_core.data.mdp import TabularMDP

EPS = float(np.finfo(np.float64).eps)

#: Pairs (s, a) that are looked at together, so that the temporary arrays stay in the cache.
BLOCK = 2048

#: The exponential of less than this is 0 in float64.
UNDERFLOW = -746.0


@attrs.frozen(kw_only=True, eq=False)
class Spread:
    """How V varies at the next state of each pair.

    Attributes:
        mdp: the instance.
        values: float64 [S], V.
        rest: float64 [S], what ``values`` leave out of V.
        value_error: bound of the error of values + rest.
        likeliest: int64 [S, A], the likeliest next state s0 of each pair.
    """

    mdp: TabularMDP
    values: FloatArray
    rest: FloatArray
    value_error: float
    likeliest: IntArray

    _moments: dict[int, FloatArray] = attrs.field(factory=dict, init=False)

    @functools.cached_property
    def variances(self) -> FloatArray:
        """Var_sa, float64 [S, A]."""
        return self._moment(1)

    @functools.cached_property
    def spans(self) -> FloatArray:
        """MD_sa = max over ALL states s' of |V(s') - E_{P(.|s,a)} V|, float64 [S, A]."""
        order = np.lexsort((self.rest, self.values))
        low, high = (self._difference(order[end], self.likeliest) for end in (0, -1))
        return np.maximum(high - self._shift, self._shift - low)

    @functools.cached_property
    def root_errors(self) -> FloatArray:
        """Bound of the error of every root and standard deviation, [S, A]; see the head."""
        errors: FloatArray = self._slack * self._size + self._outside
        still = self._size == 0.0  # where the next state is sure, among others
        errors[still] *= (self.mdp.probabilities[still] > 0.0).sum(axis=1) > 1
        return errors

    @functools.cached_property
    def span_errors(self) -> FloatArray:
        """Bound of the error of every span, [S, A]: D is at most twice the span."""
        errors: FloatArray = self._slack * self.spans + self._outside
        return errors

    def roots(self, k: int) -> FloatArray:
        """(M^k_sa)^(2^-k), float64 [S, A]; k is 1 or more."""
        if k < 1:
            raise ValueError(f"the moment k is {k}; expected an integer of 1 or more")
        if k == 1:
            return np.sqrt(self.variances)
        relative = self._moment(k)
        return np.where(self._size > 0.0, self._size * relative ** (2.0**-k), 0.0)

    def largest_roots(self, k_max: int) -> FloatArray:
        """The largest over k = 1..k_max of (M^k_sa)^(2^-k): that of k_max, rounding aside."""
        self._measure(k_max, 1)
        return np.maximum(self.roots(k_max), self.roots(1))

    @property
    def _slack(self) -> float:
        return (4.0 * self.mdp.probabilities.shape[2] + 32.0) * EPS

    @property
    def _outside(self) -> float:
        return 2.0 * self.value_error + 8.0 * EPS**2 * float(np.abs(self.values).max())

    @functools.cached_property
    def _differences(self) -> FloatArray:
        """V(s') - V(s0) of each slot, [S, A, K]."""
        return self._difference(self.mdp.successors, self.likeliest[:, :, None])

    @functools.cached_property
    def _shift(self) -> FloatArray:
        """Mean of the differences, [S, A]."""
        return self._weighed(self._differences)

    @functools.cached_property
    def _size(self) -> FloatArray:
        """Largest deviation on the support, [S, A]."""
        return self._moment(0)

    def _moment(self, k: int) -> FloatArray:
        """The variance (k = 1), the largest deviation (0), or that of roots; [S, A]."""
        if k not in self._moments:
            self._measure(*{k} - {0})
        return self._moments[k]

    def _measure(self, *exponents: int) -> None:
        """Fill in moments and the largest deviations, block by block, so that arrays stay small."""
        shape, n_slots = self.mdp.probabilities.shape[:2], self.mdp.probabilities.shape[2]
        found = {k: np.empty(shape) for k in (0, *exponents)}
        flat = {k: table.reshape(-1) for k, table in found.items()}
        probabilities = self.mdp.probabilities.reshape(-1, n_slots)
        successors = self.mdp.successors.reshape(-1, n_slots)
        likeliest = self.likeliest.reshape(-1)
        for start in range(0, len(successors), BLOCK):
            part = slice(start, start + BLOCK)
            weights = probabilities[part]
            differences = self._difference(successors[part], likeliest[part, None])
            deviations = np.abs(differences - _mean(weights, differences)[:, None])
            deviations[weights == 0.0] = 0.0
            size = flat[0][part] = deviations.max(axis=1)
            for k in exponents:
                powers = deviations**2 if k == 1 else _powers(deviations, size, k)
                flat[k][part] = _mean(weights, powers)
        self._moments.update(found)

    def _weighed(self, numbers: FloatArray) -> FloatArray:
        """Mean of numbers [S, A, K] over the slots, [S, A]."""
        mean: FloatArray = np.einsum("sak,sak->sa", self.mdp.probabilities, numbers)
        return mean

    def _difference(self, ones: IntArray, others: IntArray) -> FloatArray:
        """V(one) - V(other)."""
        values, rest = self.values, self.rest
        found: FloatArray = (values[ones] - values[others]) + (rest[ones] - rest[others])
        return found


def _mean(weights: FloatArray, numbers: FloatArray) -> FloatArray:
    """Mean of numbers [n, K] over the slots, [n]."""
    mean: FloatArray = np.einsum("nk,nk->n", weights, numbers)
    return mean


def _powers(deviations: FloatArray, size: FloatArray, k: int) -> FloatArray:
    """Deviations [n, K] over the largest of their pair [n], to the power of 2^k.

    By logarithms, and for large k only of the few that do not underflow: those next to 1.
    """
    size = np.where(size > 0.0, size, 1.0)[:, None]
    ratios = deviations / size
    powers = np.zeros(ratios.shape)
    near = np.flatnonzero(ratios > np.exp(UNDERFLOW / 2.0**k))
    powers.reshape(-1)[near] = np.exp(2.0**k * np.log(ratios.reshape(-1)[near]))
    return powers
