"""The box: a ball of laws and an interval of mean rewards for each pair, jointly right.

Event E: for every pair and at every time at once,

    n KL(p_hat, p) <= x + pen(c)    and    n KL(R / n, r) <= x + pen(R, n - R),

x = log(m / delta), with m = 2 S A events, or S A where rewards are declared deterministic: these
are known once seen. P(E) >= 1 - delta, for any schedule of checks, any stopping time and any
data-dependent policy, so that one event serves every check, and every certificate drawn from it.
S counts terminal states too: which states are terminal may have been learnt from the data.

What must have been true beforehand: S, A, the range and law of rewards, and whether a task may end
outside declared terminal states. Every transition must be counted, none left out by its outcome.
"""

from __future__ import annotations

import functools
import math

import attrs
import numpy as np

from mfbpi_core.data.arrays import FloatArray
from mfbpi_core.errors import ConfigError
from mfbpi_lib_certificates.certificate import LEAST_RISK
from mfbpi_lib_confidence.ball import mean_interval
from mfbpi_lib_confidence.evidence import Evidence
from mfbpi_lib_confidence.penalties import reward_penalties, row_penalties


@attrs.frozen
class Thresholds:
    """The logarithms x of how unlikely an error is, for the law and the mean reward of a pair."""

    transitions: float
    rewards: float

    @classmethod
    def split(cls, evidence: Evidence, delta: float) -> Thresholds:
        """The same x = log(m / delta) for each of the m events.

        Raises:
            ConfigError: when delta is not strictly between 0 and 1.
        """
        events = evidence.n_pairs * (2 if evidence.known_rewards is None else 1)
        x = math.log(events / check_risk(delta))
        return cls(x, x)


def check_risk(delta: float) -> float:
    """Return the risk if it lies strictly between 0 and 1, and its shares are numbers.

    Raises:
        ConfigError: otherwise.
    """
    if not LEAST_RISK <= delta < 1.0:
        raise ConfigError(
            f"delta is {delta!r}; expected a risk strictly between 0 and 1, from {LEAST_RISK:g} on"
        )
    return float(delta)


@attrs.frozen(kw_only=True, eq=False)
class Box:
    """The confidence set of an instance.

    Attributes:
        evidence: the data.
        thresholds: x.
        penalties: float64 [S A], pen of the transitions.
        reward_penalties: float64 [S A], pen of the rewards; 0 where they are known.
        radii: float64 [S A], c = (x + pen) / n; infinite for pairs never visited.
        rewards_low: float64 [S A], least mean reward; 0 where rewards are known, since they then
            belong to the outcomes.
        rewards_high: float64 [S A], likewise.
    """

    evidence: Evidence
    thresholds: Thresholds
    penalties: FloatArray
    reward_penalties: FloatArray
    radii: FloatArray
    rewards_low: FloatArray
    rewards_high: FloatArray

    @classmethod
    def around(cls, evidence: Evidence, thresholds: Thresholds) -> Box:
        """The box at these counts."""
        visits = evidence.visits.reshape(-1).astype(np.float64)
        paid = row_penalties(
            evidence.starts, evidence.counts.astype(np.float64), evidence.n_outcomes
        )
        low, high, reward_paid = _rewards(evidence, visits, thresholds.rewards)
        return cls(
            evidence=evidence,
            thresholds=thresholds,
            penalties=paid,
            reward_penalties=reward_paid,
            radii=_radii(thresholds.transitions + paid, visits),
            rewards_low=low,
            rewards_high=high,
        )

    def contains(self, transitions: FloatArray, rewards: FloatArray) -> bool:
        """Whether a model is in the set, for audits; rewards of unknown law only.

        Args:
            transitions: float64 [S, A, S], rows short by endings.
            rewards: float64 [S, A], means.
        """
        evidence = self.evidence
        laws = transitions.reshape(evidence.n_pairs, -1)
        laws = np.hstack([laws, 1.0 - laws.sum(axis=1, keepdims=True)])[:, : evidence.n_outcomes]
        with np.errstate(divide="ignore"):
            logs = np.log(self.weights / laws[evidence.rows, evidence.outcomes])
        far = np.zeros(evidence.n_pairs)
        np.add.at(far, evidence.rows, self.weights * logs)
        mean, room = rewards.reshape(-1), 1e-9 * np.ptp(evidence.reward_range)
        near = (self.rewards_low - room <= mean) & (mean <= self.rewards_high + room)
        return bool(((far <= self.radii) & near)[evidence.live].all())

    @functools.cached_property
    def weights(self) -> FloatArray:
        """The observed laws, float64 [E]."""
        return self.evidence.frequencies

    @functools.cached_property
    def known(self) -> FloatArray:
        """Rewards that belong to the entries, float64 [E]; 0 where the law is not known."""
        rewards = self.evidence.known_rewards
        return np.zeros(len(self.evidence.counts)) if rewards is None else rewards


def _radii(allowed: FloatArray, visits: FloatArray) -> FloatArray:
    """Allowed n KL by n; infinite without visits."""
    return np.where(visits > 0, allowed / np.maximum(visits, 1.0), np.inf)


def _rewards(
    evidence: Evidence, visits: FloatArray, x: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Least and largest mean rewards, in their own units, and what their penalties are."""
    if evidence.known_rewards is not None:
        return np.zeros(len(visits)), np.zeros(len(visits)), np.zeros(len(visits))
    totals = evidence.scaled_rewards.reshape(-1)
    paid = reward_penalties(totals, visits)
    low, high = mean_interval(totals, visits, _radii(x + paid, visits))
    least, most = evidence.reward_range
    return least + (most - least) * low, least + (most - least) * high, paid
