"""What an epoch froze: a policy, its values h0, and functionals of the means of r + gamma h0(s').

All of it is computed from the counts at its opening and at later checks of the grid, by one fixed
rule, so that each number is known before the data that it meets, and nothing was chosen later.
"""

from __future__ import annotations

import functools
import math

import attrs
import numpy as np

from mfbpi_lib_certificates.certificate import BoolArray, Certificate, FloatArray, IntArray
from mfbpi_lib_certificates.checking.bets.history import History
from mfbpi_lib_certificates.report import RefusedError

#: Shares of an epoch's risk: advantages, differences of successors of one pair, other differences.
SHARES = (0.6, 0.3, 0.1)


@attrs.frozen(kw_only=True, eq=False)
class Frozen:
    """The bets of an epoch; nodes are the live states and, where a task may end, one more.

    Attributes:
        certificate: the present data.
        history: earlier ones.
        risk: (delta / 2) / (j (j + 1)).
    """

    certificate: Certificate
    history: History
    risk: float

    @functools.cached_property
    def own(self) -> IntArray:
        """Pairs of the policy, [Z]."""
        c = self.certificate
        return np.asarray(c.live * c.n_actions + c.policy[c.live])

    @functools.cached_property
    def rivals(self) -> IntArray:
        """The other pairs of live states."""
        c = self.certificate
        pairs = (c.live[:, None] * c.n_actions + np.arange(c.n_actions)).reshape(-1)
        return np.setdiff1d(pairs, self.own)

    @functools.cached_property
    def nodes(self) -> IntArray:
        """The node of each outcome, [K]."""
        c = self.certificate
        found = np.full(c.n_outcomes, len(c.live), dtype=np.int64)
        found[c.live] = np.arange(len(c.live))
        return found

    @property
    def n_nodes(self) -> int:
        """Live states, and the end where there may be one."""
        return int(self.nodes.max()) + 1

    def visits(self, t: int) -> FloatArray:
        """Of each pair until check t of the history, float64 [P]."""
        c = self.certificate
        found = np.bincount(c.rows, weights=self.history.counts[t], minlength=c.n_pairs)
        return np.asarray(found, dtype=np.float64)

    def table(self, t: int) -> FloatArray:
        """Frequencies of live states after each pair until then, [P, Z]."""
        c = self.certificate
        found = np.zeros((c.n_pairs, c.n_outcomes))
        found[c.rows, c.outcomes] = self.history.counts[t] / self.visits(t)[c.rows]
        return found[:, c.live]

    def kernel(self, t: int) -> tuple[FloatArray, FloatArray]:
        """G of the policy, [nodes, Z], and kappa of the rivals, [., Z], at that time."""
        c, rows = self.certificate, self.table(t)
        n = len(c.live)
        resolvent = np.linalg.inv(np.eye(n) - c.discount * rows[self.own])
        at = self.nodes[self.rivals // c.n_actions]
        kappa = c.discount * rows[self.rivals] @ resolvent - resolvent[at]
        padded = np.zeros((self.n_nodes, n))
        padded[:n] = resolvent
        return padded, np.asarray(kappa)

    @functools.cached_property
    def reference(self) -> FloatArray:
        """h0 [S]: values of the policy in the empirical model at the opening."""
        c = self.certificate
        found = np.zeros(c.n_states)
        found[c.live] = self.kernel(0)[0][: len(c.live)] @ self.mean_rewards(0)[self.own]
        return found

    def mean_rewards(self, t: int) -> FloatArray:
        """Of each pair until check t, [P]."""
        c = self.certificate
        sums = np.bincount(c.rows, weights=self.history.rewards[t], minlength=c.n_pairs)
        return np.asarray(sums / np.maximum(self.visits(t), 1.0))

    @functools.cached_property
    def values(self) -> FloatArray:
        """gamma h0 of each outcome, [K]."""
        c = self.certificate
        found = np.zeros(c.n_outcomes)
        found[c.live] = c.discount * self.reference[c.live]
        return found

    def check(self) -> None:
        """Refuse an opening before every pair was visited, or of another policy than the best.

        Raises:
            RefusedError: in either case. A clear best policy leaves nothing to choose later.
        """
        c = self.certificate
        live = np.concatenate([self.own, self.rivals])
        if not (self.visits(0)[live] > 0.0).all():
            raise RefusedError("the epoch opened before every pair was visited")
        following = self.table(0) @ self.reference[c.live]
        gains = (self.mean_rewards(0) + c.discount * following)[self.rivals]
        if not (gains - self.reference[self.rivals // c.n_actions] < -c.slack).all():
            raise RefusedError("the policy was not the best one when the epoch opened")

    def coefficients(self, t: int) -> FloatArray:
        """Those of all functionals: advantages first, then differences, [F, Z]."""
        resolvent, kappa = self.kernel(t)
        first, second = self.ordered
        return np.vstack([kappa, resolvent[first] - resolvent[second]])

    @functools.cached_property
    def ordered(self) -> tuple[IntArray, IntArray]:
        """All ordered pairs of different nodes."""
        first, second = np.nonzero(~np.eye(self.n_nodes, dtype=np.bool_))
        return first, second

    @functools.cached_property
    def extra(self) -> IntArray:
        """The further pair of each functional, of coefficient 1; -1 for none; [F]."""
        return np.concatenate([self.rivals, np.full(len(self.ordered[0]), -1)])

    @functools.cached_property
    def thresholds(self) -> FloatArray:
        """x of each functional, [F]."""
        near = self._near()[self.ordered]
        sizes = (len(self.rivals), int(near.sum()), int((~near).sum()))
        x = [
            math.log(max(size, 1) / (share * self.risk))
            for size, share in zip(sizes, SHARES, strict=True)
        ]
        return np.concatenate([np.full(len(self.rivals), x[0]), np.where(near, x[1], x[2])])

    def _near(self) -> BoolArray:
        """Whether two nodes had followed one pair when the epoch opened."""
        c, then = self.certificate, self.history.counts[0] > 0.0
        seen = np.zeros((c.n_pairs, self.n_nodes))
        seen[c.rows[then], self.nodes[c.outcomes[then]]] = 1.0
        return np.asarray(seen.T @ seen > 0.0)
