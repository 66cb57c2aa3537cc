"""Epochs: a policy, its values, and the functionals that are bet on, frozen at a check.

Epochs may open at fixed checks only: the first one at or after 100 S A steps, and then the first
one at or after each 1.6 times the step of the last. Number j of this grid may spend
(delta / 2) / (j (j + 1)) of the risk, whether it is used or not; these sum to delta / 2. Which of
them open may depend on the data up to then. At later numbers of the grid the stakes of epochs that
are open are planned anew, from the counts at the time: what a stake is must be known before the
data that it meets, and no more.
"""

from __future__ import annotations

import functools
import math

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core.data.arrays import FloatArray, IntArray
from mfbpi_core.running.stopping import first_check, next_check
from mfbpi_lib_confidence.advantages import Reference
from mfbpi_lib_confidence.betting.capital import LARGEST_STAKE, Seen
from mfbpi_lib_confidence.betting.functionals import Bets, log_capitals
from mfbpi_lib_confidence.betting.points import Points, joined, points_of
from mfbpi_lib_confidence.evidence import Evidence
from mfbpi_lib_confidence.kl_box import empirical_model, empirical_reference

#: Steps grow by this from one possible opening to the next.
GRID = 1.6

#: First possible opening, in steps for each pair.
FIRST = 100

#: An epoch is worth opening if its bets may decide before this multiple of the visits so far.
WORTH = 12.0

#: Share of an epoch's risk for advantages, for differences of values of states that are
#: successors of one pair, and for other differences.
SHARES = (0.6, 0.3, 0.1)


def opening(step: int, n_states: int, n_actions: int) -> int:
    """Number j of a check in the grid of possible openings, from 1; 0 if it is none.

    Args:
        step: of the check.
        n_states: S.
        n_actions: A.
    """
    check, wanted, j = first_check(n_states, n_actions), FIRST * n_states * n_actions, 0
    while check <= step:
        if check >= wanted:
            j += 1
            wanted = math.ceil(GRID * check)
            if check == step:
                return j
        check = next_check(check)
    return 0


@attrs.frozen(kw_only=True, eq=False)
class Functionals:
    """What an epoch bets on; own pairs are those of the policy, one for each live state.

    Attributes:
        coefficients: float64 [F, Z], of the means of the own pairs.
        extra: int64 [F], a further pair, of coefficient 1; -1 for none.
        thresholds: float64 [F], x.
    """

    coefficients: FloatArray
    extra: IntArray
    thresholds: FloatArray


