"""What the linear part of an advantage leaves: errors of a law times errors of values.

dp = p_M - p_hat, and e' = V_M - V_hat. Let eps[z, y] >= e'(z) - e'(y). As dp sums to 0, for any y

    dp.(d + e') <= max over the ball of  sum_z dp_z d_z + dp_z+ eps[z, y] + dp_z- eps[y, z].

With up to four outcomes seen the maximum is taken exactly: over the signs of dp on these, and an
outcome never seen has dp >= 0; each is a largest mean. Beyond that, from
KL(p_hat, p) >= sum (p - p_hat)^2 / (2 max(p, p_hat)) and Cauchy-Schwarz,

    sum_z |dp_z| w_z <= sqrt(2 c (sum_seen p_up(z) w_z^2 + m max_unseen w^2)),

p_up(z) the largest probability of z in the ball, m = 1 - exp(-c) that of all outcomes never seen.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from mfbpi_core.data.arrays import BoolArray, FloatArray, IntArray
from mfbpi_lib_compiled import compiled
from mfbpi_lib_confidence.ball import least_mean

#: Up to this many outcomes signs are enumerated.
FEW = 4


class Laws(NamedTuple):
    """Balls of the laws of all pairs, as sparse rows.

    Attributes:
        starts: rows, see :class:`mfbpi_lib_confidence.evidence.Evidence`.
        outcomes: likewise.
        weights: float64 [E], p_hat.
        radii: float64 [P], c.
        probable: float64 [E], see :func:`largest_probabilities`.
        nodes: int64 [K], where each outcome stands in ``shift`` and ``eps``.
    """

    starts: IntArray
    outcomes: IntArray
    weights: FloatArray
    radii: FloatArray
    probable: FloatArray
    nodes: IntArray


@compiled
def largest_probabilities(starts: IntArray, weights: FloatArray, radii: FloatArray) -> FloatArray:
    """The largest probability of each entry over the ball of its pair, float64 [E]."""
    found = np.ones(weights.size)
    for j in range(starts.size - 1):
        for e in range(starts[j], starts[j + 1]):
            gaps = np.ones(starts[j + 1] - starts[j])
            gaps[e - starts[j]] = 0.0
            found[e] = 1.0 - least_mean(weights[starts[j] : starts[j + 1]], gaps, radii[j])[0]
    return found


@compiled
def products(pairs: IntArray, laws: Laws, shift: FloatArray, eps: FloatArray) -> FloatArray:
    """Upper bounds of dp.(d + e') and of -dp.(d + e') for the pairs listed, float64 [L, 2].

    Args:
        pairs: int64 [L], numbers of pairs.
        laws: of all pairs.
        shift: float64 [nodes], d.
        eps: float64 [nodes, nodes].
    """
    nodes = laws.nodes
    found = np.full((pairs.size, 2), np.inf)
    seen = np.zeros(nodes.size, dtype=np.bool_)
    for i in range(pairs.size):
        low, high = laws.starts[pairs[i]], laws.starts[pairs[i] + 1]
        radius = laws.radii[pairs[i]]
        row, p = laws.outcomes[low:high], laws.weights[low:high]
        seen[:] = False
        seen[row] = True
        alone = np.zeros(2)
        if row.size > FEW:
            alone[0] = _largest_gain(row, p, radius, nodes, seen, shift)
            alone[1] = _largest_gain(row, p, radius, nodes, seen, -shift)
        for k in range(row.size):
            y = nodes[row[k]]
            for side in range(2):
                d = shift if side == 0 else -shift
                up = eps[:, y] if side == 0 else eps[y]
                down = eps[y] if side == 0 else eps[:, y]
                if row.size <= FEW:
                    bound = _by_signs(row, p, radius, nodes, seen, d, up, down)
                else:
                    wide, likely = np.maximum(up, down), laws.probable[low:high]
                    bound = _by_squares(row, p, radius, nodes, seen, d, wide, likely, alone[side])
                found[i, side] = min(found[i, side], bound)
    return found


@compiled
def _by_signs(
    row: IntArray,
    p: FloatArray,
    radius: float,
    nodes: IntArray,
    seen: BoolArray,
    d: FloatArray,
    up: FloatArray,
    down: FloatArray,
) -> float:
    """The maximum over the ball, by enumeration of signs."""
    unseen = -np.inf
    for k in range(nodes.size):
        if not seen[k]:
            unseen = max(unseen, d[nodes[k]] + up[nodes[k]])
    best, targets = 0.0, np.zeros(row.size)
    for signs in range(2**row.size):
        mean, top = 0.0, unseen
        for k in range(row.size):
            z = nodes[row[k]]
            targets[k] = d[z] + (up[z] if (signs >> k) & 1 else -down[z])
            mean += p[k] * targets[k]
            top = max(top, targets[k])
        best = max(best, top - least_mean(p, top - targets, radius)[0] - mean)
    return best


@compiled
def _largest_gain(
    row: IntArray, p: FloatArray, radius: float, nodes: IntArray, seen: BoolArray, d: FloatArray
) -> float:
    """The maximum of dp.d over the ball."""
    centre, top = 0.0, -np.inf
    for k in range(row.size):
        centre += p[k] * d[nodes[row[k]]]
        top = max(top, d[nodes[row[k]]])
    for k in range(nodes.size):
        if not seen[k]:
            top = max(top, d[nodes[k]])
    gaps = np.zeros(row.size)
    for k in range(row.size):
        gaps[k] = top - d[nodes[row[k]]]
    return top - least_mean(p, gaps, radius)[0] - centre


@compiled
def _by_squares(
    row: IntArray,
    p: FloatArray,
    radius: float,
    nodes: IntArray,
    seen: BoolArray,
    d: FloatArray,
    eps: FloatArray,
    probable: FloatArray,
    up: float,
) -> float:
    """The smaller of two bounds: all by Cauchy-Schwarz, or d by a largest mean, up, and eps so."""
    centre = 0.0
    for k in range(row.size):
        centre += p[k] * d[nodes[row[k]]]
    joint, alone = 0.0, 0.0
    for k in range(row.size):
        z = nodes[row[k]]
        joint += probable[k] * (abs(d[z] - centre) + eps[z]) ** 2
        alone += probable[k] * eps[z] ** 2
    most, most_eps = 0.0, 0.0
    for k in range(nodes.size):
        if not seen[k]:
            z = nodes[k]
            most = max(most, abs(d[z] - centre) + eps[z])
            most_eps = max(most_eps, eps[z])
    unseen = -math.expm1(-radius)
    together = math.sqrt(2.0 * radius * (joint + unseen * most * most))
    return min(together, up + math.sqrt(2.0 * radius * (alone + unseen * most_eps * most_eps)))


@compiled
def contracted(
    linear: FloatArray,
    kernel: FloatArray,
    eps: FloatArray,
    discount: float,
    passes: int,
    pairs: IntArray,
    laws: Laws,
    shift: FloatArray,
) -> FloatArray:
    """eps <- min(eps, linear + gamma sum_w |G_zw - G_yw| W_w), until it stands still.

    Args:
        linear: float64 [nodes, nodes], bound of the linear part of e'(z) - e'(y).
        kernel: float64 [nodes, W], G.
        eps: float64 [nodes, nodes], where it begins: any valid bound.
        discount: gamma.
        passes: most of them.
        pairs: int64 [W], the policy's own pairs.
        laws: see :func:`products`.
        shift: likewise.
    """
    n = eps.shape[0]
    eps = eps.copy()
    for _ in range(passes):
        both = products(pairs, laws, shift, eps)
        moved = 0.0
        for z in range(n):
            for y in range(z):
                up, down = linear[z, y], linear[y, z]
                for w in range(pairs.size):
                    g = discount * (kernel[z, w] - kernel[y, w])
                    up += g * both[w, 0] if g > 0.0 else -g * both[w, 1]
                    down += g * both[w, 1] if g > 0.0 else -g * both[w, 0]
                for new, a, b in ((max(up, 0.0), z, y), (max(down, 0.0), y, z)):
                    if new < eps[a, b]:
                        moved = max(moved, 1.0 - new / eps[a, b])
                        eps[a, b] = new
        if moved <= 0.01:
            break
    return eps
