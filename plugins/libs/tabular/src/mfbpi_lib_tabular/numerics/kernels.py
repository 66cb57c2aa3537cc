"""P of an instance as one matrix, and V = r + gamma P V: dense where S is small, sparse elsewhere.

The sparse solvers are imported where they are needed, so that small instances never pay for scipy.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from mfbpi_core.data.arrays import FloatArray, IntArray
from mfbpi_core.data.mdp import TabularMDP

#: A matrix, dense or one of scipy's sparse ones, which have no types.
Matrix: TypeAlias = Any

#: Instances of at most this many states are solved with dense matrices.
DENSE_STATES = 256


def kernel(mdp: TabularMDP) -> Matrix:
    """P with one row for each pair, [S A, S]: an array, or sparse where S is large."""
    if mdp.n_states <= DENSE_STATES:
        return mdp.transitions.reshape(-1, mdp.n_states)
    from mfbpi_lib_tabular.numerics import linear

    return linear.rows_to_sparse(mdp.successors, mdp.probabilities, mdp.n_states)


def policy_kernel(mdp: TabularMDP, policy: IntArray) -> Matrix:
    """P of a policy [S], [S, S]: an array, or sparse where S is large."""
    own = np.arange(mdp.n_states), policy
    if mdp.n_states <= DENSE_STATES:
        return mdp.transitions[own]
    from mfbpi_lib_tabular.numerics import linear

    successors, weights = mdp.successors[own][:, None], mdp.probabilities[own][:, None]
    return linear.rows_to_sparse(successors, weights, mdp.n_states)


def solve(
    matrix: Matrix, rewards: FloatArray, discount: float, guess: FloatArray | None = None
) -> FloatArray:
    """Solve V = r + gamma P V to the precision of the arithmetic.

    Args:
        matrix: P, an array or a sparse matrix [S, S].
        rewards: r, [S].
        discount: gamma.
        guess: [S], where an iterative method starts.
    """
    if isinstance(matrix, np.ndarray):
        system = matrix * -discount
        system.flat[:: len(rewards) + 1] += 1.0
        return np.linalg.solve(system, rewards).astype(np.float64, copy=False)
    from mfbpi_lib_tabular.numerics import linear

    return linear.solve_discounted(matrix, rewards, discount, guess=guess)


def approximate(
    matrix: Matrix,
    rewards: FloatArray,
    discount: float,
    aim: float,
    enough: float,
    guess: FloatArray | None = None,
) -> tuple[FloatArray, float]:
    """Solve it to some digits, where that saves time.

    Args:
        matrix: P, an array or a sparse matrix [S, S].
        rewards: r, [S].
        discount: gamma.
        aim: the residual, in relation to the largest reward, at which an iterative method ends.
        enough: what it must have reached, or the system is solved to the precision of the
            arithmetic.
        guess: [S], where an iterative method starts.

    Returns:
        V, [S], and its residual in the same relation; 0 where no more than rounding is left.
    """
    if not isinstance(matrix, np.ndarray):
        from mfbpi_lib_tabular.numerics import linear

        values, left = linear.approximate(matrix, rewards, discount, aim, guess=guess)
        if left <= enough:
            return values, left
    return solve(matrix, rewards, discount, guess), 0.0
