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
from mfbpi_lib_confidence.betting.epoch import Epoch, opening
from mfbpi_lib_confidence.betting.present import Present
from mfbpi_lib_confidence.box import Box, Thresholds, check_risk
from mfbpi_lib_confidence.envelopes import Side, envelope
from mfbpi_lib_confidence.evidence import Evidence
from mfbpi_lib_confidence.kl_box import Evaluation

#: Shares of the risk: laws, rewards, bets.
LAWS, REWARDS, BETS = 0.45, 0.05, 0.5

#: A linear part below 0 that is this share of the least one is nearly as good.
NEARLY = 0.8


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
        present: the epoch and the counts; what it has found out is not found out again.
        linear: float64 [rivals], upper bounds of the linear parts.
        advantages: float64 [S, A], upper bounds; 0 for the policy's own and in terminal states,
            infinite where the linear part alone says that nothing is decided.
        eps: float64 [nodes, nodes], bounds of differences of values; empty where not needed.
    """

    present: Present
    linear: FloatArray
    advantages: FloatArray
    eps: FloatArray

    @property
    def epoch(self) -> Epoch:
        """The epoch."""
        return self.present.epoch


def bounds(epochs: Sequence[Epoch], box: Box, *, complete: bool = False) -> tuple[Bounds, ...]:
    """Upper bounds of the advantages of a policy, by each of the epochs that froze it.

    Differences of e' are the same in all epochs, since V_hat is: each contracts those that the
    last one left. They are most of the work, and left to a few epochs that bound the linear
    part of every rival well; of others nothing is reported then.

    Args:
        epochs: of one policy.
        box: of the present counts.
        complete: whether to go on where a linear part is above 0 in all epochs, and no verdict
            with epsilon = 0 can follow.
    """
    return _together([Present(epoch, box) for epoch in epochs], complete=complete)


def _together(presents: Sequence[Present], *, complete: bool) -> tuple[Bounds, ...]:
    """See :func:`bounds`."""
    linear = [each.linear_advantages for each in presents]
    eps = np.zeros((0, 0))
    ready = complete or bool((np.minimum.reduce(linear) < 0.0).all())
    if ready:
        matter = _sufficient(linear)
        presents, linear = [presents[i] for i in matter], [linear[i] for i in matter]
    for present in presents if ready else ():
        eps = present.eps(eps)
    return tuple(
        Bounds(
            present=present,
            linear=each,
            advantages=present.advantages(each, eps) if ready else present.unknown(),
            eps=eps,
        )
        for present, each in zip(presents, linear, strict=True)
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
    for group in _by_policy(epochs):
        if best.identified:
            break
        found = bounds(group, best.box, complete=epsilon > 0.0)
        improved = _combined(best, found, epsilon, scope)
        if improved.identified:
            return _leaner(best, improved, found, epsilon, scope)
        if improved.certified_gap < best.certified_gap:
            best, used = improved, found
    return best, used


def _leaner(
    base: Evaluation,
    improved: Evaluation,
    found: tuple[Bounds, ...],
    epsilon: float,
    scope: BoolArray | None,
) -> tuple[Evaluation, tuple[Bounds, ...]]:
    """What stops the run, by the epochs alone whose bound of some rival is the least, if it can be.

    A certificate holds the counts of every epoch that it rests on, and each takes its time to
    verify.
    """
    rivals = found[0].epoch.rivals
    least = _least([bounded.advantages.reshape(-1)[rivals] for bounded in found])
    if len(least) == len(found):
        return improved, found
    fewer = _together([found[i].present for i in least], complete=epsilon > 0.0)
    again = _combined(base, fewer, epsilon, scope)
    return (again, fewer) if again.identified else (improved, found)


def _sufficient(linear: Sequence[FloatArray]) -> list[int]:
    """Of which epochs to bound the rest too: for each rival one with nearly the least linear part.

    Rivals that are closest to deciding choose first, and one that is content with what others
    chose adds none.
    """
    each = np.stack(linear)
    least = each.min(axis=0)
    content = np.maximum(least, NEARLY * least)
    chosen: set[int] = set()
    for rival in np.argsort(-least, kind="stable"):
        if not any(each[i, rival] <= content[rival] for i in chosen):
            chosen.add(int(each[:, rival].argmin()))
    return sorted(chosen)


def _least(found: Sequence[FloatArray]) -> list[int]:
    """Which of several arrays of bounds, [rivals] each, hold the least bound of some rival."""
    return sorted(set(np.stack(found).argmin(axis=0).tolist()))


def _by_policy(epochs: Sequence[Epoch]) -> list[list[Epoch]]:
    """The epochs that froze the same policy, the latest first."""
    found: dict[bytes, list[Epoch]] = {}
    for epoch in reversed(epochs):
        found.setdefault(epoch.reference.policy[epoch.states].tobytes(), []).append(epoch)
    return list(found.values())


def _combined(
    base: Evaluation, found: Sequence[Bounds], epsilon: float, scope: BoolArray | None
) -> Evaluation:
    """The evaluation of the epochs' policy, with what the box says of it if it is the same."""
    epoch = found[0].epoch
    policy = epoch.reference.policy
    advantages = np.minimum.reduce([each.advantages for each in found])
    same = bool((policy == base.policy)[epoch.states].all())
    if same:
        advantages = np.where(-base.margin < advantages, -base.margin, advantages)
    gap, regret = base.gap, base.regret
    if np.isfinite(advantages).all():
        upper = Side(box=base.box, discount=epoch.discount, sign=1.0)
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
