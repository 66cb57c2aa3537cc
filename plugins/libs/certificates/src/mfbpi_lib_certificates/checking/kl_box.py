"""Witnesses of the rule kl_box: envelopes, kernels, advantages and regret over the box.

Each is checked by what makes it valid, wherever it came from:

    V_up(s) >= max_a backup+(V_up)(s, a),  V_pi_up(s) >= backup+(V_pi_up)(s, pi),
    V_lo(s) <= backup-(V_lo)(s, pi),       W(s) >= max_a adv+(s, a) + gamma max p.W,
    kappa contains the interval iteration of k0 + kappa Y from [-1, gamma] / (1 - gamma),
    adv(s, a) >= high(s, a) - h(s) + max kappa.x, or backup+(V_pi_up)(s, a) - V_lo(s).

The reference (h, G) is recomputed from the counts; any reference is valid.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import NamedTuple

import numpy as np

from mfbpi_lib_certificates.certificate import BoolArray, Certificate, FloatArray, IntArray
from mfbpi_lib_certificates.checking.allowed import Allowed, Sign
from mfbpi_lib_certificates.checking.fields import array
from mfbpi_lib_certificates.report import RefusedError

#: What rounding may do to a backup, relative to the range of rewards; a value is then off by this
#: over 1 - gamma, which is 100 times below the slack of a verdict.
TOLERANCE = 1e-11

#: What it may do to a sum over states, relative to the slack.
SHARE_OF_SLACK = 0.1

#: Numbers that are held in memory at once.
_AT_ONCE = 2**22

#: Cap on contractions; the rule makes 200 at most.
_CONTRACTIONS = 400


class Witnesses(NamedTuple):
    """Arrays of a certificate; see the module. Kernels: [pairs of live states, live states]."""

    values_upper: FloatArray
    values_lower: FloatArray
    policy_upper: FloatArray
    advantages: FloatArray
    regret: FloatArray
    kappa_low: FloatArray
    kappa_high: FloatArray

    @classmethod
    def of(cls, c: Certificate) -> Witnesses:
        """Those of a certificate.

        Raises:
            RefusedError: when one is missing, of the wrong shape, or not finite.
        """
        n_live = len(c.live)
        kernel = (n_live * c.n_actions, n_live)
        shapes = {"advantages": (c.n_states, c.n_actions), "kappa_low": kernel}
        shapes["kappa_high"] = kernel
        missing = [name for name in cls._fields if name not in c.witnesses]
        if missing:
            raise RefusedError(f"no {', '.join(missing)}")
        return cls(
            **{
                name: array(c.witnesses[name], name, shapes.get(name, (c.n_states,)))
                for name in cls._fields
            }
        )


def check_values(c: Certificate, allowed: Allowed, found: Witnesses) -> Iterator[tuple[str, str]]:
    """Envelopes are confirmed by one backup each.

    Yields:
        What was checked, and what it says.

    Raises:
        RefusedError: when one is not.
    """
    own = c.live * c.n_actions + c.policy[c.live]
    tolerance = TOLERANCE * c.value_scale
    both = allowed.backup(found.values_upper, 1).reshape(-1, c.n_actions).max(axis=1)
    _above(c, "values_upper", found.values_upper, both[c.live], tolerance)
    yield "upper values", "no policy exceeds them in a model that the counts allow"
    _above(
        c,
        "policy_upper",
        found.policy_upper,
        allowed.backup(found.policy_upper, 1)[own],
        tolerance,
    )
    yield "upper values of the policy", "it does not exceed them"
    _above(
        c,
        "values_lower",
        -found.values_lower,
        -allowed.backup(found.values_lower, -1)[own],
        tolerance,
    )
    yield "lower values of the policy", "it does not fall below them"


def _above(
    c: Certificate, name: str, values: FloatArray, target: FloatArray, tolerance: float
) -> None:
    """Values at or above a target at live states, and 0 at terminal ones."""
    if not (values[c.terminal] == 0.0).all():
        raise RefusedError(f"`{name}` is not 0 in terminal states")
    wrong = ~(target <= values[c.live] + tolerance)  # NaN is wrong
    if wrong.any():
        state = int(c.live[wrong][0])
        by = float(np.max(target - values[c.live]))
        raise RefusedError(f"one backup does not confirm `{name}` in state {state}, by {by:.3g}")


def check_advantages(
    c: Certificate, allowed: Allowed, found: Witnesses, others: FloatArray | None = None
) -> Generator[tuple[str, str], None, FloatArray]:
    """Kernels hold what they must, and no advantage is below what the counts allow.

    Args:
        c: the certificate.
        allowed: its box.
        found: its witnesses.
        others: float64 [S, A], upper bounds of the advantages that hold on the same event.

    Yields:
        What was checked, and what it says.

    Returns:
        Advantages without what tolerances let pass, float64 [S, A]: sums over a horizon would
        multiply it.
    """
    pairs = (c.live[:, None] * c.n_actions + np.arange(c.n_actions)).reshape(-1)
    own = c.live * c.n_actions + c.policy[c.live]
    rivals = ~np.isin(pairs, own)
    values, resolvent = reference(c)
    start, matrix = _kernels(allowed, pairs, own, resolvent)
    kappa = _checked_kappa(c, found, start, matrix, rivals)
    yield "kernels", "they contain the iteration that they come from"
    linear = _linear(c, allowed, kappa, pairs, own, values)
    direct = allowed.backup(found.policy_upper, 1)[pairs]
    direct = direct - np.repeat(found.values_lower[c.live], c.n_actions)
    least = np.minimum(linear, direct)
    if others is not None:
        least = np.minimum(least, others.reshape(-1)[pairs])
    least = np.where(rivals, least, 0.0)
    claimed = found.advantages.reshape(-1)[pairs]
    wrong = ~(least <= claimed + SHARE_OF_SLACK * c.slack)
    if wrong.any():
        s, a = divmod(int(pairs[wrong][0]), c.n_actions)
        raise RefusedError(f"the counts allow a larger advantage of ({s}, {a}) than is claimed")
    yield "advantages", "none is below what the counts allow"
    proved = found.advantages.copy()
    proved.reshape(-1)[pairs] = np.maximum(claimed, least)
    return proved


def reference(c: Certificate) -> tuple[FloatArray, FloatArray]:
    """h [S] and G [live, live]: values and resolvent of the policy in the empirical model.

    A pair never visited leads to every state alike and pays the least, as the rule has it.
    """
    table = np.zeros((c.n_pairs, c.n_outcomes))
    visits = c.visits
    table[c.rows, c.outcomes] = c.counts / visits[c.rows]
    table[visits == 0, : c.n_states] = 1.0 / c.n_states
    mean = np.where(visits > 0, c.rewards.reshape(-1) / np.maximum(visits, 1), c.reward_range[0])
    own = c.live * c.n_actions + c.policy[c.live]
    resolvent = np.linalg.inv(np.eye(len(own)) - c.discount * table[np.ix_(own, c.live)])
    values = np.zeros(c.n_states)
    values[c.live] = resolvent @ mean[own]
    return values, np.asarray(resolvent)


def _kernels(
    allowed: Allowed, pairs: IntArray, own: IntArray, resolvent: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Ends of k0, [2, pairs, Z], and of Y, [2, Z, Z]."""
    c = allowed.certificate
    ends = [c.discount * _column_means(allowed, resolvent, sign) for sign in _signs()]  # [P, Z]
    base = np.repeat(resolvent, c.n_actions, axis=0)
    unit = np.eye(len(c.live)) - resolvent
    start = np.stack([end[pairs] - base for end in ends])
    return start, np.stack([unit + end[own] for end in ends])


