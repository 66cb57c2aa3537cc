"""The values of a policy to twice the precision of float64, with a rigorous bound of the error.

The model is the one that the stored float64 numbers are, exactly: gamma, every probability and
every reward; but in a row of probabilities that rounding leaves short of 1 the likeliest next state
takes what is missing, as in :mod:`mfbpi_lib_tabular.solution.exactness`. Taken literally, such a
row would lose or gain a share of V at every step, which next to a discount of 1 is more than the
actions differ by.

Iterative refinement (Wilkinson 1963): the residual r + gamma P V - V of the present values is
computed in pairs of float64 (:mod:`mfbpi_lib_tabular.numerics.doubled`), the correction
(I - gamma P)^-1 residual in float64, and the sum is kept as a pair V = high + low. Each round
gains the digits that one float64 solution has.

**Error of the values.** Let T be the Bellman operator of the optimum, a contraction in the
largest norm with modulus gamma. Then |V - V*| <= |T V - V| / (1 - gamma).
With q(s, a) the backup computed in pairs and eta the bound of its rounding, T V - V is at most
max |max_a q(s, a) - V(s)| + eta. A backup of K slots is a product each, ceil(log2 K) sums, one
product and two sums, all of numbers of size at most max |V| (1 + K eps) and max |r|. What a row
misses, m, and its product with V are float64 numbers, so that

    eta = (ceil(log2 K) + 9) UNIT (max |V| + max |r|) + 2 eps max |m| max |V| + underflow.

**Error of a gap.** Delta(s, a) = V*(s) - Q*(s, a) is computed as V - q in pairs, so that it
differs from the truth by at most (1 + gamma) |V - V*| + eta, and by the last rounding to float64.
"""

from __future__ import annotations

import functools

import attrs
import numpy as np

from mfbpi_core.data.arrays import BoolArray, FloatArray, IntArray
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.errors import SolverError
from mfbpi_lib_tabular.numerics import doubled, kernels, rows
from mfbpi_lib_tabular.numerics.backup import MAX_SLOTS, Means
from mfbpi_lib_tabular.numerics.doubled import Doubled

EPS = float(np.finfo(np.float64).eps)

#: Rounds of refinement; two or three are enough unless the system is all but singular.
MAX_ROUNDS = 12

#: A round that does not shrink the residual by this factor is the last.
PROGRESS = 0.25

#: Shares of the residual, at least and at most, that one round leaves where it is iterative.
FINEST, ROUGH = 1e-12, 1e-8

#: Errors of products that underflow, for all slots of a pair together.
UNDERFLOW = 1e-290

#: Pairs (s, a) that are backed up at a time, so that the temporary arrays stay in the cache.
BLOCK = 8192


@attrs.frozen(kw_only=True, eq=False)
class Refined:
    """The values of a policy, and what they leave unknown.

    Attributes:
        policy: int64 [S].
        values: float64 [S], V to the precision of float64; exactly 0 in terminal states.
        rest: float64 [S], what rounding V to ``values`` left out.
        residual: float64 [S], r + gamma P V - V under the policy.
        advantage: float64 [S, A], V(s) - Q(s, a), with its own sign, each to the precision of
            float64 up to ``rounding``; exactly 0 in terminal states and at the policy's actions.
        rounding: eta of the module's head.
        margin: 1 - gamma, a lower bound; 0 or less where none is known.
        likeliest: int64 [S, A], the likeliest next state of each pair.
    """

    policy: IntArray
    values: FloatArray
    rest: FloatArray
    residual: FloatArray
    advantage: FloatArray
    rounding: float
    margin: float
    likeliest: IntArray

    @property
    def defect(self) -> float:
        """Bound of the Bellman residual of the policy's own equations."""
        return float(np.abs(self.residual).max()) * (1.0 + EPS) + self.rounding

    @property
    def noise(self) -> float:
        """Bound of the error of an advantage as that of the policy itself."""
        return 2.0 * self._over_margin(self.defect) + self.rounding

    @property
    def is_sharp(self) -> bool:
        """Whether each advantage that is not 0 has the digits of a float64, or no more can be."""
        return self.noise <= 4.0 * EPS * self.least or self.defect <= 2.0 * self.rounding

    @functools.cached_property
    def least(self) -> float:
        """The least size of an advantage that is not 0."""
        return float(np.abs(self.advantage).min(where=self.advantage != 0.0, initial=np.inf))

    def value_error(self, counted: BoolArray) -> float:
        """Bound of |V - V*|, where only the actions of a mask [S, A] may replace the policy's."""
        short = float(np.where(counted, -self.advantage, 0.0).max(initial=0.0))
        return self._over_margin(max(self.defect, short * (1.0 + EPS) + self.rounding))

    def gap_error(self, counted: BoolArray) -> float:
        """Bound of the error of each gap, its rounding to float64 aside; see the module's head."""
        return 2.0 * self.value_error(counted) + self.rounding

    def _over_margin(self, residual: float) -> float:
        return residual / self.margin if self.margin > 0.0 else np.inf


