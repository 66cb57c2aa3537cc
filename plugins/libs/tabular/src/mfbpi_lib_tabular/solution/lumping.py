"""Groups of states with provably equal values: a lumping of the optimal policy's chain.

States of one group earn the same reward and lead to the same distribution over groups, so that
their values are equal. Numbers that differ by no more than the rounding of a sum of K terms are
the same number, :func:`sameness`, unless they are so small that all of them could be rounding: 0
and 1e-17 may be meant to differ, or not.
"""

from __future__ import annotations

import numpy as np

from mfbpi_core.data.arrays import FloatArray, IntArray
from mfbpi_core.data.mdp import TabularMDP

#: Values that differ by more than this in relation to their size are not grouped.
NEAR = 1e-9

#: Numbers that differ by more than this in relation to their size are not proven to be the same.
SURE = 1e-6

#: No two numbers differ by more than this in relation to their size.
ANY = 2.0

#: Cap on the rounds in which groups of states are split.
MAX_SPLITS = 50


def sameness(mdp: TabularMDP) -> float:
    """Distance up to which probabilities, or rewards in units of the largest, are the same."""
    return (mdp.probabilities.shape[2] + 4) * float(np.finfo(np.float64).eps)


def residues(mdp: TabularMDP) -> list[str]:
    """The numbers other than 0 that can be what rounding left of a sum such as 1 - .9 - .1.

    Read as they stand or as 0, they give different instances, in one of which actions may tie.
    """
    same = sameness(mdp)
    rare = (mdp.probabilities > 0.0) & (mdp.probabilities <= same) & ~mdp.terminal[:, None, None]
    sizes = np.abs(mdp.mean_rewards)
    small = (sizes > 0.0) & (sizes <= same * sizes.max())
    chances = [
        f"P(s'={mdp.successors[s, a, k]} | s={s}, a={a}) = {mdp.probabilities[s, a, k]:.3g}"
        for s, a, k in np.argwhere(rare)
    ]
    return chances + [
        f"r(s={s}, a={a}) = {mdp.mean_rewards[s, a]:.3g}" for s, a in np.argwhere(small)
    ]


def same_outlook(
    mdp: TabularMDP, groups: IntArray, s: int, a: int, b: int, sure: float = SURE
) -> bool:
    """Whether two actions give the same reward and the same distribution over the groups.

    Args:
        mdp: the instance.
        groups: of states, [S].
        s: the state.
        a: an action.
        b: another one.
        sure: see :data:`SURE`; :data:`ANY` where numbers that can all be rounding are the same.
    """
    same = sameness(mdp)
    largest = float(np.abs(mdp.mean_rewards).max())
    one, other = (mdp.mean_rewards[s, [action]] for action in (a, b))
    if not _are_same(one, other, same * largest, sure):
        return False
    labels = groups[mdp.successors[s, [a, b]]]  # [2, K]
    known, index = np.unique(labels, return_inverse=True)
    rows = index.reshape(labels.shape)
    laws = np.zeros((2, len(known)))  # probability of each group
    np.add.at(laws, (np.array([[0], [1]]), rows), mdp.probabilities[s, [a, b]])
    return _are_same(laws[0], laws[1], same, sure)


def _are_same(one: FloatArray, other: FloatArray, same: float, sure: float) -> bool:
    off = np.abs(one - other)
    size = np.maximum(np.abs(one), np.abs(other))
    return bool((off <= np.minimum(same, sure * size)).all())


def equal_value_groups(
    mdp: TabularMDP, policy: IntArray, values: FloatArray, tolerance: float, sure: float = SURE
) -> IntArray:
    """The groups under a policy [S], as numbers [S]; all states apart if splitting takes too long.

    Starts from states of nearly equal value and splits until nothing changes. Terminal states,
    which are worth nothing whatever their rows say, are one group.

    Args:
        mdp: the instance.
        policy: int64 [S].
        values: float64 [S], the policy's.
        tolerance: largest difference of two values that can be rounding.
        sure: as of :func:`same_outlook`.
    """
    same, chain = sameness(mdp), (np.arange(mdp.n_states), policy)
    groups = np.where(mdp.terminal, -1, _nearly_equal(values, tolerance))
    scale = float(np.abs(mdp.mean_rewards).max()) or 1.0
    rewards = _distinct(mdp.mean_rewards[chain] / scale, same, sure)
    for _ in range(MAX_SPLITS):
        labels, weights = groups[mdp.successors[chain]], mdp.probabilities[chain]
        outlook = _group_distribution(labels, weights, same, sure)
        outlook[mdp.terminal] = 0
        key = np.column_stack([groups, np.where(mdp.terminal, 0, rewards), outlook])
        _, refined = np.unique(key, axis=0, return_inverse=True)
        refined = refined.reshape(-1)
        if refined.max() + 1 == len(np.unique(groups)):
            return groups
        groups = refined
    return np.arange(mdp.n_states)


def _nearly_equal(values: FloatArray, tolerance: float) -> IntArray:
    """Group numbers [S] of values that follow each other in steps within rounding."""
    order = np.argsort(values)
    ordered = values[order]
    # A value that is zero but for rounding is near zero, although not in relation to its size.
    least = float(np.finfo(np.float64).eps) * tolerance
    steps = np.diff(ordered) > np.minimum(tolerance, NEAR * np.abs(ordered[1:]) + least)
    groups = np.empty(len(values), dtype=np.int64)
    groups[order] = np.concatenate([[0], np.cumsum(steps)])
    return groups


def _distinct(numbers: FloatArray, same: float, sure: float) -> IntArray:
    """Numbers as names that are equal exactly where the numbers are the same up to rounding.

    No grid is laid: two numbers on either side of a grid line can be as close as can be.
    """
    known, index = np.unique(numbers, return_inverse=True)
    size = np.maximum(np.abs(known[1:]), np.abs(known[:-1]))
    apart = np.diff(known) > np.minimum(same, sure * size)
    names = np.concatenate([[0], np.cumsum(apart)])
    found: IntArray = names[index].reshape(numbers.shape)
    return found


def _group_distribution(
    labels: IntArray, weights: FloatArray, same: float, sure: float
) -> IntArray:
    """Rows that are equal exactly where the distributions over groups are, [S, 2 K]."""
    order = np.argsort(labels, axis=1, kind="stable")
    labels = np.take_along_axis(labels, order, axis=1)
    weights = np.take_along_axis(weights, order, axis=1)
    merged = np.zeros(weights.shape)  # weight of each group, at the group's first slot
    first = np.ones(labels.shape, dtype=np.bool_)
    first[:, 1:] = labels[:, 1:] != labels[:, :-1]
    slot = np.cumsum(first, axis=1) - 1
    np.add.at(merged, (np.arange(len(labels))[:, None], slot), weights)
    groups = np.full(labels.shape, -2)
    np.put_along_axis(groups, slot, labels, axis=1)
    groups[merged == 0.0] = -2
    names = np.where(groups == -2, -1, _distinct(merged, same, sure))
    order = np.argsort(groups, axis=1, kind="stable")
    return np.hstack([np.take_along_axis(array, order, axis=1) for array in (groups, names)])