def _column_means(allowed: Allowed, resolvent: FloatArray, sign: Sign) -> FloatArray:
    """Largest or least means of the columns of G, [P, Z], some at a time: they take memory."""
    c = allowed.certificate
    columns = np.zeros((len(c.live), c.n_outcomes))
    columns[:, c.live] = resolvent.T
    size = max(1, _AT_ONCE // allowed.support.size)
    parts = [columns[first : first + size] for first in range(0, len(columns), size)]
    found = [allowed.mean(part, sign) for part in parts]
    return np.concatenate(found).T if found else np.zeros((c.n_pairs, 0))


def _signs() -> tuple[Sign, Sign]:
    return (-1, 1)


def _checked_kappa(
    c: Certificate, found: Witnesses, start: FloatArray, matrix: FloatArray, rivals: BoolArray
) -> FloatArray:
    """The intervals claimed, [2, L, Z], if the iteration from where kappa always is ends there.

    By what the tolerance let pass they are widened again.
    """
    reach = 1.0 / (1.0 - c.discount)
    room = 1e-12 * reach
    kappa = np.stack([found.kappa_low, found.kappa_high])
    claimed = kappa[:, rivals]  # [2, L, Z]
    now = np.empty_like(claimed)
    now[0], now[1] = -reach, c.discount * reach
    for _ in range(_CONTRACTIONS):
        if (claimed[0] <= now[0] + room).all() and (now[1] <= claimed[1] + room).all():
            kappa[0, rivals] = np.minimum(claimed[0], now[0])
            kappa[1, rivals] = np.maximum(claimed[1], now[1])
            return kappa
        ends = start[:, rivals] + _products(now, matrix)
        new = np.stack([np.maximum(now[0], ends[0]), np.minimum(now[1], ends[1])])
        if not np.abs(new - now).max() > 0.0:
            break
        now = new
    raise RefusedError("the kernels are narrower than the counts allow")


def _products(kappa: FloatArray, matrix: FloatArray) -> FloatArray:
    """Interval products of kappa [2, L, Z] by a matrix [2, Z, Z], [2, L, Z]."""
    found = np.zeros_like(kappa)
    for z in range(matrix.shape[1]):
        corners = kappa[:, None, :, z, None] * matrix[None, :, None, z]  # [2, 2, L, Z]
        found[0] += corners.min(axis=(0, 1))
        found[1] += corners.max(axis=(0, 1))
    return found


def _linear(
    c: Certificate,
    allowed: Allowed,
    kappa: FloatArray,
    pairs: IntArray,
    own: IntArray,
    values: FloatArray,
) -> FloatArray:
    """high(s, a) - h(s) + max kappa.x, [pairs]."""
    high, low = allowed.backup(values, 1), allowed.backup(values, -1)
    x = np.stack([low[own], high[own]]) - values[c.live]  # [2, Z]
    corners = kappa[:, None] * x[None, :, None]
    linear = high[pairs] - np.repeat(values[c.live], c.n_actions)
    return np.asarray(linear + corners.max(axis=(0, 1)).sum(axis=-1))


def check_regret(
    c: Certificate, allowed: Allowed, found: Witnesses, advantages: FloatArray
) -> Iterator[tuple[str, str]]:
    """One backup confirms W for the advantages that were proved, float64 [S, A]."""
    gains = np.maximum(advantages, 0.0)
    target = (gains + allowed.follow(found.regret).reshape(gains.shape)).max(axis=1)[c.live]
    # Two codes add up an advantage; over 1 - gamma the tolerance is a tenth of the slack.
    _above(c, "regret", found.regret, target, 10.0 * TOLERANCE * c.value_scale)
    yield "regret", "no policy gains more in a model that the counts allow"
