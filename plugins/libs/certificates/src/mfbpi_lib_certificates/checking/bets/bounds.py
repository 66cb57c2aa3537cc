"""Upper bounds of the advantages of a certified policy by the bets of an epoch.

With mu the mean of r + gamma h0(s') of each pair, G and kappa those of the present counts, e the
error of values and dp that of laws,

    A_i = [mu_i - h0(s) + sum_z kappa_z (mu_z - h0(z))] + gamma dp_i.e + gamma sum_z kappa_z dp_z.e.

The bracket is bounded by capitals (:mod:`.capital`), the rest by products of errors
(:mod:`.remainder`), where e'(z) - e'(y) = sum_w (G_zw - G_yw) [mu_w - mu_hat_w + gamma dp_w.e].
"""

from __future__ import annotations

import attrs
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
    epochs = [_Epoch.of(told.since(number), allowed) for number in reversed(numbers)]
    eps = epochs[0].first(*values)
    for epoch in epochs:
        eps = epoch.contracted(eps)
    return np.asarray(np.minimum.reduce([epoch.advantages(eps) for epoch in epochs]))


@attrs.frozen(kw_only=True, eq=False)
class _Epoch:
    """An epoch and the present counts.

    Attributes:
        frozen: its bets.
        points: what came since.
        intervals: float64 [P, 2], where mu - mu_hat lies.
        resolvent: float64 [nodes, Z], G of the present counts.
        kappa: float64 [rivals, Z], theirs too.
        values: float64 [Z], V_hat.
        own: laws of the policy's pairs.
        rivals: those of the others.
    """

    frozen: Frozen
    points: Points
    intervals: FloatArray
    resolvent: FloatArray
    kappa: FloatArray
    values: FloatArray
    own: Laws
    rivals: Laws

    @classmethod
    def of(cls, told: history.History, allowed: Allowed) -> _Epoch:
        """One of a history from its opening on."""
        c = allowed.certificate
        risk = 0.5 * c.delta / (told.number * (told.number + 1))
        frozen = Frozen(certificate=c, history=told, risk=risk)
        frozen.check()
        points = Points.of(frozen)
        high, low = (allowed.backup(frozen.reference, sign) for sign in (1, -1))
        resolvent, kappa = frozen.kernel(told.periods)
        n = len(c.live)
        values = resolvent[:n] @ frozen.mean_rewards(told.periods)[frozen.own]
        shift = np.zeros(frozen.n_nodes)  # V_hat - h0
        shift[:n] = values - frozen.reference[c.live]
        return cls(
            frozen=frozen,
            points=points,
            intervals=np.stack([low, high], axis=1) - points.means[:, None],
            resolvent=resolvent,
            kappa=kappa,
            values=values,
            own=Laws.of(allowed, frozen.own, frozen.nodes, shift),
            rivals=Laws.of(allowed, frozen.rivals, frozen.nodes, shift),
        )

    def first(self, values_upper: FloatArray, values_lower: FloatArray) -> FloatArray:
        """Differences of e' that the values of the policy over the box allow, [nodes, nodes]."""
        live, n_nodes = self.frozen.certificate.live, self.frozen.n_nodes
        high, low = np.zeros(n_nodes), np.zeros(n_nodes)
        high[: len(live)] = values_upper[live] - self.values
        low[: len(live)] = values_lower[live] - self.values
        wide = np.asarray(high[:, None] - low[None])
        np.fill_diagonal(wide, 0.0)
        return wide

    def contracted(self, eps: FloatArray) -> FloatArray:
        """What its bets leave of bounds of e'(z) - e'(y), [nodes, nodes]."""
        frozen = self.frozen
        differences = np.zeros_like(eps)
        differences[frozen.ordered] = capital.largest(
            frozen, self.points, self.intervals, slice(len(frozen.rivals), None)
        )
        return contracted(differences, self.resolvent, eps, frozen.certificate.discount, self.own)

    def advantages(self, eps: FloatArray) -> FloatArray:
        """Upper bounds of advantages, float64 [S, A]."""
        c, frozen, kappa = self.frozen.certificate, self.frozen, self.kappa
        own, rival = self.own.largest(eps), self.rivals.largest(eps)[0]
        left = rival + np.maximum(kappa, 0.0) @ own[0] + np.maximum(-kappa, 0.0) @ own[1]
        linear = _linear(frozen, self.points, self.intervals, kappa)
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
