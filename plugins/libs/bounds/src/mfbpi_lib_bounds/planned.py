"""The coefficients of each bound for a planned instance, its exact gaps and moments put in."""

from __future__ import annotations

from mfbpi_lib_bounds import coefficients
from mfbpi_lib_bounds.coefficients import BoolArray, Coefficients, IntArray
from mfbpi_lib_bounds.instance import Instance


def u0(instance: Instance) -> Coefficients:
    """The bound of Al Marjani & Proutiere (2021)."""
    variances, spans = instance.variances, instance.spans
    # The minimum with the term of 27 is proved for epsilon = 0 alone.
    exact = instance.epsilon == 0.0
    return coefficients.u0(instance.gaps, variances, spans, *_last(instance), alternative=exact)


def u_k(instance: Instance, k: int) -> Coefficients:
    """Theorem 3.2 of Russo & Proutiere (2023) with one k, 1 or more, for all pairs."""
    return coefficients.u(instance.gaps, instance.moment_terms(k), *_last(instance))


def u(instance: Instance, k_max: int) -> Coefficients:
    """Theorem 3.2 of Russo & Proutiere (2023), the best k of 1..k_max for each pair."""
    terms = instance.largest_moment_terms(k_max)
    return coefficients.u(instance.gaps, terms, *_last(instance))


def u_tilde(instance: Instance, k_max: int) -> Coefficients:
    """The relaxation of :func:`u` whose generative optimum is a closed form."""
    terms = instance.largest_moment_terms(k_max)
    return coefficients.u_tilde(instance.gaps, terms, *_last(instance))


def u_span(instance: Instance, *, independent: bool) -> Coefficients:
    """The first form of u_span, finite for every epsilon and a unique optimal policy."""
    width = pinsker(instance, independent=independent)
    return coefficients.u_span(instance.gaps, width, *_last(instance))


def u_span_loss(instance: Instance, *, independent: bool) -> Coefficients:
    """The second form of u_span, for an accepted loss above 0."""
    width = pinsker(instance, independent=independent)
    return coefficients.u_span_loss(instance.gaps, width, instance.epsilon, *_last(instance))


def pinsker(instance: Instance, *, independent: bool) -> float:
    """The b with (|dr| + g |dP V*|)^2 <= b KL, by Pinsker's inequality.

    Args:
        instance: its rewards have the width W of their declared range, its V* the span H.
        independent: whether reward and next state are independent in each pair: W^2/2 + (g H)^2/2;
            otherwise (W + g H)^2 / 2.
    """
    low, high = instance.mdp.reward_range
    width, span = high - low, instance.discount * instance.value_span
    return (width**2 + span**2) / 2.0 if independent else (width + span) ** 2 / 2.0


def _last(instance: Instance) -> tuple[IntArray, float, BoolArray]:
    """The arguments that all bounds end with: policy, discount and the states that act."""
    return instance.policy, instance.discount, instance.acting
