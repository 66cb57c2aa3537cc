"""What was seen of each pair as weighted points: reward plus the value of what follows."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np

from mfbpi_core.data.arrays import FloatArray, IntArray
from mfbpi_core.errors import ModelError
from mfbpi_lib_confidence.evidence import Evidence


@attrs.frozen(kw_only=True, eq=False)
class Points:
    """Two points for each entry, with the lowest and the highest reward; one where it is known.

    Attributes:
        starts: int64 [P + 1]; pair j holds the points ``starts[j]`` to ``starts[j + 1]``.
        weights: float64, visits, or shares of them.
        paid: float64, r + gamma h(s').
        periods: int64, when they were seen; 0 unless several are put together.
    """

    starts: IntArray
    weights: FloatArray
    paid: FloatArray
    periods: IntArray

    @property
    def rows(self) -> IntArray:
        """The pair of each point."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def _sums(self, what: FloatArray) -> FloatArray:
        found = np.zeros(len(self.starts) - 1)
        np.add.at(found, self.rows, self.weights * what)
        return found

    @property
    def visits(self) -> FloatArray:
        """Of each pair, float64 [P]."""
        return self._sums(np.ones(len(self.weights)))

    @property
    def means(self) -> FloatArray:
        """Of each pair, float64 [P]; 0 without visits."""
        return np.asarray(self._sums(self.paid) / np.maximum(self.visits, 1.0))

    @property
    def variances(self) -> FloatArray:
        """Of each pair, float64 [P]."""
        off = (self.paid - self.means[self.rows]) ** 2
        return np.asarray(self._sums(off) / np.maximum(self.visits, 1.0))

    def around(self, centre: FloatArray) -> Points:
        """The same points relative to a number for each pair, float64 [P]."""
        return attrs.evolve(self, paid=self.paid - centre[self.rows])


def points_of(evidence: Evidence, values: FloatArray, since: Evidence | None = None) -> Points:
    """The points of what was seen, all of it or since an earlier time.

    Args:
        evidence: the counts, with sums of rewards by successor.
        values: float64 [K], discounted value of each outcome.
        since: counts at the earlier time.

    Raises:
        ModelError: when sums of rewards by successor are missing.
    """
    if evidence.entry_rewards is None:
        raise ModelError("sums of rewards are needed by successor, for bets on their means")
    counts, sums = evidence.counts.astype(np.float64), evidence.entry_rewards.copy()
    if since is not None and since.entry_rewards is not None:
        keys = evidence.rows * evidence.n_outcomes + evidence.outcomes
        at = np.searchsorted(keys, since.rows * since.n_outcomes + since.outcomes)
        counts[at] -= since.counts
        sums[at] -= since.entry_rewards
    low, high = evidence.reward_range
    rewards = np.tile([low, high], (len(counts), 1))
    ones = np.clip((sums - low * counts) / (high - low), 0.0, counts)
    weights = np.stack([counts - ones, ones], axis=1)
    if evidence.known_rewards is not None:
        rewards = np.repeat(evidence.known_rewards[:, None], 2, axis=1)
        weights = np.stack([counts, np.zeros(len(counts))], axis=1)
    keep = weights.reshape(-1) > 0.0
    rows = np.repeat(evidence.rows, 2)[keep]
    return Points(
        starts=np.searchsorted(rows, np.arange(evidence.n_pairs + 1)).astype(np.int64),
        weights=weights.reshape(-1)[keep],
        paid=(rewards + values[evidence.outcomes, None]).reshape(-1)[keep],
        periods=np.zeros(len(rows), dtype=np.int64),
    )


def joined(periods: Sequence[Points]) -> Points:
    """The points of consecutive periods, pair by pair."""
    rows = np.concatenate([p.rows for p in periods])
    order = np.argsort(rows, kind="stable")
    when = np.repeat(np.arange(len(periods)), [len(p.weights) for p in periods])
    n_pairs = len(periods[0].starts) - 1
    return Points(
        starts=np.searchsorted(rows[order], np.arange(n_pairs + 1)).astype(np.int64),
        weights=np.concatenate([p.weights for p in periods])[order],
        paid=np.concatenate([p.paid for p in periods])[order],
        periods=when[order],
    )
