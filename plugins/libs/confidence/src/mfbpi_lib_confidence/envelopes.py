"""Values of the best and the worst model of a box: solutions of V >= T V, and of V <= T V.

T is a backup over the box, monotone and a contraction by gamma. Any V with V >= T V lies above the
fixed point, and above the values of every model of the box. V is found by policy iteration over
actions and laws, and never believed to be the fixed point: with rho = max(T V - V), the inflated
V + rho / (1 - gamma) satisfies the inequality whatever the iteration left.
"""

from __future__ import annotations

import functools

import attrs
import numpy as np

from mfbpi_core.data.arrays import FloatArray, IntArray
from mfbpi_lib_confidence.backups import backup
from mfbpi_lib_confidence.box import Box

#: Cap on the policies, of agent and nature, that are evaluated; a handful is usual.
MAX_ITERATIONS = 100

#: The iteration ends where the residual is rounding, relative to the largest value,
SMALL = 1e-13

#: or below this and no longer falling: what is left is added to the values.
STALLED = 1e-9


@attrs.frozen(kw_only=True, eq=False)
class Side:
    """One side of a box: what nature may do for us (sign 1), or against us (sign -1).

    Attributes:
        box: the box.
        discount: gamma.
        sign: 1 or -1.
    """

    box: Box
    discount: float
    sign: float

    @functools.cached_property
    def states(self) -> IntArray:
        """States that are not terminal, int64."""
        return np.flatnonzero(~self.box.evidence.terminal)

    @functools.cached_property
    def pairs(self) -> IntArray:
        """Numbers of all pairs of these states, int64 [L A]."""
        return np.flatnonzero(self.box.evidence.live)

    @functools.cached_property
    def rewards(self) -> FloatArray:
        """Mean rewards at this side of their intervals, float64 [S A]."""
        return self.box.rewards_high if self.sign > 0 else self.box.rewards_low

    def extend(self, values: FloatArray) -> FloatArray:
        """Values [S] to values on all outcomes [K]: an ending is worth 0, like terminal states."""
        extended = np.zeros(self.box.evidence.n_outcomes)
        extended[self.states] = values[self.states]
        return extended

    def backup(
        self, values: FloatArray, pairs: IntArray, rewards: FloatArray, *, known: bool = True
    ) -> FloatArray:
        """Reward and extreme discounted value of what follows, for the pairs listed, [len(pairs)].

        Args:
            values: float64 [S].
            pairs: int64, numbers of pairs.
            rewards: float64 [S A].
            known: whether rewards that belong to entries are paid.
        """
        empty = np.zeros((len(pairs), 0))
        bounds, _, _ = self._extremes(values, pairs, empty, known=known)
        return rewards[pairs] + bounds

    def model(
        self, values: FloatArray, pairs: IntArray, *, known: bool
    ) -> tuple[FloatArray, FloatArray]:
        """Laws that attain the backup, [len(pairs), K], and the known rewards that they pay."""
        kernel = np.zeros((len(pairs), self.box.evidence.n_outcomes))
        _, kernel, gains = self._extremes(values, pairs, kernel, known=known)
        return kernel, gains

    def _extremes(
        self, values: FloatArray, pairs: IntArray, kernel: FloatArray, *, known: bool
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        box, evidence = self.box, self.box.evidence
        paying = known and evidence.known_rewards is not None
        unseen_reward = evidence.reward_range[1 if self.sign > 0 else 0] if paying else 0.0
        bounds = np.zeros(len(pairs))
        gains = np.zeros(len(pairs) if paying and kernel.size else 0)
        backup(
            pairs,
            evidence.starts,
            evidence.outcomes,
            box.weights,
            box.radii,
            box.known if paying else np.zeros_like(box.weights),
            unseen_reward,
            self.extend(values),
            self.discount,
            self.sign,
            bounds,
            kernel,
            gains,
        )
        return bounds, kernel, gains if gains.size else np.zeros(len(pairs))


def envelope(
    side: Side,
    guess: FloatArray,
    *,
    policy: IntArray | None = None,
    rewards: FloatArray | None = None,
) -> FloatArray:
    """Values that no model of the box exceeds (sign 1), or falls short of (sign -1).

    Args:
        side: which side of which box.
        guess: float64 [S], where to start.
        policy: int64 [S], whose values; those of the best action in each state if omitted.
        rewards: float64 [S A], other rewards than the instance's own.

    Returns:
        float64 [S], V with sign (V - T V) >= 0; 0 in terminal states.
    """
    known = rewards is None
    paid = side.rewards if rewards is None else rewards
    values = np.where(side.box.evidence.terminal, 0.0, guess)
    previous = np.inf
    for _ in range(MAX_ITERATIONS):
        pairs, target = _improved(side, values, policy, paid, known=known)
        rest = float((side.sign * (target - values[side.states])).max(initial=0.0))
        size = float(np.abs(values).max(initial=0.0)) + float(np.abs(target).max(initial=0.0))
        if rest <= SMALL * size or (rest > 0.5 * previous and rest <= STALLED * size):
            break
        previous = rest
        values = _evaluated(side, values, pairs, paid, known=known)
    return _inflated(side, values, policy, paid, known=known)


def _improved(
    side: Side, values: FloatArray, policy: IntArray | None, paid: FloatArray, *, known: bool
) -> tuple[IntArray, FloatArray]:
    """Pairs chosen in the states that are not terminal, and T V there."""
    n_actions = side.box.evidence.n_actions
    if policy is not None:
        pairs = side.states * n_actions + policy[side.states]
        return pairs, side.backup(values, pairs, paid, known=known)
    backed = side.backup(values, side.pairs, paid, known=known).reshape(-1, n_actions)
    best = backed.argmax(axis=1)
    return side.states * n_actions + best, backed[np.arange(len(best)), best]


def _evaluated(
    side: Side, values: FloatArray, pairs: IntArray, paid: FloatArray, *, known: bool
) -> FloatArray:
    """Values of the chosen pairs under the laws that nature answers with."""
    kernel, gains = side.model(values, pairs, known=known)
    system = -side.discount * kernel[:, side.states]
    system.flat[:: len(pairs) + 1] += 1.0
    found = np.zeros_like(values)
    found[side.states] = np.linalg.solve(system, paid[pairs] + gains)
    return found


def _inflated(
    side: Side, values: FloatArray, policy: IntArray | None, paid: FloatArray, *, known: bool
) -> FloatArray:
    """Values moved until one backup confirms them: a fixed point is never simply "converged"."""
    _, target = _improved(side, values, policy, paid, known=known)
    rest = float((side.sign * (target - values[side.states])).max(initial=0.0))
    moved = values.copy()
    moved[side.states] += side.sign * max(rest, 0.0) / (1.0 - side.discount)
    return moved
