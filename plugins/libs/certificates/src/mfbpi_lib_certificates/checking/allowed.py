"""The models that the counts allow, recomputed: a ball of laws, an interval of rewards a pair."""

from __future__ import annotations

import math
from typing import Literal

import attrs
import numpy as np

from mfbpi_lib_certificates.certificate import Certificate, FloatArray, IntArray
from mfbpi_lib_certificates.checking.balls import least_mean
from mfbpi_lib_certificates.checking.penalties import penalties

Sign = Literal[-1, 1]


@attrs.frozen(kw_only=True, eq=False)
class Allowed:
    """What the true model may be.

    Attributes:
        certificate: the data.
        support: int64 [P, m], outcomes seen, padded with 0.
        weights: float64 [P, m], their frequencies, padded with 0.
        radii: float64 [P], c = (x + pen) / n.
        rewards: float64 [2, P], least and largest mean rewards; 0 where rewards are known by
            outcome.
        prices: float64 [P, m], known rewards of the outcomes seen; None where the law is any.
    """

    certificate: Certificate
    support: IntArray
    weights: FloatArray
    radii: FloatArray
    rewards: FloatArray
    prices: FloatArray | None

    @classmethod
    def by(cls, c: Certificate, transitions: float, rewards: float) -> Allowed:
        """The box of thresholds x, for transitions and for rewards."""
        visits = c.visits.astype(np.float64)
        width = max(int(np.diff(c.row_starts).max(initial=0)), 1)
        at = np.arange(len(c.counts)) - c.row_starts[c.rows]
        support = np.zeros((c.n_pairs, width), dtype=np.int64)
        weights = np.zeros((c.n_pairs, width))
        support[c.rows, at] = c.outcomes
        weights[c.rows, at] = c.counts / visits[c.rows]
        prices = None
        if c.known_rewards is not None:
            prices = np.zeros((c.n_pairs, width))
            prices[c.rows, at] = c.known_rewards
        paid = penalties(c.rows, c.counts.astype(np.float64), c.n_pairs, c.n_outcomes)
        return cls(
            certificate=c,
            support=support,
            weights=weights,
            radii=_radii(transitions + paid, visits),
            rewards=_mean_rewards(c, visits, rewards),
            prices=prices,
        )

    def extended(self, values: FloatArray) -> FloatArray:
        """Values of states to values of outcomes, [K]; terminal states and endings are worth 0."""
        c = self.certificate
        found = np.zeros(c.n_outcomes)
        found[c.live] = values[c.live]
        return found

    def backup(self, values: FloatArray, sign: Sign) -> FloatArray:
        """Largest (1) or least (-1) reward and discounted value of what follows, float64 [P]."""
        paid = self.rewards[1 if sign > 0 else 0]
        targets = self.certificate.discount * self.extended(values)
        if self.prices is None:
            return np.asarray(paid + self.mean(targets, sign))
        unseen = self.certificate.reward_range[1 if sign > 0 else 0]
        every = np.broadcast_to(unseen + targets, (len(self.radii), len(targets))).copy()
        rows, at = np.nonzero(self.weights)
        every[rows, self.support[rows, at]] = (self.prices + targets[self.support])[rows, at]
        seen = np.take_along_axis(every, self.support, axis=1)
        return sign * (_largest(self.weights, sign * seen, (sign * every).max(axis=1), self.radii))

    def follow(self, values: FloatArray) -> FloatArray:
        """Largest discounted mean of values, without rewards, float64 [P]."""
        return self.mean(self.certificate.discount * self.extended(values), 1)

    def mean(self, targets: FloatArray, sign: Sign) -> FloatArray:
        """Largest or least mean of targets, float64 [..., K], on outcomes; float64 [..., P]."""
        signed = sign * targets
        top = signed.max(axis=-1)[..., None]
        return sign * _largest(self.weights, signed[..., self.support], top, self.radii)


def _largest(
    weights: FloatArray, values: FloatArray, top: FloatArray, radii: FloatArray
) -> FloatArray:
    return top - least_mean(weights, top[..., None] - values, radii)


def _radii(allowed: FloatArray, visits: FloatArray) -> FloatArray:
    return np.where(visits > 0, allowed / np.maximum(visits, 1.0), np.inf)


def _mean_rewards(c: Certificate, visits: FloatArray, x: float) -> FloatArray:
    """Ends of the intervals of mean rewards, [2, P], by the ball of two outcomes, 1 and 0."""
    if c.known_rewards is not None:
        return np.zeros((2, c.n_pairs))
    low, high = c.reward_range
    ones = np.clip((c.rewards.reshape(-1) - low * visits) / (high - low), 0.0, visits)
    split = np.stack([ones, visits - ones], axis=1)  # [P, 2]
    rows, at = np.nonzero(split)
    paid = penalties(rows, split[rows, at], c.n_pairs, 2)
    radii = _radii(x + paid, visits)
    weights = split / np.maximum(visits, 1.0)[:, None]
    least = least_mean(weights, np.array([1.0, 0.0]) + 0.0 * split, radii)
    most = 1.0 - least_mean(weights, np.array([0.0, 1.0]) + 0.0 * split, radii)
    return np.stack([low + (high - low) * least, low + (high - low) * most])


def events(c: Certificate) -> int:
    """How many events share the risk: laws, and rewards where they are not known."""
    return c.n_pairs * (2 if c.known_rewards is None else 1)


def threshold(n_events: int, risk: float) -> float:
    """x = log(m / risk)."""
    return math.log(n_events / risk)
