"""The exact model of DeepSea with slips, and its optimal return.

States are the cells that can be reached, row by row: cell (row, column), column <= row < N, is
state row (row + 1) / 2 + column. N terminal states follow, one for each column in which the last
move can end: they are row N of the same numbering.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mfbpi_core import TabularMDP
from mfbpi_core.data.arrays import FloatArray, IntArray

#: Reward of a success, before the cost of the move that achieves it.
LARGE_REWARD = 1.0

_RIGHT = 1  # slot of a pair (s, a) for executing right; slot 0 is left


def state_number(row: npt.ArrayLike, column: npt.ArrayLike) -> IntArray:
    """Number of the state of a cell, row 0 to N, elementwise."""
    rows = np.asarray(row, dtype=np.int64)
    return rows * (rows + 1) // 2 + np.asarray(column, dtype=np.int64)


def cells_of(size: int) -> IntArray:
    """Row and column of each state, int64 [S, 2]."""
    rows, columns = np.tril_indices(size)
    ends = np.stack([np.full(size, size), np.arange(size)], axis=1)
    return np.concatenate([np.stack([rows, columns], axis=1), ends]).astype(np.int64)


def deep_sea_mdp(
    right: npt.ArrayLike, slip: float, move_cost: float, *, rewards_last_column: bool
) -> TabularMDP:
    """The model.

    Args:
        right: integers [N, N], the action that means right in each cell.
        slip: probability that the other action is executed, in [0, 1].
        move_cost: cost of executing right, 0 or more.
        rewards_last_column: whether ending the last move in the last column is rewarded (the
            published code), or executing right in the corner cell (bsuite).
    """
    means_right = np.asarray(right)
    n = len(means_right)
    rows, columns = np.tril_indices(n)  # cells [S - N] in the order of their states
    n_acting, n_states = len(rows), len(rows) + n
    to_column = np.stack([np.maximum(columns - 1, 0), np.minimum(columns + 1, n - 1)], axis=1)
    successors = np.zeros((n_states, 2, 2), dtype=np.int64)  # s'[s, a, (left, right)]
    successors[:n_acting] = state_number(rows[:, None] + 1, to_column)[:, None, :]
    chosen_right = means_right[rows, columns][:, None] == np.arange(2)  # [S - N, A]
    goes_right = np.where(chosen_right, 1.0 - slip, slip)
    probabilities = np.zeros((n_states, 2, 2))  # P[s, a, (left, right)]
    probabilities[:n_acting] = np.stack([1.0 - goes_right, goes_right], axis=2)
    from_column = n - 2 if rewards_last_column else n - 1
    succeeds = (rows == n - 1) & (columns >= from_column)
    paid = np.where(succeeds, LARGE_REWARD, 0.0) - move_cost  # for executing right [S - N]
    rewards = np.zeros((n_states, 2, 2))  # r[s, a, (left, right)]
    rewards[:n_acting, :, _RIGHT] = paid[:, None]
    return TabularMDP.from_successors(
        successors,
        probabilities,
        rewards,
        terminal=np.arange(n_states) >= n_acting,
        reward_range=(-move_cost, LARGE_REWARD - move_cost),
    )


def optimal_values(mdp: TabularMDP) -> FloatArray:
    """Largest expected undiscounted return from each state, float64 [S]; exact.

    Every move leads one row down, so that one backward pass over the rows of
    V(s) = max_a r(s, a) + E V(s') solves the Bellman equation.
    """
    values = np.zeros(mdp.n_states)  # V[s]
    n_acting = int(np.count_nonzero(~mdp.terminal))
    last_row = int(mdp.terminal.sum()) - 1
    stop = n_acting
    for row in range(last_row, -1, -1):
        here = slice(stop - row - 1, stop)
        following = np.einsum("sak,sak->sa", mdp.probabilities[here], values[mdp.successors[here]])
        values[here] = (mdp.mean_rewards[here] + following).max(axis=1)
        stop = here.start
    return values
