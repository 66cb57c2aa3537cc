"""The coefficients of each bound from the quantities of an instance, exact or estimated."""

from __future__ import annotations

from typing import Protocol

from mfbpi_core.data.arrays import BoolArray, FloatArray, IntArray
from mfbpi_lib_bounds import coefficients
from mfbpi_lib_bounds.coefficients import Coefficients
from mfbpi_lib_bounds.instance import PlannedInstance


class Quantities(Protocol):
    """What the coefficients of a bound are made from.

    Those of an instance are a :class:`mfbpi_lib_bounds.instance.PlannedInstance`; an agent has
    those of its estimate.
    """

    @property
    def discount(self) -> float:
        """Discount gamma, in (0, 1)."""

    @property
    def epsilon(self) -> float:
        """Loss of value that is accepted, 0 or more; the gaps count as larger by epsilon (1-g)."""

    @property
    def policy(self) -> IntArray:
        """Int64 [S], an optimal policy."""

    @property
    def acting(self) -> BoolArray:
        """Bool [S], states that take decisions."""

    @property
    def gaps(self) -> FloatArray:
        """Delta(s, a), float64 [S, A], positive outside the policy."""

    @property
    def variances(self) -> FloatArray:
        """Var_sa, [S, A]."""

    @property
    def spans(self) -> FloatArray:
        """MD_sa, [S, A]."""

    def moment_terms(self, k: int) -> FloatArray:
        """(M^k_sa)^(2^(1-k)), [S, A]."""

    def largest_moment_terms(self, k_max: int) -> FloatArray:
        """The largest moment terms over k = 1..k_max, [S, A]."""


def u0(of: Quantities) -> Coefficients:
    """The bound of Al Marjani & Proutiere (2021)."""
    variances, spans = of.variances, of.spans
    # The minimum with the term of 27 is proved for epsilon = 0 alone.
    exact = of.epsilon == 0.0
    return coefficients.u0(of.gaps, variances, spans, *_last(of), alternative=exact)


def u_k(of: Quantities, k: int) -> Coefficients:
    """Theorem 3.2 of Russo & Proutiere (2023) with one k, 1 or more, for all pairs."""
    return coefficients.u(of.gaps, of.moment_terms(k), *_last(of))


def u(of: Quantities, k_max: int) -> Coefficients:
    """Theorem 3.2 of Russo & Proutiere (2023), the best k of 1..k_max for each pair."""
    terms = of.largest_moment_terms(k_max)
    return coefficients.u(of.gaps, terms, *_last(of))


def u_tilde(of: Quantities, k_max: int) -> Coefficients:
    """The relaxation of :func:`u` whose generative optimum is a closed form."""
    terms = of.largest_moment_terms(k_max)
    return coefficients.u_tilde(of.gaps, terms, *_last(of))


def u_span(instance: PlannedInstance, *, independent: bool) -> Coefficients:
    """The first form of u_span, finite for every epsilon and a unique optimal policy."""
    width = pinsker(instance, independent=independent)
    return coefficients.u_span(instance.gaps, width, *_last(instance))


def u_span_loss(instance: PlannedInstance, *, independent: bool) -> Coefficients:
    """The second form of u_span, for an accepted loss above 0."""
    width = pinsker(instance, independent=independent)
    return coefficients.u_span_loss(instance.gaps, width, instance.epsilon, *_last(instance))


def pinsker(instance: PlannedInstance, *, independent: bool) -> float:
    """The b with (|dr| + g |dP V*|)^2 <= b KL, by Pinsker's inequality.

    Args:
        instance: its rewards have the width W of their declared range, its V* the span H.
        independent: whether reward and next state are independent in each pair: W^2/2 + (g H)^2/2;
            otherwise (W + g H)^2 / 2.
    """
    low, high = instance.mdp.reward_range
    width, span = high - low, instance.discount * instance.value_span
    return (width**2 + span**2) / 2.0 if independent else (width + span) ** 2 / 2.0


def _last(of: Quantities) -> tuple[IntArray, float, BoolArray]:
    """The arguments that all bounds end with: policy, discount and the states that act."""
    return of.policy, of.discount, of.acting
