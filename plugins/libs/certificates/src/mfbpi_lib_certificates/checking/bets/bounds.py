"""Upper bounds of the advantages of a certified policy by the bets of an epoch.

With mu the mean of r + gamma h0(s') of each pair, G and kappa those of the present counts, e the
error of values and dp that of laws,

    A_i = [mu_i - h0(s) + sum_z kappa_z (mu_z - h0(z))] + gamma dp_i.e + gamma sum_z kappa_z dp_z.e.

The bracket is bounded by capitals (:mod:`.capital`), the rest by products of errors
(:mod:`.remainder`), where e'(z) - e'(y) = sum_w (G_zw - G_yw) [mu_w - mu_hat_w + gamma dp_w.e].
"""

from __future__ import annotations

import numpy as np

from mfbpi_lib_certificates.certificate import Certificate, FloatArray
from mfbpi_lib_certificates.checking.allowed import Allowed
from mfbpi_lib_certificates.checking.bets import capital, history
from mfbpi_lib_certificates.checking.bets.frozen import Frozen
from mfbpi_lib_certificates.checking.bets.points import Points
from mfbpi_lib_certificates.checking.bets.remainder import Laws, contracted
from mfbpi_lib_certificates.report import RefusedError

#: Most coefficients of all functionals at all checks.
LARGEST = 2**28


def advantages(
    c: Certificate, allowed: Allowed, values_upper: FloatArray, values_lower: FloatArray
) -> FloatArray:
    """Upper bounds of advantages, float64 [S, A]; 0 for the policy's own.

    Args:
        c: the certificate, with the history of its counts.
        allowed: its box.
        values_upper: float64 [S], confirmed bound of the policy's values.
        values_lower: likewise.

    Raises:
        RefusedError: when the history cannot be one, or the epoch not have been opened.
    """
    told = history.read(c)
    if max(numbers := history.numbers(c)) >= told.number + told.periods:
        raise RefusedError(f"no epoch had the number {max(numbers)}")
    if told.periods * (len(c.live) + 1) ** 3 > LARGEST:
        raise RefusedError(f"bets on {len(c.live)} states are more than can be verified")
    values = _confirmed(c, allowed, values_upper, values_lower)
    each = [_of_epoch(told.since(number), allowed, *values) for number in numbers]
    return np.asarray(np.minimum.reduce(each))


def _of_epoch(
    told: history.History, allowed: Allowed, values_upper: FloatArray, values_lower: FloatArray
) -> FloatArray:
    """Those by the bets of one epoch."""
    c = allowed.certificate
    risk = 0.5 * c.delta / (told.number * (told.number + 1))
    frozen = Frozen(certificate=c, history=told, risk=risk)
    frozen.check()
    points = Points.of(frozen)
    resolvent, kappa = frozen.kernel(told.periods)
    high, low = (allowed.backup(frozen.reference, sign) for sign in (1, -1))
    intervals = np.stack([low, high], axis=1) - points.means[:, None]
    n = len(c.live)
    shift = np.zeros(frozen.n_nodes)  # V_hat - h0
    present = resolvent[:n] @ frozen.mean_rewards(told.periods)[frozen.own]
    shift[:n] = present - frozen.reference[c.live]
    linear = _linear(frozen, points, intervals, kappa)
    first = _first(frozen, present, values_upper, values_lower)
    differences = np.zeros((frozen.n_nodes, frozen.n_nodes))
    differences[frozen.ordered] = capital.largest(
        frozen, points, intervals, slice(len(frozen.rivals), None)
    )
    at_own = Laws.of(allowed, frozen.own, frozen.nodes, shift)
    eps = contracted(differences, resolvent, first, c.discount, at_own)
    own = at_own.largest(eps)
    rival = Laws.of(allowed, frozen.rivals, frozen.nodes, shift).largest(eps)[0]
    left = rival + np.maximum(kappa, 0.0) @ own[0] + np.maximum(-kappa, 0.0) @ own[1]
    found = np.zeros(c.n_pairs)
    found[frozen.rivals] = linear + c.discount * left
    return found.reshape(c.n_states, c.n_actions)


def _confirmed(
    c: Certificate, allowed: Allowed, upper: FloatArray, lower: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Values of the policy without what a tolerance let pass, which a horizon would multiply."""
    own = c.live * c.n_actions + c.policy[c.live]
    above = float((allowed.backup(upper, 1)[own] - upper[c.live]).max(initial=0.0))
    below = float((lower[c.live] - allowed.backup(lower, -1)[own]).max(initial=0.0))
    reach = 1.0 / (1.0 - c.discount)
    return upper + reach * above, lower - reach * below


def _linear(frozen: Frozen, points: Points, intervals: FloatArray, kappa: FloatArray) -> FloatArray:
    """Upper bounds of the brackets, [rivals]."""
    c = frozen.certificate
    off = points.means - np.repeat(frozen.reference, c.n_actions)
    now = off[frozen.rivals] + kappa @ off[frozen.own]
    rivals = slice(0, len(frozen.rivals))
    return np.asarray(now + capital.largest(frozen, points, intervals, rivals))


def _first(
    frozen: Frozen, present: FloatArray, values_upper: FloatArray, values_lower: FloatArray
) -> FloatArray:
    """Differences of e' that the values of the policy over the box allow, [nodes, nodes]."""
    live = frozen.certificate.live
    high, low = np.zeros(frozen.n_nodes), np.zeros(frozen.n_nodes)
    high[: len(live)] = values_upper[live] - present
    low[: len(live)] = values_lower[live] - present
    wide = np.maximum(high[:, None] - low[None], high[None] - low[:, None])
    np.fill_diagonal(wide, 0.0)
    return np.asarray(wide)
