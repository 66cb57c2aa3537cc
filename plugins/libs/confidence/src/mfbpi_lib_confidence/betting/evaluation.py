"""Is the best policy identified? By bets on each advantage as one number, and by the box.

Let P_hat be that of all data, pi and h0 frozen at the opening of an epoch, dp = p_M - p_hat,
G = (I - gamma P_hat_pi)^-1, kappa_i = gamma p_hat_i G - G[s], mu_j = r_j + gamma p_j.h0 the mean of
what pair j pays, and e = V_M - h0. Then, exactly,

    A_i = [mu_i - h0(s) + sum_z kappa_iz (mu_z - h0(z))]
          + gamma dp_i.e + gamma sum_z kappa_iz dp_z.e.

The bracket is linear in means of pairs: :mod:`mfbpi_lib_confidence.betting.capital` bounds it.
The rest is a product of two errors: :mod:`mfbpi_lib_confidence.betting.remainder`, with
e = (V_hat - h0) + e', and e'(z) - e'(y) = sum_w (G_zw - G_yw) [mu_w - mu_hat_w + gamma dp_w.e].

Risk: delta / 2 for the box (laws .45 delta, rewards .05 delta), the other half for bets. What is
reported is the better of these advantages and the box of the same event.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np

from mfbpi_core.data.arrays import BoolArray, FloatArray
from mfbpi_lib_confidence import kl_box
from mfbpi_lib_confidence.betting import functionals, remainder
from mfbpi_lib_confidence.betting.epoch import Epoch, opening
from mfbpi_lib_confidence.betting.points import points_of
from mfbpi_lib_confidence.box import Box, Thresholds, check_risk
from mfbpi_lib_confidence.envelopes import Side, envelope
from mfbpi_lib_confidence.evidence import Evidence
from mfbpi_lib_confidence.kl_box import Evaluation

#: Shares of the risk: laws, rewards, bets.
LAWS, REWARDS, BETS = 0.45, 0.05, 0.5

#: Most contractions of the differences of values.
PASSES = 30


def thresholds(evidence: Evidence, delta: float) -> Thresholds:
    """Those of the box: x for laws and for rewards; known rewards leave their share unused."""
    risk = check_risk(delta)
    n = evidence.n_pairs
    return Thresholds(float(np.log(n / (LAWS * risk))), float(np.log(n / (REWARDS * risk))))


def continued(
    epochs: Sequence[Epoch], evidence: Evidence, step: int, *, discount: float, delta: float
) -> tuple[Epoch, ...]:
    """The epochs after a check: at a number of the grid stakes are planned anew, and one may open.

    Args:
        epochs: those open until now.
        evidence: what was counted up to this check.
        step: of the check.
        discount: gamma.
        delta: risk of the whole rule.
    """
    number = opening(step, evidence.n_states, evidence.n_actions)
    if number == 0:
        return tuple(epochs)
    risk = BETS * check_risk(delta) / (number * (number + 1))
    new = Epoch(number=number, risk=risk, discount=discount, evidence=evidence)
    replanned = tuple(epoch.replanned(evidence) for epoch in epochs)
    return (*replanned, new) if new.worth_opening() else replanned


@attrs.frozen(kw_only=True, eq=False)
class Bounds:
    """What the bets of an epoch say at present.

    Attributes:
        epoch: the epoch.
        linear: float64 [rivals], upper bounds of the linear parts.
        advantages: float64 [S, A], upper bounds; 0 for the policy's own and in terminal states,
            infinite where the linear part alone says that nothing is decided.
        eps: float64 [nodes, nodes], bounds of differences of values; empty where not needed.
    """

    epoch: Epoch
    linear: FloatArray
    advantages: FloatArray
    eps: FloatArray


def bounds(epoch: Epoch, box: Box, *, complete: bool = False) -> Bounds:
    """Upper bounds of the advantages of an epoch's policy.

    Args:
        epoch: the epoch.
        box: of the present counts.
        complete: whether to go on where a linear part is above 0 already, and no verdict with
            epsilon = 0 can follow.
    """
    present = _Present(epoch, box)
    linear = present.linear_advantages()
    evidence = box.evidence
    found = np.full(evidence.n_pairs, np.inf)
    found[epoch.own] = 0.0
    found[~evidence.live] = 0.0
    eps = np.zeros((0, 0))
    if complete or bool((linear < 0.0).all()):
        eps = present.eps()
        found[epoch.rivals] = linear + present.remainders(eps)
    shape = (evidence.n_states, evidence.n_actions)
    return Bounds(epoch=epoch, linear=linear, advantages=found.reshape(shape), eps=eps)


class _Present:
    """An epoch and the present counts."""

    def __init__(self, epoch: Epoch, box: Box) -> None:
        self.epoch, self.box = epoch, box
        evidence, gamma = box.evidence, epoch.discount
        self.resolvent, self.kappa = epoch.kernel(evidence)
        self.coefficients = epoch.coefficients(evidence)
        self.upper = Side(box=box, discount=gamma, sign=1.0)
        self.lower = Side(box=box, discount=gamma, sign=-1.0)
        self.means = points_of(evidence, epoch.values).means  # mu_hat [P], of all data
        self.new = epoch.since(evidence).around(self.means)
        self.values = np.zeros(evidence.n_states)  # V_hat
        n = len(epoch.states)
        self.values[epoch.states] = self.resolvent[:n] @ self._own_rewards()
        self.shift = np.zeros(self.resolvent.shape[0])
        self.shift[:n] = (self.values - epoch.reference.values)[epoch.states]

    def _own_rewards(self) -> FloatArray:
        evidence = self.box.evidence
        mean = evidence.rewards / np.maximum(evidence.visits, 1)
        return np.asarray(mean.reshape(-1)[self.epoch.own])

    def _intervals(self) -> FloatArray:
        """Ends of mu - mu_hat that the box allows, [P, 2]."""
        h0, pairs = self.epoch.reference.values, self.upper.pairs
        found = np.zeros((self.box.evidence.n_pairs, 2))
        for i, side in enumerate((self.lower, self.upper)):
            found[pairs, i] = side.backup(h0, pairs, side.rewards) - self.means[pairs]
        return found

    def _functional_bounds(self, chosen: slice) -> FloatArray:
        """Upper bounds of functionals of mu - mu_hat."""
        return functionals.functional_bounds(
            self.epoch.bets(chosen),
            self.coefficients[chosen],
            self.epoch.seen(self.new),
            self._intervals(),
        )

    def linear_advantages(self) -> FloatArray:
        """Upper bounds of the linear parts of A_i, [rivals]."""
        epoch = self.epoch
        n_actions = self.box.evidence.n_actions
        off = self.means - np.repeat(epoch.reference.values, n_actions)
        now = off[epoch.rivals] + self.kappa @ off[epoch.own]
        return np.asarray(now + self._functional_bounds(slice(0, len(epoch.rivals))))

    def eps(self) -> FloatArray:
        """Bounds of |e'(z) - e'(y)|, [nodes, nodes]."""
        n = self.resolvent.shape[0]
        linear = np.zeros((n, n))
        linear[self.epoch.ordered] = self._functional_bounds(slice(len(self.epoch.rivals), None))
        return remainder.contracted(
            linear,
            self.resolvent,
            self._first_eps(),
            self.epoch.discount,
            PASSES,
            self.epoch.own,
            self._laws(),
            self.shift,
        )

    def _first_eps(self) -> FloatArray:
        """The bound that the values of the policy over the box give."""
        epoch = self.epoch
        high, low = np.zeros(len(self.shift)), np.zeros(len(self.shift))
        for ends, side in ((high, self.upper), (low, self.lower)):
            values = envelope(side, self.values, policy=epoch.reference.policy)
            ends[: len(epoch.states)] = (values - self.values)[epoch.states]
        eps = np.maximum(high[:, None] - low[None, :], high[None, :] - low[:, None])
        np.fill_diagonal(eps, 0.0)
        return eps

    def _laws(self) -> remainder.Laws:
        evidence, box = self.box.evidence, self.box
        return remainder.Laws(
            starts=evidence.starts,
            outcomes=evidence.outcomes,
            weights=box.weights,
            radii=box.radii,
            probable=remainder.largest_probabilities(evidence.starts, box.weights, box.radii),
            nodes=self.epoch.nodes,
        )

    def remainders(self, eps: FloatArray) -> FloatArray:
        """Upper bounds of gamma dp_i.e + gamma sum kappa_iz dp_z.e, [rivals]."""
        epoch, gamma = self.epoch, self.epoch.discount
        laws = self._laws()
        at_own = remainder.products(epoch.own, laws, self.shift, eps)
        at_rivals = remainder.products(epoch.rivals, laws, self.shift, eps)
        positive, negative = np.maximum(self.kappa, 0.0), np.maximum(-self.kappa, 0.0)
        return np.asarray(
            gamma * (at_rivals[:, 0] + positive @ at_own[:, 0] + negative @ at_own[:, 1])
        )


def evaluate(
    evidence: Evidence,
    epochs: Sequence[Epoch],
    *,
    discount: float,
    delta: float = 0.1,
    epsilon: float = 0.0,
    scope: BoolArray | None = None,
) -> tuple[Evaluation, tuple[Bounds, ...]]:
    """Evaluate the counts with the epochs that have opened; they need sums by successor.

    Args:
        evidence: the counts at a check.
        epochs: those of :func:`continued` at the check before, in their order.
        discount: gamma.
        delta: risk.
        epsilon: accepted loss.
        scope: see :func:`mfbpi_lib_confidence.kl_box.evaluate`.

    Returns:
        What is certified, and the bounds of the epochs that certify it; none where the box alone
        is as good.
    """
    allowed = thresholds(evidence, delta)
    best = kl_box.evaluate(
        evidence,
        discount=discount,
        delta=delta,
        epsilon=epsilon,
        scope=scope,
        thresholds=allowed,
    )
    used: tuple[Bounds, ...] = ()
    for epoch in reversed(epochs):
        if best.identified:
            break
        found = bounds(epoch, best.box, complete=epsilon > 0.0)
        improved = _combined(best, found, epsilon, scope)
        if improved.identified or improved.certified_gap < best.certified_gap:
            before = used if bool((improved.policy == best.policy).all()) else ()
            best, used = improved, (*before, found)
    return best, used


def _combined(
    base: Evaluation, found: Bounds, epsilon: float, scope: BoolArray | None
) -> Evaluation:
    """The evaluation of the epoch's policy, with what the box says of it if it is the same."""
    advantages, policy = found.advantages, found.epoch.reference.policy
    same = bool((policy == base.policy)[found.epoch.states].all())
    if same:
        advantages = np.where(-base.margin < advantages, -base.margin, advantages)
    gap, regret = base.gap, base.regret
    if np.isfinite(advantages).all():
        upper = Side(box=base.box, discount=found.epoch.discount, sign=1.0)
        gains = np.maximum(advantages, 0.0).reshape(-1)
        regret = envelope(upper, np.zeros(len(gap)), rewards=gains)
        gap = np.minimum(regret, base.gap) if same else regret
    elif not same:
        return base
    return kl_box.judged(
        base,
        policy=policy,
        advantages=advantages,
        gap=gap,
        regret=regret,
        epsilon=epsilon,
        scope=scope,
    )