@attrs.frozen(kw_only=True, eq=False)
class Epoch:
    """Bets that were frozen.

    Attributes:
        number: j.
        risk: (delta / 2) / (j (j + 1)).
        discount: gamma.
        evidence: what was counted until then.
        later: what was counted at later possible openings, when stakes were planned anew.
    """

    number: int
    risk: float
    discount: float
    evidence: Evidence
    later: tuple[Evidence, ...] = ()

    @functools.cached_property
    def reference(self) -> Reference:
        """The policy, h0, and G at the time."""
        return empirical_reference(self.evidence, self.discount)

    @functools.cached_property
    def states(self) -> IntArray:
        """States that are not terminal."""
        return np.flatnonzero(~self.evidence.terminal)

    @functools.cached_property
    def own(self) -> IntArray:
        """Numbers of the policy's own pairs, [Z]."""
        return self.states * self.evidence.n_actions + self.reference.policy[self.states]

    @functools.cached_property
    def rivals(self) -> IntArray:
        """Numbers of the other pairs of live states."""
        return np.setdiff1d(np.flatnonzero(self.evidence.live), self.own)

    @functools.cached_property
    def nodes(self) -> IntArray:
        """Where each outcome stands among live states; the last place is that of every end."""
        found = np.full(self.evidence.n_outcomes, len(self.states), dtype=np.int64)
        found[self.states] = np.arange(len(self.states))
        return found

    @property
    def may_end(self) -> bool:
        """Whether some outcome has value 0 for certain."""
        return bool((self.nodes == len(self.states)).any())

    @functools.cached_property
    def values(self) -> FloatArray:
        """gamma h0 of each outcome, [K]."""
        found = np.zeros(self.evidence.n_outcomes)
        found[self.states] = self.discount * self.reference.values[self.states]
        return found

    @functools.cached_property
    def largest(self) -> float:
        """Largest stake."""
        low, high = self.evidence.reward_range
        return LARGEST_STAKE / (high - low + float(self.values.max() - self.values.min()))

    def replanned(self, evidence: Evidence) -> Epoch:
        """The same bets with stakes planned anew, for what comes after."""
        return attrs.evolve(self, later=(*self.later, evidence))

    @property
    def plans(self) -> tuple[Evidence, ...]:
        """What was counted whenever stakes were planned."""
        return (self.evidence, *self.later)

    @functools.cached_property
    def planned(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Coefficients [periods, F, Z], visits and variances [periods, P] at those times."""
        points = [points_of(evidence, self.values) for evidence in self.plans]
        return (
            np.stack([self.coefficients(evidence) for evidence in self.plans]),
            np.stack([each.visits for each in points]),
            np.stack([each.variances for each in points]),
        )

    def bets(self, chosen: slice) -> Bets:
        """Some of the functionals, and what their stakes are planned from."""
        coefficients, visits, variances = self.planned
        return Bets(
            frozen=np.ascontiguousarray(coefficients[:, chosen]),
            extra=self.functionals.extra[chosen],
            own=self.own,
            thresholds=self.functionals.thresholds[chosen],
            visits=visits,
            variances=variances,
        )

    def seen(self, points: Points) -> Seen:
        """Points as the compiled functions have them."""
        return Seen(points.starts, points.weights, points.paid, points.periods, self.largest)

    def since(self, evidence: Evidence) -> Points:
        """What was seen since the opening, by period."""
        ends = (*self.later, evidence)
        return joined(
            [
                points_of(end, self.values, start)
                for start, end in zip(self.plans, ends, strict=True)
            ]
        )

    @functools.cached_property
    def points(self) -> Points:
        """What was seen until then, as points r + gamma h0."""
        return points_of(self.evidence, self.values)

    @functools.cached_property
    def ordered(self) -> tuple[IntArray, IntArray]:
        """All ordered pairs (z, y) of different nodes."""
        n = len(self.states) + self.may_end
        first, second = np.nonzero(~np.eye(n, dtype=np.bool_))
        return first, second

    def kernel(self, evidence: Evidence) -> tuple[FloatArray, FloatArray]:
        """G of the policy in the empirical model, [nodes, Z], and kappa of the rivals, [., Z]."""
        transitions, _ = empirical_model(evidence)
        rows = transitions.reshape(evidence.n_pairs, -1)[:, self.states]
        resolvent = np.linalg.inv(np.eye(len(self.own)) - self.discount * rows[self.own])
        at = self.nodes[self.rivals // evidence.n_actions]
        kappa = self.discount * rows[self.rivals] @ resolvent - resolvent[at]
        if self.may_end:
            resolvent = np.vstack([resolvent, np.zeros(len(self.own))])
        return np.asarray(resolvent, dtype=np.float64), np.asarray(kappa, dtype=np.float64)

    def coefficients(self, evidence: Evidence) -> FloatArray:
        """Those of all functionals: advantages first, then differences, [F, Z]."""
        resolvent, kappa = self.kernel(evidence)
        first, second = self.ordered
        return np.vstack([kappa, resolvent[first] - resolvent[second]])

    @functools.cached_property
    def functionals(self) -> Functionals:
        """What is bet on."""
        first, second = self.ordered
        near = self._near()[first, second]
        sizes = [len(self.rivals), int(near.sum()), int((~near).sum())]
        x_own, x_near, x_far = (
            math.log(max(size, 1) / (share * self.risk))
            for size, share in zip(sizes, SHARES, strict=True)
        )
        own = np.full(len(self.rivals), x_own)
        return Functionals(
            coefficients=self.coefficients(self.evidence),
            extra=np.concatenate([self.rivals, np.full(len(first), -1)]),
            thresholds=np.concatenate([own, np.where(near, x_near, x_far)]),
        )

    def _near(self) -> npt.NDArray[np.bool_]:
        """Whether two nodes are successors of one pair of those seen, bool [nodes, nodes]."""
        n = len(self.states) + self.may_end
        seen = np.zeros((self.evidence.n_pairs, n))
        seen[self.evidence.rows, self.nodes[self.evidence.outcomes]] = 1.0
        return seen.T @ seen > 0.0

    def worth_opening(self) -> bool:
        """Whether bets may decide about every advantage before ``WORTH`` times the visits."""
        if not self.evidence.visits.reshape(-1)[self.evidence.live].all():
            return False
        visits, variances = self.points.visits, self.points.variances
        c, extra = self.functionals.coefficients[: len(self.rivals)], self.rivals
        spread = c**2 @ (variances[self.own] / visits[self.own])
        spread = spread + variances[extra] / visits[extra]
        x = self.functionals.thresholds[: len(self.rivals)]
        means = self.points.means
        h = np.repeat(self.reference.values, self.evidence.n_actions)
        advantages = means[extra] - h[extra] + c @ (means[self.own] - h[self.own])
        return bool((advantages + np.sqrt(2.0 * (x + 1.5) * spread / WORTH) < 0.0).all())

    def log_capitals(self, evidence: Evidence, means: FloatArray) -> FloatArray:
        """Log capitals if these were the true means, [F]: below ``functionals.thresholds``.

        Args:
            evidence: the present counts.
            means: float64 [P], mean of r + gamma h0(s') of each pair.
        """
        return log_capitals(self.bets(slice(None)), self.seen(self.since(evidence)), means)
