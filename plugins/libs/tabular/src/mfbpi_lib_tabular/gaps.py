"""Sub-optimality gaps, and which of them floating point can tell from zero.

A computed gap that rounding explains is one of two things. A *tie*: the action provably has the
same value as the optimal one, because both give the same reward and the same distribution over
groups of states between which the optimal policy makes no difference. Or *unresolved*: the gap
may be zero, or positive and too small for double precision, as in a long chain far from its
rewards.
"""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core.mdp import TabularMDP
from mfbpi_lib_tabular.planning import Plan, action_values, check_discount, rounding

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
Pair = tuple[int, int]

#: Rewards and probabilities that differ by no more than this are the same number.
SAME = 1e-12

#: Values that differ by more than this in relation to their size are not grouped.
NEAR = 1e-9

#: Cap on the rounds in which groups of states are split.
MAX_SPLITS = 50


@attrs.frozen(kw_only=True, eq=False)
class Separation:
    """Which actions are optimal, as far as floating point can tell.

    Attributes:
        gaps: float64 [S, A], Delta(s, a), 0 or more.
        optimal: bool [S, A], gaps that the tolerance explains; every action of a terminal state.
        tolerance: largest gap that can be zero up to rounding.
        ties: pairs (s, a) beside the plan's own action that are provably optimal too.
        unresolved: pairs whose gap is zero or too small to be told from zero.
    """

    gaps: FloatArray
    optimal: BoolArray
    tolerance: float
    ties: list[Pair]
    unresolved: list[Pair]


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


def delta_max(delta: FloatArray) -> float:
    """Largest gap of [S, A]."""
    return float(delta.max())


def gap_tolerance(mdp: TabularMDP, plan: Plan, discount: float) -> float:
    """Largest computed gap that can be zero.

    The Bellman residual over 1 - gamma bounds the error of the values; rounding of the backups
    adds :func:`mfbpi_lib_tabular.planning.rounding`.
    """
    gamma = check_discount(discount)
    backup = action_values(mdp, plan.values, gamma).max(axis=1)
    residual = float(np.abs(backup - plan.values).max())
    n_slots = mdp.probabilities.shape[2]
    return 2.0 * residual / (1.0 - gamma) + rounding(plan.values, gamma, n_slots)


def optimal_actions(
    mdp: TabularMDP, plan: Plan, discount: float, tolerance: float | None = None
) -> BoolArray:
    """Every action that is optimal up to the tolerance, bool [S, A].

    Args:
        mdp: the instance.
        plan: its optimal values.
        discount: gamma, in (0, 1).
        tolerance: largest gap that counts as zero; what rounding explains if omitted.
    """
    allowed = gap_tolerance(mdp, plan, discount) if tolerance is None else tolerance
    optimal: BoolArray = (gaps(plan) <= allowed) | mdp.terminal[:, None]
    return optimal


def separate(mdp: TabularMDP, plan: Plan, discount: float) -> Separation:
    """Sort the pairs into optimal, tied, unresolved and (all others) sub-optimal."""
    tolerance = gap_tolerance(mdp, plan, discount)
    optimal = optimal_actions(mdp, plan, discount, tolerance)
    own = policy_mask(plan.policy, mdp.n_actions)
    doubtful = np.argwhere(optimal & ~own & ~mdp.terminal[:, None])
    groups = _equal_value_groups(mdp, plan, tolerance) if len(doubtful) else plan.policy
    ties: list[Pair] = []
    unresolved: list[Pair] = []
    for s, a in doubtful.tolist():
        same = _same_outlook(mdp, groups, s, a, int(plan.policy[s]))
        (ties if same else unresolved).append((s, a))
    return Separation(
        gaps=gaps(plan), optimal=optimal, tolerance=tolerance, ties=ties, unresolved=unresolved
    )


def ties(mdp: TabularMDP, plan: Plan, discount: float) -> list[Pair]:
    """Pairs (s, a) beside the plan's own actions that are provably optimal too."""
    return separate(mdp, plan, discount).ties


def _same_outlook(mdp: TabularMDP, groups: IntArray, s: int, a: int, b: int) -> bool:
    """Whether two actions give the same reward and the same distribution over the groups."""
    if abs(mdp.mean_rewards[s, a] - mdp.mean_rewards[s, b]) > SAME:
        return False
    labels = groups[mdp.successors[s, [a, b]]]  # [2, K]
    weights = mdp.probabilities[s, [a, b]] * np.array([[1.0], [-1.0]])
    _, index = np.unique(labels.reshape(-1), return_inverse=True)
    return bool(np.abs(np.bincount(index, weights.reshape(-1))).max() <= SAME)


def _equal_value_groups(mdp: TabularMDP, plan: Plan, tolerance: float) -> IntArray:
    """Groups of states with provably equal values: a lumping of the optimal policy's chain.

    States of one group earn the same reward and lead to the same distribution over groups, so
    their values are equal. Starts from states of nearly equal computed value and splits until
    nothing changes; if that takes too long, every state is a group of its own. [S] group numbers.
    """
    groups = _nearly_equal(plan.values, tolerance)
    chain = np.arange(mdp.n_states), plan.policy
    rewards = _rounded(mdp.mean_rewards[chain])[:, None]
    for _ in range(MAX_SPLITS):
        outlook = _group_distribution(groups[mdp.successors[chain]], mdp.probabilities[chain])
        key = np.hstack([groups[:, None], rewards, outlook])
        _, refined = np.unique(key, axis=0, return_inverse=True)
        if refined.max() == groups.max():
            return groups
        groups = refined.reshape(-1)
    return np.arange(mdp.n_states)


def _nearly_equal(values: FloatArray, tolerance: float) -> IntArray:
    """Group numbers [S] of values that follow each other in steps within rounding."""
    order = np.argsort(values)
    ordered = values[order]
    steps = np.diff(ordered) > np.minimum(tolerance, NEAR * np.abs(ordered[1:]))
    groups = np.empty(len(values), dtype=np.int64)
    groups[order] = np.concatenate([[0], np.cumsum(steps)])
    return groups


def _group_distribution(labels: IntArray, weights: FloatArray) -> FloatArray:
    """Rows that are equal exactly where the distributions over groups are, [S, 2 K]."""
    order = np.argsort(labels, axis=1, kind="stable")
    labels = np.take_along_axis(labels, order, axis=1)
    weights = np.take_along_axis(weights, order, axis=1)
    merged = np.zeros(weights.shape)  # weight of each group, at the group's first slot
    first = np.ones(labels.shape, dtype=np.bool_)
    first[:, 1:] = labels[:, 1:] != labels[:, :-1]
    slot = np.cumsum(first, axis=1) - 1
    np.add.at(merged, (np.arange(len(labels))[:, None], slot), weights)
    names = np.full(labels.shape, -1)
    np.put_along_axis(names, slot, labels, axis=1)
    merged = _rounded(merged)
    names[merged == 0.0] = -1
    return _sorted_by_name(names, merged)


def _sorted_by_name(names: IntArray, weights: FloatArray) -> FloatArray:
    """Names and weights side by side, each row in the order of its names."""
    order = np.argsort(names, axis=1, kind="stable")
    rows = [np.take_along_axis(array, order, axis=1) for array in (names, weights)]
    return np.hstack([array.astype(np.float64) for array in rows])


def _rounded(numbers: FloatArray) -> FloatArray:
    """Numbers without the digits that rounding of the data may have changed."""
    digits = round(-np.log10(SAME))
    return np.round(numbers, digits)
