"""Sub-optimality gaps, and which of them are zero.

The values are refined (:mod:`mfbpi_lib_tabular.solution.refinement`), so that gaps far below the
rounding of the values are known. The data of an instance are rounded too, though: two actions that
tie in the model as it was written can differ by 1e-16 in the model as it is stored. A gap that the
rounding of the data can explain is therefore looked at more closely, and is one of three things. A
*tie*: the two actions provably have the same value in the numbers that the data stand for, either
because both give the same reward and the same distribution over groups of states between which the
optimal policy makes no difference (:mod:`mfbpi_lib_tabular.solution.lumping`), or by exact
arithmetic (:mod:`mfbpi_lib_tabular.solution.exactness`). A *gap*, small but proven not to be zero
and known to several digits. Or *unresolved*: neither could be proven, as in a chain of thousands of
states far from its rewards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs
import numpy as np

from mfbpi_core.data.arrays import BoolArray, FloatArray, IntArray
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.errors import SolverError
from mfbpi_lib_tabular.solution import exactness, lumping, refinement
from mfbpi_lib_tabular.solution.planning import Plan, check_discount, rounding
from mfbpi_lib_tabular.solution.refinement import Refined
from mfbpi_lib_tabular.solution.spread import Spread

Pair = tuple[int, int]

#: Cap on the policies that are refined; each is better than the last.
MAX_POLICIES = 100


@attrs.frozen(kw_only=True, eq=False)
class Separation:
    """Which actions are optimal, and by how much the others fall short.

    Attributes:
        policy: int64 [S], optimal: the plan's, unless the refined values showed a better one.
        values: float64 [S], V*, exactly 0 in terminal states.
        rest: float64 [S], what rounding V* to ``values`` left out.
        gaps: float64 [S, A], Delta(s, a), 0 or more; exactly 0 for ties and the policy's actions.
        value_error: bound of the error of values + rest.
        gap_error: bound of the error of each gap, but for its last rounding to float64; of ties as
            gaps of the numbers that the data stand for.
        tie_error: largest gap of a tie in the stored numbers, which its 0 leaves out.
        optimal: bool [S, A], the policy's actions, ties and unresolved pairs; every action of a
            terminal state.
        tolerance: largest gap that can be zero up to the rounding of the data.
        ties: pairs (s, a) beside the policy's own action that are provably optimal too.
        unresolved: pairs of which it is not known whether the gap is zero.
        likeliest: int64 [S, A], the likeliest next state of each pair.
    """

    policy: IntArray
    values: FloatArray
    rest: FloatArray
    gaps: FloatArray
    value_error: float
    gap_error: float
    tie_error: float
    optimal: BoolArray
    tolerance: float
    ties: list[Pair]
    unresolved: list[Pair]
    likeliest: IntArray

    def spread(self, mdp: TabularMDP) -> Spread:
        """Variances, spans and moments of V* at the next state of each pair."""
        return Spread(
            mdp=mdp,
            values=self.values,
            rest=self.rest,
            value_error=self.value_error,
            likeliest=self.likeliest,
        )


def gaps(plan: Plan) -> FloatArray:
    """Delta(s, a) = V*(s) - Q*(s, a), float64 [S, A]; exactly 0 for the plan's own actions."""
    delta: FloatArray = np.maximum(plan.values[:, None] - plan.q_values, 0.0)
    delta[np.arange(len(plan.policy)), plan.policy] = 0.0
    return delta


def policy_mask(policy: IntArray, n_actions: int) -> BoolArray:
    """Bool [S, A], true at (s, policy[s])."""
    mask: BoolArray = np.arange(n_actions)[None, :] == policy[:, None]
    return mask


def delta_min(delta: FloatArray, optimal: BoolArray) -> float:
    """Smallest gap [S, A] outside the mask ``optimal`` [S, A]; ``inf`` if nothing is outside.

    With the mask of one policy a tie gives 0; with the mask of all optimal actions it does not.
    """
    return float(delta[~optimal].min(initial=np.inf))


