"""Groups of states with provably equal values: a lumping of the optimal policy's chain.

States of one group earn the same reward and lead to the same distribution over groups, so that
their values are equal. Numbers that differ by no more than the rounding of a sum of K terms are
the same number: :func:`sameness`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mfbpi_core.data.mdp import TabularMDP

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

#: Values that differ by more than this in relation to their size are not grouped.
NEAR = 1e-9

#: Cap on the rounds in which groups of states are split.
MAX_SPLITS = 50


def sameness(mdp: TabularMDP) -> float:
    """Distance up to which probabilities, or rewards in units of the largest, are the same."""
    return (mdp.probabilities.shape[2] + 4) * float(np.finfo(np.float64).eps)


def same_outlook(mdp: TabularMDP, groups: IntArray, s: int, a: int, b: int) -> bool:
    """Whether two actions give the same reward and the same distribution over the groups."""
    same = sameness(mdp)
    largest = float(np.abs(mdp.mean_rewards).max())
    if abs(mdp.mean_rewards[s, a] - mdp.mean_rewards[s, b]) > same * largest:
        return False
    labels = groups[mdp.successors[s, [a, b]]]  # [2, K]
    weights = mdp.probabilities[s, [a, b]] * np.array([[1.0], [-1.0]])
    _, index = np.unique(labels.reshape(-1), return_inverse=True)
    return bool(np.abs(np.bincount(index, weights.reshape(-1))).max() <= same)


def equal_value_groups(
    mdp: TabularMDP, policy: IntArray, values: FloatArray, tolerance: float
) -> IntArray:
    """The groups under a policy [S], as numbers [S]; all states apart if splitting takes too long.

    Starts from states of nearly equal value and splits until nothing changes. Terminal states,
    which are worth nothing whatever their rows say, are one group.

    Args:
        mdp: the instance.
        policy: int64 [S].
        values: float64 [S], the policy's.
        tolerance: largest difference of two values that can be rounding.
    """
    same, chain = sameness(mdp), (np.arange(mdp.n_states), policy)
    groups = np.where(mdp.terminal, -1, _nearly_equal(values, tolerance))
    scale = float(np.abs(mdp.mean_rewards).max()) or 1.0
    rewards = _distinct(mdp.mean_rewards[chain] / scale, same)
    for _ in range(MAX_SPLITS):
        outlook = _group_distribution(groups[mdp.successors[chain]], mdp.probabilities[chain], same)
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


def _distinct(numbers: FloatArray, same: float) -> IntArray:
    """Numbers as names that are equal exactly where the numbers are the same up to rounding.

    No grid is laid: two numbers on either side of a grid line can be as close as can be.
    """
    known, index = np.unique(numbers, return_inverse=True)
    names = np.concatenate([[0], np.cumsum(np.diff(known) > same)])
    found: IntArray = names[index].reshape(numbers.shape)
    return found


def _group_distribution(labels: IntArray, weights: FloatArray, same: float) -> IntArray:
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
    names = np.where(groups == -2, -1, _distinct(merged, same))
    order = np.argsort(groups, axis=1, kind="stable")
    return np.hstack([np.take_along_axis(array, order, axis=1) for array in (groups, names)])
