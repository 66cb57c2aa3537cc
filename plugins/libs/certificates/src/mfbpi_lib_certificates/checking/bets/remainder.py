"""Products of two errors: of laws, dp = p - p_hat, and of values, e' = V - V_hat.

With e'(z) - e'(y) <= eps[z, y] and d = V_hat - h0, for any node y,

    dp.(d + e') <= max over the ball of  sum dp_z d_z + dp_z+ eps[z, y] + dp_z- eps[y, z],

exact over signs up to four outcomes seen, those never seen having dp >= 0; else by Cauchy-Schwarz,
sum |dp| w <= sqrt(2 c (sum_seen p_up w^2 + (1 - exp(-c)) max_unseen w^2)).
"""

from __future__ import annotations

import attrs
import numpy as np

from mfbpi_lib_certificates.certificate import BoolArray, FloatArray, IntArray
from mfbpi_lib_certificates.checking.allowed import Allowed
from mfbpi_lib_certificates.checking.balls import least_mean

#: Up to so many outcomes signs are enumerated.
FEW = 4

#: Most contractions of differences of values, and the relative change at which they end.
PASSES, STILL = 30, 0.01


@attrs.frozen(kw_only=True, eq=False)
class Laws:
    """Balls of some pairs, by node.

    Attributes:
        support: int64 [L, m], outcomes seen; whatever stands at weight 0 is ignored.
        weights: float64 [L, m], their frequencies, padded with 0.
        radii: float64 [L].
        probable: float64 [L, m], the largest probability of each over the ball.
        nodes: int64 [K], the node of each outcome.
        shift: float64 [nodes], d.
    """

    support: IntArray
    weights: FloatArray
    radii: FloatArray
    probable: FloatArray
    nodes: IntArray
    shift: FloatArray

    @classmethod
    def of(cls, allowed: Allowed, pairs: IntArray, nodes: IntArray, shift: FloatArray) -> Laws:
        """Those of the pairs listed, [L]."""
        weights, radii = allowed.weights[pairs], allowed.radii[pairs]
        return cls(
            support=allowed.support[pairs],
            weights=weights,
            radii=radii,
            probable=largest_probabilities(weights, radii),
            nodes=nodes,
            shift=shift,
        )

    @property
    def at(self) -> IntArray:
        """Nodes of the outcomes seen, int64 [L, m]."""
        return self.nodes[self.support]

    def _part(self, which: BoolArray) -> Laws:
        names = ("support", "weights", "radii", "probable")
        return attrs.evolve(self, **{name: getattr(self, name)[which] for name in names})

    def largest(self, eps: FloatArray) -> FloatArray:
        """Upper bounds of dp.(d + e') and of -dp.(d + e'), float64 [2, L]."""
        few = (self.weights > 0.0).sum(axis=1) <= FEW
        found = np.zeros((2, len(few)))
        for which, bound in ((few, _by_signs), (~few, _by_squares)):
            if which.any():
                found[:, which] = bound(self._part(which), eps)
        return found

    def unseen(self, scores: FloatArray, least: float) -> FloatArray:
        """The largest score [..., L or 1, nodes] of an outcome never seen, [..., L]; or least."""
        rows, places = np.nonzero(self.weights)
        seen = np.zeros((len(self.weights), len(self.nodes)), dtype=np.bool_)
        seen[rows, self.support[rows, places]] = True
        every = np.where(seen, least, scores[..., self.nodes])
        return np.asarray(every.max(axis=-1))