def separate(mdp: TabularMDP, plan: Plan, discount: float) -> Separation:
    """Sort the pairs into optimal, tied, unresolved and (all others) sub-optimal."""
    gamma = check_discount(discount)
    policy, values, least = plan.policy, plan.values, _least(plan)
    for _ in range(MAX_POLICIES):
        refined = refinement.refine(mdp, policy, values, gamma, least=least)
        sorting = _Sorting(mdp, refined, gamma)
        improved = sorting.improved()
        if np.array_equal(improved, policy):
            return sorting.separation()
        policy, values, least = improved, refined.values, refined.least
    raise SolverError(
        f"refining the plan did not end within {MAX_POLICIES} policies; expected fewer: "
        "move the discount away from 1"
    )


def _least(plan: Plan) -> float:
    """The least gap that is not 0, as far as the plan knows."""
    found = gaps(plan)
    return float(found.min(where=found > 0.0, initial=np.inf))


class _Sorting:
    """The pairs of an instance whose gap the rounding of the data can explain, and what they are.

    Attributes:
        tied: bool [S, A], provably of the same value as the policy's own action.
        open: bool [S, A], neither proven to tie nor proven to differ.
    """

    def __init__(self, mdp: TabularMDP, refined: Refined, gamma: float) -> None:
        self.mdp, self.refined = mdp, refined
        own = policy_mask(refined.policy, mdp.n_actions)
        self.others = ~own & ~mdp.terminal[:, None]
        self.tolerance = rounding(refined.values, gamma, mdp.probabilities.shape[2])
        doubtful = self.others & (np.abs(refined.advantage) <= self.tolerance)
        self.tied, self.open = self._proven(np.argwhere(doubtful), gamma)

    def improved(self) -> IntArray:
        """The policy, with each action replaced that is certainly worse than another."""
        advantage = np.where(self.others & ~self.tied, self.refined.advantage, 0.0)
        best = advantage.argmin(axis=1)
        states = np.arange(len(best))
        worse = advantage[states, best] < -self.refined.noise
        return np.where(worse, best, self.refined.policy)

    def separation(self) -> Separation:
        """The result, for a policy that cannot be improved."""
        counted = self.others & ~self.tied
        found = np.maximum(self.refined.advantage, 0.0)
        found[self.tied] = 0.0
        small = found <= self.refined.gap_error(counted)
        unresolved = self.others & (self.open | (small & ~self.tied))
        # As stored, one of several tied actions is better by a rounding of the data: the values
        # and gaps are no better known than that, although it makes no gap of a tie.
        error = self.refined.gap_error(self.others)
        return Separation(
            policy=self.refined.policy,
            values=self.refined.values,
            rest=self.refined.rest,
            gaps=found,
            value_error=self.refined.value_error(self.others),
            gap_error=error,
            tie_error=float(np.abs(self.refined.advantage[self.tied]).max(initial=0.0)),
            optimal=~counted | unresolved,
            tolerance=max(self.tolerance, error),
            ties=_listed(self.tied),
            unresolved=_listed(unresolved),
            likeliest=self.refined.likeliest,
        )

    def _proven(self, doubtful: IntArray, gamma: float) -> tuple[BoolArray, BoolArray]:
        """The masks ``tied`` and ``open`` [S, A] of doubtful pairs [n, 2]."""
        tied, undecided = np.zeros((2, *self.others.shape), dtype=np.bool_)
        if len(doubtful) == 0:
            return tied, undecided
        remaining: list[Pair] = []
        for (s, a), tie in zip(doubtful.tolist(), self._alike(doubtful, lumping.SURE), strict=True):
            tied[s, a] = tie
            if not tie:
                remaining.append((s, a))
        verdict = exactness.compare(self.mdp, self.refined.policy, gamma, remaining)
        # What differs by numbers that can all be rounding is no tie, and proven to differ neither.
        alike = self._alike(remaining, lumping.ANY) if verdict.different.any() else verdict.equal
        for (s, a), equal, different, blurred in zip(remaining, *verdict, alike, strict=True):
            tied[s, a], undecided[s, a] = equal, not equal and (blurred or not different)
        return tied, undecided

    def _alike(self, pairs: Iterable[Sequence[int]], sure: float) -> list[bool]:
        """Whether each pair looks the same as the policy's action; see :mod:`.lumping`."""
        mdp, policy, values = self.mdp, self.refined.policy, self.refined.values
        groups = lumping.equal_value_groups(mdp, policy, values, self.tolerance, sure)
        return [lumping.same_outlook(mdp, groups, s, a, int(policy[s]), sure) for s, a in pairs]


def _listed(mask: BoolArray) -> list[Pair]:
    return [(int(s), int(a)) for s, a in np.argwhere(mask)]
