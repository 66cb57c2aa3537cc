"""What pairs paid, r + gamma h0(s'), as weighted points: the ends of the range for each outcome."""

from __future__ import annotations

import attrs
import numpy as np

from mfbpi_lib_certificates.certificate import FloatArray, IntArray
from mfbpi_lib_certificates.checking.bets.frozen import Frozen

#: Largest stake by the width of the range of what is paid.
LARGEST_STAKE = 0.95


@attrs.frozen(kw_only=True, eq=False)
class Points:
    """Points of each pair since the opening, relative to its mean, padded with weight 0.

    Attributes:
        weights: float64 [P + 1, M]; the last row is empty, for functionals without a further pair.
        paid: float64 [P + 1, M].
        periods: int64 [P + 1, M].
        means: float64 [P], of all data.
        largest: no stake exceeds it.
    """

    weights: FloatArray
    paid: FloatArray
    periods: IntArray
    means: FloatArray
    largest: float

    @classmethod
    def of(cls, frozen: Frozen) -> Points:
        """The points of a history."""
        c, history = frozen.certificate, frozen.history
        low, high = c.reward_range
        means = moments(frozen, history.periods)[0]
        visits, sums = np.diff(history.counts, axis=0), np.diff(history.rewards, axis=0)  # [T, E]
        ends = _ends(visits, sums, low, high)  # [T, E, 2]
        what = np.array([low, high]) + frozen.values[c.outcomes][:, None]
        what = np.broadcast_to(what - means[c.rows][:, None], ends.shape)
        when = np.broadcast_to(np.arange(history.periods)[:, None, None], ends.shape)
        t, entries, side = np.nonzero(ends > 0.0)
        rows = c.rows[entries]
        order = np.lexsort((side, entries, t, rows))
        counted = np.bincount(rows, minlength=c.n_pairs + 1)
        place = np.arange(len(rows)) - np.repeat(np.cumsum(counted) - counted, counted)
        shape = (c.n_pairs + 1, max(int(counted.max()), 1))
        found = {name: np.zeros(shape) for name in ("weights", "paid")}
        periods = np.zeros(shape, dtype=np.int64)
        at = rows[order], place
        chosen = t[order], entries[order], side[order]
        found["weights"][at], found["paid"][at] = ends[chosen], what[chosen]
        periods[at] = when[chosen]
        width = high - low + float(np.ptp(frozen.values))
        return cls(**found, periods=periods, means=means, largest=LARGEST_STAKE / width)


def _ends(visits: FloatArray, sums: FloatArray, low: float, high: float) -> FloatArray:
    """Shares of visits that paid the least and the most, [..., 2]."""
    most = np.clip((sums - low * visits) / (high - low), 0.0, visits)
    return np.stack([visits - most, most], axis=-1)


def moments(frozen: Frozen, t: int) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of what each pair paid until check t, float64 [P] each."""
    c = frozen.certificate
    low, high = c.reward_range
    ends = _ends(frozen.history.counts[t], frozen.history.rewards[t], low, high)  # [E, 2]
    paid = np.array([low, high]) + frozen.values[c.outcomes][:, None]
    visits = np.maximum(np.bincount(c.rows, weights=ends.sum(axis=1), minlength=c.n_pairs), 1.0)
    means = np.bincount(c.rows, weights=(ends * paid).sum(axis=1), minlength=c.n_pairs) / visits
    off = (ends * (paid - means[c.rows][:, None]) ** 2).sum(axis=1)
    return means, np.bincount(c.rows, weights=off, minlength=c.n_pairs) / visits
