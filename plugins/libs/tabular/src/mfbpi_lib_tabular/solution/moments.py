"""Moments of the optimal value at the next state, the difficulty of learning it.

Russo & Proutiere (2023), section 3: variance Var_sa, span MD_sa and the moments
M^k_sa = E_{s' ~ P(.|s,a)}[(V(s') - E V)^(2^k)]. The exponent reaches 2^19, so moments are
computed as logarithms relative to each pair's own largest deviation, in memory O(S A K).
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from mfbpi_core.data.arrays import Array, FloatArray

#: Largest k of the suprema over k, as in the paper's experiments.
K_MAX = 19


class Transitions(Protocol):
    """Where the pairs lead: a :class:`mfbpi_core.TabularMDP`, or :class:`Outlook`."""

    @property
    def successors(self) -> Array:
        """Integers [S, A, K], states that can follow."""

    @property
    def probabilities(self) -> FloatArray:
        """P, float64 [S, A, K], how likely each is."""


class Outlook(NamedTuple):
    """Where the pairs of an estimate lead; neither rewards nor starts are known of it."""

    successors: Array  # [S, A, K]
    probabilities: FloatArray  # [S, A, K]


def expected_values(model: Transitions, values: FloatArray) -> FloatArray:
    """E_{P(.|s,a)} V, float64 [S, A]."""
    expected: FloatArray = np.einsum("sak,sak->sa", model.probabilities, values[model.successors])
    return expected


def variances(model: Transitions, values: FloatArray) -> FloatArray:
    """Var_sa, the variance of V at the next state, float64 [S, A]."""
    deviation = values[model.successors] - expected_values(model, values)[:, :, None]
    variance: FloatArray = np.einsum("sak,sak->sa", model.probabilities, deviation**2)
    return variance


def spans(model: Transitions, values: FloatArray) -> FloatArray:
    """MD_sa = max over ALL states s' of |V(s') - E_{P(.|s,a)} V|, float64 [S, A]."""
    mean = expected_values(model, values)
    span: FloatArray = np.maximum(values.max() - mean, mean - values.min())
    return span


def moment_roots(model: Transitions, values: FloatArray, k: int) -> FloatArray:
    """(M^k_sa)^(2^-k), float64 [S, A]; non-decreasing in k and at most MD_sa.

    Args:
        model: where the pairs lead.
        values: V, [S].
        k: 1 or more; the exponent is 2^k.

    Raises:
        ValueError: when k is below 1.
    """
    size, log_ratio = _deviations(model, values)
    return _root(model, size, log_ratio, k)


def moment_terms(model: Transitions, values: FloatArray, k: int) -> FloatArray:
    """(M^k_sa)^(2^(1-k)), the form that enters the bounds, float64 [S, A]."""
    return moment_roots(model, values, k) ** 2


def largest_moment_roots(model: Transitions, values: FloatArray, k_max: int = K_MAX) -> FloatArray:
    """The largest over k = 1..k_max of (M^k_sa)^(2^-k), float64 [S, A].

    The roots do not decrease in k, so this is the one of ``k_max``; rounding aside, which is
    why the variance is looked at too.
    """
    size, log_ratio = _deviations(model, values)
    return np.maximum(_root(model, size, log_ratio, k_max), _root(model, size, log_ratio, 1))


def largest_moment_terms(model: Transitions, values: FloatArray, k_max: int = K_MAX) -> FloatArray:
    """m(s, a) = max over k = 1..k_max of (M^k_sa)^(2^(1-k)), float64 [S, A]."""
    return largest_moment_roots(model, values, k_max) ** 2


def _deviations(model: Transitions, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Largest deviation on the support [S, A], and logarithms of the others over it [S, A, K]."""
    mean = expected_values(model, values)[:, :, None]
    deviation = np.abs(values[model.successors] - mean)
    deviation[model.probabilities == 0.0] = 0.0
    size = deviation.max(axis=2)  # [S, A]
    ratio = deviation / np.where(size > 0.0, size, 1.0)[:, :, None]
    with np.errstate(divide="ignore"):  # the logarithm of no deviation is minus infinity
        return size, np.log(ratio)


def _root(model: Transitions, size: FloatArray, log_ratio: FloatArray, k: int) -> FloatArray:
    """The root size * (sum_k p ratio^(2^k))^(2^-k)."""
    if k < 1:
        raise ValueError(f"the moment k is {k}; expected an integer of 1 or more")
    relative = np.einsum("sak,sak->sa", model.probabilities, np.exp(2.0**k * log_ratio))
    return np.where(size > 0.0, size * relative ** (2.0**-k), 0.0)
