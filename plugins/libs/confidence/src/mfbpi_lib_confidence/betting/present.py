"""What the bets of an epoch say of the present counts; formulas are in :mod:`.evaluation`."""

from __future__ import annotations

import functools

import numpy as np

from mfbpi_core.data.arrays import FloatArray
from mfbpi_lib_confidence.betting import functionals, remainder
from mfbpi_lib_confidence.betting.epoch import Epoch
from mfbpi_lib_confidence.betting.points import points_of
from mfbpi_lib_confidence.box import Box
from mfbpi_lib_confidence.envelopes import Side, envelope

#: Most contractions of the differences of values.
PASSES = 30

#: Bounds are found by searches, and another program's search may end a little elsewhere: what is
#: claimed is wider by this share.
ROOM = 1e-6


class Present:
    """An epoch and the present counts.

    Args:
        epoch: what was frozen.
        box: of the present counts.
    """

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

    def _estimates(self) -> FloatArray:
        """The linear parts at mu_hat, [rivals]."""
        epoch = self.epoch
        off = self.means - np.repeat(epoch.reference.values, self.box.evidence.n_actions)
        return np.asarray(off[epoch.rivals] + self.kappa @ off[epoch.own])

    @functools.cached_property
    def linear_advantages(self) -> FloatArray:
        """Upper bounds of the linear parts of A_i, [rivals]."""
        rivals = slice(0, len(self.epoch.rivals))
        return np.asarray(self._estimates() + self._functional_bounds(rivals))

    @functools.cached_property
    def _linear_differences(self) -> FloatArray:
        """Upper bounds of the linear parts of e'(z) - e'(y), [nodes, nodes]: most of the work."""
        n = self.resolvent.shape[0]
        linear = np.zeros((n, n))
        linear[self.epoch.ordered] = self._functional_bounds(slice(len(self.epoch.rivals), None))
        return linear

    def unknown(self) -> FloatArray:
        """Bounds that say nothing, float64 [S, A]: infinite but for the policy's own."""
        evidence = self.box.evidence
        found = np.full(evidence.n_pairs, np.inf)
        found[self.epoch.own] = 0.0
        found[~evidence.live] = 0.0
        return found.reshape(evidence.n_states, evidence.n_actions)

    def advantages(self, linear: FloatArray, eps: FloatArray) -> FloatArray:
        """Upper bounds of A_i, float64 [S, A]."""
        found = self.unknown().reshape(-1)
        bound = linear + self.remainders(eps)
        found[self.epoch.rivals] = bound + ROOM * np.abs(bound - self._estimates())
        return found.reshape(self.box.evidence.n_states, self.box.evidence.n_actions)

    def eps(self, known: FloatArray) -> FloatArray:
        """Bounds of e'(z) - e'(y), [nodes, nodes].

        Args:
            known: those that hold already; empty for none.
        """
        return remainder.contracted(
            self._linear_differences,
            self.resolvent,
            known if known.size else self._first_eps(),
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
        eps = np.asarray(high[:, None] - low[None, :])
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
