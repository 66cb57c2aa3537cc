"""Compiled backups over a box: the best and the worst that one step can bring.

For the upper side, with V known on every outcome,

    B(j) = max over q in the ball of pair j of  sum_k q_k (known_k + gamma V(outcome_k)),

and the same with min for the lower side (``sign`` -1). Rewards of outcomes never seen are at
the end of their range, where rewards are known by outcome at all.

Numbers are computed one by one: an expression of whole arrays takes numba half a second to compile,
mostly for errors about shapes.
"""

from __future__ import annotations

import numpy as np

from mfbpi_core.data.arrays import FloatArray, IntArray
from mfbpi_lib_compiled import compiled
from mfbpi_lib_confidence.ball import least_mean, polished


@compiled
def _best_unseen(outcomes: IntArray, order: IntArray) -> int:
    """The first outcome in ``order`` that a row (increasing) lacks; -1 if it has all of them."""
    for candidate in order:
        k = np.searchsorted(outcomes, candidate)
        if k == outcomes.size or outcomes[k] != candidate:
            return candidate
    return -1


@compiled
def extreme_row(
    outcomes: IntArray,
    weights: FloatArray,
    targets: FloatArray,
    radius: float,
    unseen: int,
    unseen_target: float,
    kernel: FloatArray,
) -> float:
    """The largest mean of targets over a ball, and the law that attains it.

    Args:
        outcomes: int64 [k], the outcomes seen.
        weights: float64 [k], the observed law.
        targets: float64 [k].
        radius: c.
        unseen: the outcome never seen of largest target; -1 for none.
        unseen_target: its target.
        kernel: float64 [K], zero; receives the law. Empty: not wanted.

    Returns:
        The bound.
    """
    top = unseen_target if unseen >= 0 else -np.inf
    for k in range(targets.size):
        top = max(top, targets[k])
    gaps = np.empty(targets.size)
    for k in range(targets.size):
        gaps[k] = top - targets[k]
    least, t = least_mean(weights, gaps, radius)
    if kernel.size > 0:
        _tilt(outcomes, weights, gaps, least, polished(weights, gaps, radius, t), unseen, kernel)
    return top - least


@compiled
def _tilt(
    outcomes: IntArray,
    weights: FloatArray,
    gaps: FloatArray,
    least: float,
    t: float,
    unseen: int,
    kernel: FloatArray,
) -> None:
    """The law that attains the bound.

    q_k = p_k bound / d_k at t = 0, and what is left goes to the unseen outcome of gap 0; otherwise
    q_k in proportion to p_k / (t + d_k).
    """
    total = 0.0
    for k in range(weights.size):
        q = weights[k]
        if t < np.inf:
            q = weights[k] / (t + gaps[k]) if t > 0.0 else weights[k] * least / gaps[k]
        kernel[outcomes[k]] = q
        total += q
    if t == 0.0 and total < 1.0:
        kernel[unseen] += 1.0 - total
    else:
        for k in range(kernel.size):
            kernel[k] /= total


@compiled
def backup(
    pairs: IntArray,
    starts: IntArray,
    outcomes: IntArray,
    weights: FloatArray,
    radii: FloatArray,
    known: FloatArray,
    unseen_reward: float,
    values: FloatArray,
    discount: float,
    sign: float,
    bounds: FloatArray,
    kernel: FloatArray,
    gains: FloatArray,
) -> None:
    """B(j) for each of the pairs listed.

    Args:
        pairs: int64 [L], numbers of pairs.
        starts: rows, see :class:`mfbpi_lib_confidence.evidence.Evidence`.
        outcomes: likewise.
        weights: float64 [E], the observed laws.
        radii: float64 [P], c.
        known: float64 [E], rewards that belong to entries.
        unseen_reward: reward of entries never seen.
        values: float64 [K], V on every outcome.
        discount: gamma.
        sign: 1 for the upper side, -1 for the lower.
        bounds: float64 [L], receives B.
        kernel: float64 [L, K], zero; receives the laws. [L, 0]: not wanted.
        gains: float64 [L], receives the part of B that known rewards bring; [0]: not wanted.
    """
    keys = np.empty(values.size)
    for k in range(values.size):
        keys[k] = -sign * values[k]
    order = np.argsort(keys)
    for i in range(pairs.size):
        low, high = starts[pairs[i]], starts[pairs[i] + 1]
        row = outcomes[low:high]
        targets = np.empty(row.size)
        for k in range(row.size):
            targets[k] = sign * (known[low + k] + discount * values[row[k]])
        unseen = _best_unseen(row, order)
        target = sign * (unseen_reward + discount * values[unseen]) if unseen >= 0 else 0.0
        bounds[i] = sign * extreme_row(
            row, weights[low:high], targets, radii[pairs[i]], unseen, target, kernel[i]
        )
        if gains.size > 0:
            paid = _rewards(values.size, row, known[low:high], unseen_reward)
            gains[i] = 0.0
            for k in range(paid.size):
                gains[i] += kernel[i, k] * paid[k]


@compiled
def _rewards(n_outcomes: int, row: IntArray, known: FloatArray, unseen_reward: float) -> FloatArray:
    """Rewards of all outcomes of a pair, [K]."""
    rewards = np.full(n_outcomes, unseen_reward)
    for k in range(row.size):
        rewards[row[k]] = known[k]
    return rewards


@compiled
def column_intervals(
    pairs: IntArray,
    starts: IntArray,
    outcomes: IntArray,
    weights: FloatArray,
    radii: FloatArray,
    columns: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Least and largest p.G[:, z] over the ball, for each of L pairs and each column z of G.

    Args:
        pairs: int64 [L]; ``starts``, ``outcomes``, ``weights``, ``radii``: see :func:`backup`.
        starts: see ``pairs``.
        outcomes: see ``pairs``.
        weights: see ``pairs``.
        radii: see ``pairs``.
        columns: float64 [Z, K], G transposed, over all outcomes.

    Returns:
        float64 [L, Z] twice.
    """
    n_columns = columns.shape[0]
    low = np.zeros((pairs.size, n_columns))
    high = np.zeros((pairs.size, n_columns))
    for z in range(n_columns):
        column = columns[z]
        bottom, top = column.min(), column.max()
        for i in range(pairs.size):
            first, last = starts[pairs[i]], starts[pairs[i] + 1]
            seen, radius = weights[first:last], radii[pairs[i]]
            above, below = np.empty(seen.size), np.empty(seen.size)
            for k in range(seen.size):
                value = column[outcomes[first + k]]
                above[k], below[k] = value - bottom, top - value
            low[i, z] = bottom + least_mean(seen, above, radius)[0]
            high[i, z] = top - least_mean(seen, below, radius)[0]
    return low, high
