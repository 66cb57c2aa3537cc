"""The largest mean over a ball {q: KL(p, q) <= c}: an upper bound, valid whatever the search finds.

For every nu above all values y, q.y <= nu - exp(sum p log(nu - y) - c). With nu = top + t, top the
largest value and d = top - y, that is q.y <= top - f(t), f(t) = t expm1(sum p log1p(d / t) - c),
f(0) = exp(sum p log d - c). f is concave; where f' > 0 is where
sum p log1p(d / t) + log sum p / (1 + d / t) > c, which falls with t: bisection on log t.
"""

from __future__ import annotations

import numpy as np

from mfbpi_lib_certificates.certificate import BoolArray, FloatArray

#: Halvings of the bracket of log t.
_HALVINGS = 52

#: The bracket of log t, around that of the largest d.
_BELOW, _ABOVE = 600.0, 50.0


def least_mean(weights: FloatArray, gaps: FloatArray, radii: FloatArray) -> FloatArray:
    """A lower bound of q.d over the balls, for d >= 0.

    Args:
        weights: float64 [P, m], the observed laws, padded with zeros.
        gaps: float64 [..., P, m], d; whatever stands at weight 0 is ignored.
        radii: float64 [P], c; infinite where nothing was seen.

    Returns:
        float64 [..., P].
    """
    seen = weights > 0.0
    gaps = np.where(seen, np.maximum(gaps, 0.0), 0.0)
    widest = gaps.max(axis=-1)
    spread = (widest > 0.0) & np.isfinite(radii)
    unit = np.where(spread, widest, 1.0)
    gaps = gaps / unit[..., None]  # relative to the widest
    c = np.where(np.isfinite(radii), radii, 1.0)
    t = _best(weights, gaps, c)
    growth = (weights * np.log1p(gaps / t[..., None])).sum(axis=-1)
    found = np.maximum(t * np.expm1(growth - c), _at_zero(weights, gaps, seen, c))
    return np.where(spread, unit * np.maximum(found, 0.0), 0.0)


def _best(weights: FloatArray, gaps: FloatArray, c: FloatArray) -> FloatArray:
    """t where f is largest, about; float64 [..., P]."""
    low = np.full(gaps.shape[:-1], -_BELOW)
    high = np.full(gaps.shape[:-1], _ABOVE)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        u = gaps / np.exp(middle)[..., None]
        lost = (weights * (u / (1.0 + u))).sum(axis=-1)
        kept = (weights / (1.0 + u)).sum(axis=-1)
        tail = np.where(lost < 0.5, np.log1p(-np.minimum(lost, 0.5)), np.log(kept))
        rising = (weights * np.log1p(u)).sum(axis=-1) + tail > c
        low, high = np.where(rising, middle, low), np.where(rising, high, middle)
    return np.exp(0.5 * (low + high))


def _at_zero(weights: FloatArray, gaps: FloatArray, seen: BoolArray, c: FloatArray) -> FloatArray:
    """f(0), where every outcome seen has d > 0; else 0."""
    interior = np.where(seen, gaps > 0.0, True).all(axis=-1)
    logs = np.log(np.where(seen & (gaps > 0.0), gaps, 1.0))
    return np.where(interior, np.exp((weights * logs).sum(axis=-1) - c), 0.0)
