"""The bounds on the characteristic time, in the one form that they all share.

A bound is a function of an allocation w [S, A],

    U(w) = max of  h(s, a) / w(s, a) + d(s, a) K(w)  over (s, a) outside pi*, and of  e K(w),
    K(w) = max over s of  c(s) / w(s, pi*(s)),

with coefficients h, d, e >= 0 and c > 0 of the instance; e is 0 but for the second form of u_span:

| bound   | h(s, a)                                 | d(s, a) | c(s)                               |
|---------|-----------------------------------------|---------|------------------------------------|
| u, u_k  | (2 + 8 phi^2 m) / D^2                   | 1 / D^2 | C(s) (1+g)^2 / (1-g)^2             |
| u_tilde | (2 + 8 phi^2 m) / D^2                   | 1       | max C(s) (1+g)^2 / (Dmin (1-g))^2  |
| u0      | 2/D^2 + max(16 Var/D^2, 6 (MD/D)^(4/3)) | 1       | H0*, see :func:`u0`                |
| u_span  | b / D^2                                 | 1 / D^2 | b (1+g)^2 / (1-g)^2, or b          |

where D is the gap of (s, a), or with an accepted loss epsilon the gap plus epsilon (1-g), phi the
golden ratio, m(s, a) the moment term and C(s) = max(4, 16 g^2 phi^2 m(s, pi*(s))); b is
:func:`mfbpi_lib_bounds.planned.pinsker`.

Sources: Russo & Proutiere 2023, Theorem 3.2 (u) and its relaxation (u_tilde); Al Marjani &
Proutiere 2021 (u0).
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import attrs
import numpy as np

from mfbpi_core.data.arrays import BoolArray, FloatArray, IntArray
from mfbpi_core.errors import SolverError
from mfbpi_lib_tabular.solution import terms

#: Coefficients between this and its inverse keep all their digits, and so do their products.
LEAST = 1e-290


@attrs.frozen(kw_only=True, eq=False)
class Coefficients:
    """A bound, as a function of the allocation.

    Attributes:
        h: float64 [S, A]; entries of optimal actions and terminal states are not used.
        d: float64 [S, A]; likewise.
        c: float64 [S]; entries of terminal states are not used.
        policy: int64 [S], pi*.
        acting: bool [S], states that take decisions; the others get no samples.
        e: the least U may be in relation to K.
    """

    h: FloatArray
    d: FloatArray
    c: FloatArray
    policy: IntArray
    acting: BoolArray
    e: float = 0.0

    @functools.cached_property
    def suboptimal(self) -> BoolArray:
        """Bool [S, A], the pairs over which the maximum is taken."""
        return _pairs(self.h, self.policy, self.acting)


def within_range(make: Callable[[], Coefficients]) -> Coefficients:
    """What a function makes, if no coefficient and no product h d leaves the range of float64.

    Raises:
        SolverError: otherwise, so that no result is infinite, NaN or short of digits.
    """
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        try:
            made = make()
        except ArithmeticError as error:
            raise out_of_range() from error
        pairs = made.suboptimal
        h, d, c = made.h[pairs], made.d[pairs], made.c[made.acting]
        columns = (h, d, c) if pairs.any() else ()
        if all(_within(column, LEAST**0.5) for column in columns):
            return made  # and so are the products
        if not all(_within(column, LEAST) for column in (*columns, h * d)):
            raise out_of_range()
    return made


def _within(column: FloatArray, least: float) -> bool:
    """Whether all numbers lie between one and its inverse."""
    return bool(column.min(initial=1.0) >= least and column.max(initial=1.0) <= 1.0 / least)


def out_of_range() -> SolverError:
    """What is to be said where a bound leaves the range of float64."""
    return SolverError(
        "the numbers of the bound leave the range of double precision: gaps are too small or too "
        "large to be squared, or transitions are too rare; expected gaps nearer to 1 (state the "
        "rewards in another unit) and likelier transitions"
    )


def evaluate(coefficients: Coefficients, allocation: FloatArray) -> float:
    """U(w) for any w >= 0 [S, A]; ``inf`` where a pair that matters is never sampled.

    U is homogeneous of degree -1: doubling the samples halves it.
    """
    pairs, states = coefficients.suboptimal, np.flatnonzero(coefficients.acting)
    if not pairs.any():
        return 0.0
    own = allocation[states, coefficients.policy[states]]
    with np.errstate(divide="ignore"):
        worst = float((coefficients.c[states] / own).max())
        terms = coefficients.h[pairs] / allocation[pairs] + coefficients.d[pairs] * worst
    return max(float(terms.max()), coefficients.e * worst if coefficients.e else 0.0)


def discrepancy(one: Coefficients, other: Coefficients) -> float:
    """Largest relative difference of a term h(s, a) or d(s, a) c(s'); infinite where it is NaN.

    The bounds by the two differ by no more than this, in relation to the first, at any allocation.
    """
    pairs, states = one.suboptimal, np.flatnonzero(one.acting)
    if not pairs.any():
        return 0.0
    h, d = (_relative(getattr(one, x)[pairs], getattr(other, x)[pairs]) for x in ("h", "d"))
    c = _relative(one.c[states], other.c[states])
    e = abs(other.e - one.e) / one.e if one.e else 0.0
    return max(h, d + c + d * c, e + c + e * c)


def _relative(one: FloatArray, other: FloatArray) -> float:
    """Largest |other - one| / one of numbers that are 0 or more; 0 where both are 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        off = np.where(one == other, 0.0, np.abs(other - one) / one)
    largest = float(off.max())
    return largest if np.isfinite(largest) else np.inf


def u(
    gaps: FloatArray,
    moments: FloatArray,
    policy: IntArray,
    discount: float,
    acting: BoolArray | None = None,
) -> Coefficients:
    """Theorem 3.2 of Russo & Proutiere (2023).

    Args:
        gaps: D, [S, A], positive outside the policy.
        moments: m, [S, A]: (M^k)^(2^(1-k)) for one k (then the bound is u_k), or its largest
            value over k.
        policy: pi*, [S].
        discount: gamma.
        acting: [S] mask of the states that take decisions; all if omitted.
    """
    states, mask = np.arange(len(policy)), _mask(acting, policy)
    squared = _inverse_power(gaps, ~_pairs(gaps, policy, mask), 2.0)
    return Coefficients(
        h=terms.suboptimal(moments) * squared,
        d=squared,
        c=terms.optimal(moments[states, policy], discount) * _reach(discount),
        policy=policy,
        acting=mask,
    )


def u_tilde(
    gaps: FloatArray,
    moments: FloatArray,
    policy: IntArray,
    discount: float,
    acting: BoolArray | None = None,
) -> Coefficients:
    """The relaxation of :func:`u` with one constant for all states, same arguments.

    Its generative optimum is a closed form: w(s, a) in proportion to h(s, a), and
    w(s, pi*(s)) to sqrt(c sum(h) / S).
    """
    exact = u(gaps, moments, policy, discount, acting)
    pairs = exact.suboptimal
    steepest = float(exact.d[pairs].max(initial=0.0))  # 1 / Dmin^2
    constant = steepest * float(exact.c[exact.acting].max())
    return attrs.evolve(exact, d=np.ones(gaps.shape), c=np.full(len(policy), constant))


def u0(
    gaps: FloatArray,
    variances: FloatArray,
    spans: FloatArray,
    policy: IntArray,
    discount: float,
    acting: BoolArray | None = None,
    *,
    alternative: bool = True,
) -> Coefficients:
    """The bound of Al Marjani & Proutiere (2021).

    c(s) = H0* = 2/x^2 + min(27/(x^2 (1-g)), max(16 Var*/x^2, 6 (MD*/x)^(4/3))) with
    x = Dmin (1-g), and Var*, MD* the largest ones of pairs (s, pi*(s)).

    Args:
        gaps: D, [S, A], positive outside the policy.
        variances: Var, [S, A].
        spans: MD, [S, A].
        policy: pi*, [S].
        discount: gamma.
        acting: [S] mask of the states that take decisions; all if omitted.
        alternative: whether the minimum with the term of 27 is taken.
    """
    mask = _mask(acting, policy)
    states = np.flatnonzero(mask)
    own = states, policy[states]
    pairs = _pairs(gaps, policy, mask)
    squared = _inverse_power(gaps, ~pairs, 2.0)
    rate = 6.0 * spans ** (4.0 / 3.0) * _inverse_power(gaps, ~pairs, 4.0 / 3.0)
    h = 2.0 * squared + np.maximum(16.0 * variances * squared, rate)
    inverse = 1.0 / (1.0 - discount)
    steepest = float(squared[pairs].max(initial=0.0)) * inverse**2  # 1 / x^2
    span_term = 6.0 * float(spans[own].max()) ** (4.0 / 3.0) * steepest ** (2.0 / 3.0)
    hard = max(16.0 * float(variances[own].max()) * steepest, span_term)
    easier = min(27.0 * steepest * inverse, hard) if alternative else hard
    constant = 2.0 * steepest + easier
    c = np.full(len(policy), constant)
    return Coefficients(h=h, d=np.ones(gaps.shape), c=c, policy=policy, acting=mask)


def u_span(
    gaps: FloatArray,
    width: float,
    policy: IntArray,
    discount: float,
    acting: BoolArray | None = None,
) -> Coefficients:
    """The first form of u_span: deviations x of all pairs, by Pinsker's inequality x^2 <= b KL.

    D < x(s, a) + (1+g)/(1-g) max x(s', pi), so that 1/T >= D^2 / (b/w + b ((1+g)/(1-g))^2 / w').

    Args:
        gaps: D, [S, A], positive outside the policy.
        width: b, of :func:`mfbpi_lib_bounds.planned.pinsker`.
        policy: pi*, [S].
        discount: gamma.
        acting: [S] mask of the states that take decisions; all if omitted.
    """
    mask = _mask(acting, policy)
    squared = _inverse_power(gaps, ~_pairs(gaps, policy, mask), 2.0)
    c = np.full(len(policy), width * _reach(discount))
    return Coefficients(h=width * squared, d=squared, c=c, policy=policy, acting=mask)


def u_span_loss(
    gaps: FloatArray,
    width: float,
    loss: float,
    policy: IntArray,
    discount: float,
    acting: BoolArray | None = None,
) -> Coefficients:
    """The second form of u_span, for an accepted loss epsilon > 0; arguments as :func:`u_span`.

    If pi loses more than epsilon, then D < x(s, a) + max x(s', pi) for a pair outside pi, or two
    pairs of pi have x + x' > epsilon (1-g), which is e.
    """
    first = u_span(gaps, width, policy, discount, acting)
    c = np.full(len(policy), width)
    return attrs.evolve(first, c=c, e=2.0 / (loss * (1.0 - discount)) ** 2)


def _reach(discount: float) -> float:
    """((1+g) / (1-g))^2: how far a deviation anywhere reaches."""
    return (1.0 + discount) ** 2 / (1.0 - discount) ** 2


def _pairs(like: FloatArray, policy: IntArray, acting: BoolArray) -> BoolArray:
    """Bool [S, A], the pairs outside the policy, in the states that act."""
    mask: BoolArray = np.arange(like.shape[1])[None, :] != policy[:, None]
    return mask & acting[:, None]


def _mask(acting: BoolArray | None, policy: IntArray) -> BoolArray:
    return np.ones(len(policy), dtype=np.bool_) if acting is None else acting


def _inverse_power(gaps: FloatArray, unused: BoolArray, power: float) -> FloatArray:
    """D^-power [S, A]; 1 where D is not used, infinite where a sub-optimal gap is zero."""
    with np.errstate(divide="ignore"):
        inverse: FloatArray = np.where(unused, 1.0, gaps) ** -power
    return inverse