def _by_signs(laws: Laws, eps: FloatArray) -> FloatArray:
    """The maximum over the ball, [2, L], the least over y."""
    width = min(laws.weights.shape[1], FEW)
    weights, at = laws.weights[:, :width], laws.at[:, :width]
    rises = ((np.arange(2**width)[:, None] >> np.arange(width)) & 1) == 0  # [signs, m]
    d = np.stack([laws.shift, -laws.shift])  # [2, nodes]
    best = np.full((2, len(at)), np.inf)
    for y in range(width):
        centre = at[:, y]  # [L]
        up, down = eps[at, centre[:, None]], eps[centre[:, None], at]  # [L, m]
        ends = np.stack([up, down])  # [2, L, m]
        moves = np.stack([np.where(r[None, None], ends, -ends[::-1]) for r in rises])
        targets = d[:, at][None] + moves  # [signs, 2, L, m]
        above = np.stack([eps[:, centre].T, eps[centre]])  # [2, L, nodes]
        beyond = laws.unseen(d[:, None] + above, -np.inf)  # [2, L]
        top = np.maximum(np.where(weights > 0.0, targets, -np.inf).max(axis=-1), beyond)
        least = least_mean(weights, top[..., None] - targets, laws.radii)
        found = (top - least - (weights * targets).sum(axis=-1)).max(axis=0)
        best = np.where(weights[:, y] > 0.0, np.minimum(best, np.maximum(found, 0.0)), best)
    return best


def _by_squares(laws: Laws, eps: FloatArray) -> FloatArray:
    """The smaller of two bounds, [2, L], and the least over y."""
    weights, at = laws.weights, laws.at
    radii, probable = laws.radii, laws.probable
    beyond = -np.expm1(-radii)
    d = np.stack([laws.shift, -laws.shift])
    mean = (weights * d[:, at]).sum(axis=-1)  # [2, L]
    top = np.where(weights > 0.0, d[:, at], -np.inf).max(axis=-1)
    top = np.maximum(top, laws.unseen(d[:, None], -np.inf))
    up = top - least_mean(weights, top[..., None] - d[:, at], radii) - mean
    best = np.full((2, len(at)), np.inf)
    for y in range(at.shape[1]):
        far = np.maximum(eps[:, at[:, y]].T, eps[at[:, y]])  # [L, nodes]
        here = np.take_along_axis(far, at, axis=1)
        both = (np.abs(d[:, at] - mean[..., None]) + here) ** 2
        joint = (probable * both).sum(axis=-1)
        alone = (probable * here**2).sum(axis=-1)
        spread = np.abs(d[:, None] - mean[..., None]) + far  # [2, L, nodes]
        most, most_eps = laws.unseen(spread, 0.0), laws.unseen(far, 0.0)
        together = np.sqrt(2.0 * radii * (joint + beyond * most**2))
        apart = up + np.sqrt(2.0 * radii * (alone + beyond * most_eps**2))
        found = np.minimum(together, apart)
        best = np.where(weights[:, y] > 0.0, np.minimum(best, found), best)
    return best


def largest_probabilities(weights: FloatArray, radii: FloatArray) -> FloatArray:
    """The largest probability of each outcome seen over the ball of its pair, float64 [L, m]."""
    found = np.zeros_like(weights)
    for k in range(weights.shape[1]):
        gaps = np.ones_like(weights)
        gaps[:, k] = 0.0
        found[:, k] = np.where(weights[:, k] > 0.0, 1.0 - least_mean(weights, gaps, radii), 0.0)
    return found


def _spread(off: FloatArray, both: FloatArray) -> FloatArray:
    """sum_w |off_yw| W_w, on the side that the sign asks for, [y]."""
    return np.asarray(np.maximum(off, 0.0) @ both[0] + np.maximum(-off, 0.0) @ both[1])


def contracted(
    linear: FloatArray, kernel: FloatArray, eps: FloatArray, discount: float, laws: Laws
) -> FloatArray:
    """eps <- min(eps, linear + gamma sum_w |G_zw - G_yw| W_w), [nodes, nodes]; W of ``laws``."""
    for _ in range(PASSES):
        both = laws.largest(eps)
        bound = linear + discount * np.stack([_spread(row - kernel, both) for row in kernel])
        new = np.minimum(eps, np.maximum(bound, 0.0))
        np.fill_diagonal(new, 0.0)
        moved = np.divide(eps - new, eps, out=np.zeros_like(eps), where=eps > 0.0).max()
        eps = new
        if not moved > STILL:
            break
    return eps