def refine(
    mdp: TabularMDP,
    policy: IntArray,
    values: FloatArray,
    discount: float,
    *,
    least: float = 0.0,
) -> Refined:
    """Refine the values [S] of a policy [S]; see the module's head.

    Ends when every gap has the digits of a float64, when nothing but the rounding of the backups
    is left, or when a round does not help.

    Args:
        mdp: the instance.
        policy: int64 [S].
        values: float64 [S], about the policy's.
        discount: gamma.
        least: about the least gap, if known: fewer rounds may then do.
    """
    matrix, backups = kernels.policy_kernel(mdp, policy), _Backups(mdp, discount)
    pair = doubled.of(np.where(mdp.terminal, 0.0, values))
    residual = -backups.advantage(pair, policy)
    refined: Refined | None = None
    for _ in range(MAX_ROUNDS):
        needed = 0.5 * EPS * (1.0 - discount) * least
        step = np.where(mdp.terminal, 0.0, _correction(matrix, residual, discount, needed))
        found = _measured(backups, policy, doubled.plus_number(pair, step))
        if refined is not None and found.defect > PROGRESS * refined.defect:
            return min(refined, found, key=lambda one: one.defect)
        refined, residual, least = found, found.residual, found.least
        pair = Doubled(found.values, found.rest)
        if found.is_sharp:
            break
    assert refined is not None
    return refined


def _correction(
    matrix: kernels.Matrix, residual: FloatArray, discount: float, needed: float
) -> FloatArray:
    """Solution of (I - gamma P) x = residual to some digits; 0 where none is found.

    Iterative solvers end where ``needed`` is left of the residual, or with the digits that they
    can have. It is brought to a size of about one, as they have absolute limits.
    """
    size = float(np.abs(residual).max())
    if size == 0.0:
        return residual
    unit = 2.0 ** float(np.floor(np.log2(size)))
    aim = float(np.clip(needed / size, FINEST, ROUGH))
    try:
        step, _ = kernels.approximate(matrix, residual / unit, discount, aim, ROUGH)
    except (SolverError, np.linalg.LinAlgError):
        return np.zeros(len(residual))
    return unit * step


def _measured(backups: _Backups, policy: IntArray, pair: Doubled) -> Refined:
    """What is known of the values: advantages, and the terms of the error bounds."""
    mdp = backups.mdp
    shape, states = (mdp.n_states, mdp.n_actions), np.arange(mdp.n_states)
    advantage = backups.advantage(pair, None).reshape(shape)
    residual = -advantage[states, policy]
    advantage[states, policy] = 0.0
    n_slots = mdp.probabilities.shape[2]
    largest = float(np.abs(pair.high).max())
    scale = largest + float(np.abs(mdp.mean_rewards).max())
    rounds = float(np.ceil(np.log2(n_slots))) + 9.0
    extra = 2.0 * EPS * float(np.abs(backups.missing).max()) * largest
    return Refined(
        policy=policy,
        values=pair.high,
        rest=pair.low,
        residual=residual,
        advantage=advantage,
        rounding=(rounds * doubled.UNIT * scale + extra) * 1.01 + UNDERFLOW,
        margin=1.0 - backups.discount - EPS,
        likeliest=backups.likeliest.reshape(shape),
    )


class _Backups:
    """Backups of an instance in doubled precision.

    Attributes:
        mdp: the instance.
        discount: gamma.
        likeliest: int64 [S A], the likeliest next state of each pair.
        missing: float64 [S A], what each row of probabilities misses of a sum of 1.
    """

    def __init__(self, mdp: TabularMDP, discount: float) -> None:
        self.mdp, self.discount = mdp, discount
        n_slots = mdp.probabilities.shape[2]
        self._successors = mdp.successors.reshape(-1, n_slots)
        self._probabilities = mdp.probabilities.reshape(-1, n_slots)
        self.missing = rows.missing(self._probabilities)
        self.likeliest = rows.likeliest(self._successors, self._probabilities)

    def advantage(self, values: Doubled, policy: IntArray | None) -> FloatArray:
        """V(s) - r(s, a) - gamma E V of all pairs [S A], or of a policy's [S].

        It is 0 in terminal states.
        """
        states: IntArray = np.arange(self.mdp.n_states)
        pairs: IntArray = np.arange(len(self.missing))
        if policy is None:
            states = np.repeat(states, self.mdp.n_actions)
        else:
            pairs = states * self.mdp.n_actions + policy
        rewards, n_slots = self.mdp.mean_rewards.reshape(-1), self._successors.shape[1]
        means = Means(values, n_slots) if n_slots <= MAX_SLOTS else None
        parts = [np.zeros(0)]
        for start in range(0, len(pairs), BLOCK):
            block = slice(start, start + BLOCK)
            s = states[block]
            part = block if policy is None else pairs[block]  # a slice copies nothing
            mean = self._mean(part, values, means)
            backup = doubled.plus_number(doubled.times_number(mean, self.discount), rewards[part])
            parts.append(doubled.minus(Doubled(values.high[s], values.low[s]), backup).high)
        return np.where(self.mdp.terminal[states], 0.0, np.concatenate(parts))

    def _mean(self, pairs: IntArray | slice, values: Doubled, means: Means | None) -> Doubled:
        """E V of pairs [n], the likeliest next state with what is missing."""
        following, weights = self._successors[pairs], self._probabilities[pairs]
        if means is not None:
            mean = means.of(np.ascontiguousarray(following.T), np.ascontiguousarray(weights.T))
        else:
            later = Doubled(values.high[following], values.low[following])
            mean = doubled.total(doubled.times_number(later, weights))
        likeliest = values.high.take(self.likeliest[pairs])
        return doubled.plus_number(mean, self.missing[pairs] * likeliest)
