"""The coefficients of each bound for a planned instance, its exact gaps and moments put in."""

from __future__ import annotations

from mfbpi_lib_bounds import coefficients
from mfbpi_lib_bounds.coefficients import BoolArray, Coefficients, IntArray
from mfbpi_lib_bounds.instance import Instance


def u0(instance: Instance) -> Coefficients:
    """The bound of Al Marjani & Proutiere (2021)."""
    variances, spans = instance.variances, instance.spans
    return coefficients.u0(instance.gaps, variances, spans, *_last(instance))


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


def _last(instance: Instance) -> tuple[IntArray, float, BoolArray]:
    """The arguments that all bounds end with: policy, discount and the states that act."""
    return instance.policy, instance.discount, instance.acting
