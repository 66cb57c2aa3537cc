"""How wide the one-step confidence intervals are, and how fast they shrink.

For pair j, seen n_j times, W_j is the half-width, on its larger side, of the interval of
r_j + gamma p_j.V over the confidence set at the present counts. It is split as

    W_j = alpha_j n_j^(-1/2) + beta_j / n_j,
    alpha_j = sqrt(2 xp gamma^2 Var_j V) + sqrt(2 xr r_j (1 - r_j)),    beta_j = the rest,

with xp = x + pen(N_j), xr = x + pen(R_j, n_j - R_j): the first term is the width that variances
explain, the second what outcomes not seen, or hardly, may still hold. Rewards are scaled to [0, 1]
inside, and alpha and beta are in the units of the rewards.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mfbpi_core.data.arrays import FloatArray, IntArray
from mfbpi_lib_confidence.ball import largest_mean, smallest_mean
from mfbpi_lib_confidence.penalties import penalty, reward_penalty
from mfbpi_lib_tabular.compiled import compiled
from mfbpi_lib_tabular.learning.posterior import Counts


class Widths(NamedTuple):
    """How the width of each pair depends on its visits.

    Attributes:
        visits: float64 [S A], n, at least ``least_visits``.
        alpha: float64 [S A]; 0 in terminal states.
        beta: float64 [S A], likewise.
    """

    visits: FloatArray
    alpha: FloatArray
    beta: FloatArray

    @property
    def width(self) -> FloatArray:
        """W, float64 [S A]."""
        return self.alpha / np.sqrt(self.visits) + self.beta / self.visits

    @property
    def shrinkage(self) -> FloatArray:
        """-dW/dn, float64 [S A]."""
        return 0.5 * self.alpha * self.visits**-1.5 + self.beta * self.visits**-2.0


class Units(NamedTuple):
    """Numbers that do not change during a run; see the agent's configuration.

    Attributes:
        discount: gamma.
        low: lowest reward.
        span: highest reward less the lowest.
        x: logarithm of the number of events over the risk.
        least_visits: floor of n in what is returned.
        unseen_floor: least width of a pair never visited, in units of ``span``.
    """

    discount: float
    low: float
    span: float
    x: float
    least_visits: float
    unseen_floor: float


def widths(counts: Counts, values: FloatArray, live: npt.NDArray[np.bool_], units: Units) -> Widths:
    """Widths at the present counts.

    Args:
        counts: the transitions seen.
        values: float64 [S], V.
        live: bool [S], states at which something is decided.
        units: numbers of the run.
    """
    n_pairs = counts.visits.size
    found = Widths(np.empty(n_pairs), np.zeros(n_pairs), np.zeros(n_pairs))
    _fill(
        counts.transitions.reshape(n_pairs, -1),
        counts.endings.reshape(-1),
        counts.visits.reshape(-1),
        counts.rewards.reshape(-1),
        values,
        live,
        tuple(units),
        found.visits,
        found.alpha,
        found.beta,
    )
    return found


@compiled
def _fill(
    transitions: IntArray,
    endings: IntArray,
    visits: IntArray,
    rewards: FloatArray,
    values: FloatArray,
    live: npt.NDArray[np.bool_],
    units: tuple[float, ...],
    floored: FloatArray,
    alpha: FloatArray,
    beta: FloatArray,
) -> None:
    """Write n, alpha and beta of every pair of a live state; counts by pair, units in order."""
    discount, low, span, x, least_visits, unseen_floor = units
    n_states = values.size
    may_end = endings.sum() > 0
    row, seen = np.zeros(n_states + 1), np.zeros(n_states + 1)
    bottom, top = values.min(), values.max()
    if may_end:  # an ending is worth 0
        bottom, top = min(bottom, 0.0), max(top, 0.0)
    for j in range(visits.size):
        n = float(visits[j])
        floored[j] = max(n, least_visits)
        if not live[j * n_states // visits.size]:
            continue
        if visits[j] == 0:
            alpha[j] = math.sqrt(2.0 * x) * discount * values.std()
            beta[j] = 2.0 * x * max(unseen_floor * span, discount * (top - values.mean()) + span)
            continue
        k = _gather(transitions[j], endings[j], values, row, seen)
        allowed = x + penalty(row[:k], n_states + may_end)
        weights, mean, variance = np.empty(k), 0.0, 0.0
        for i in range(k):
            weights[i] = row[i] / n
            mean += weights[i] * seen[i]
        for i in range(k):
            variance += weights[i] * (seen[i] - mean) ** 2
        spread = math.sqrt(variance)
        scale, down, up = _reward_width((rewards[j] - low * n) / span, n, x)
        up = span * up + discount * (largest_mean(weights, seen[:k], top, allowed / n) - mean)
        less = mean - smallest_mean(weights, seen[:k], bottom, allowed / n)
        wide = max(up, span * down + discount * less)
        alpha[j] = discount * math.sqrt(2.0 * allowed) * spread + span * scale
        beta[j] = n * max(0.0, wide - alpha[j] / math.sqrt(n))


@compiled
def _reward_width(total: float, n: float, x: float) -> tuple[float, float, float]:
    """sqrt(2 xr r (1 - r)) and the widths below and above r, for rewards scaled to [0, 1]."""
    weights, values = np.zeros(2), np.zeros(2)
    values[0] = 1.0
    total = min(max(total, 0.0), n)
    weights[0], weights[1] = total / n, (n - total) / n
    allowed = x + reward_penalty(total, n)
    scale = math.sqrt(2.0 * allowed * weights[0] * weights[1])
    low = smallest_mean(weights, values, 0.0, allowed / n)
    high = largest_mean(weights, values, 1.0, allowed / n)
    return scale, weights[0] - low, high - weights[0]


@compiled
def _gather(
    counts: IntArray, endings: int, values: FloatArray, row: FloatArray, seen: FloatArray
) -> int:
    """Counts of the outcomes seen into ``row``, their values into ``seen``; how many there are."""
    k = 0
    for s in range(counts.size):
        if counts[s] > 0:
            row[k], seen[k] = counts[s], values[s]
            k += 1
    if endings > 0:
        row[k], seen[k] = endings, 0.0
        k += 1
    return k
