"""Planning in a large model whose walks forget quickly where they began, such as one drawn.

A policy is evaluated by repeated backups. Each is followed by a step along the constants, the one
direction in which backups converge slowly (factor gamma) whatever the model: what is left converges
as the walk mixes. Where that takes too long the equations are solved, as for any other model. The
end is that of policy iteration: no action is better by more than can be told.
"""

from __future__ import annotations

import numpy as np

from mfbpi_core.data.arrays import FloatArray, IntArray
from mfbpi_lib_tabular.numerics import kernels
from mfbpi_lib_tabular.solution.planning import solve_arrays

#: Backups of an evaluation before the equations are solved instead.
BACKUPS = 60

#: An evaluation has converged when a backup changes no value by more, relative to the largest.
RELATIVE = 1e-13


def solve(
    transitions: FloatArray,
    rewards: FloatArray,
    discount: float,
    policy: IntArray,
    values: FloatArray,
) -> tuple[IntArray, FloatArray]:
    """An optimal policy [S] and its values [S].

    Args:
        transitions: float64 [S, A, S]; rows may sum to less than one where the task can end.
        rewards: float64 [S, A].
        discount: gamma.
        policy: int64 [S], from which planning starts; on it and on the values only time depends.
        values: float64 [S].
    """
    plan = solve_arrays(transitions, rewards, discount, policy, values=values, evaluate=evaluate)
    return plan.policy, plan.values


def evaluate(
    matrix: FloatArray, rewards: FloatArray, discount: float, values: FloatArray
) -> tuple[FloatArray, float]:
    """The values [S] of a walk P [S, S], and a bound of their error beyond rounding.

    Args:
        matrix: P.
        rewards: r, [S].
        discount: gamma.
        values: [S], where to start.
    """
    for _ in range(BACKUPS):
        backed = rewards + discount * (matrix @ values)
        steps = backed - values
        change = float(np.abs(steps).max())
        if change <= RELATIVE * float(np.abs(backed).max()):
            return backed, discount / (1.0 - discount) * change
        values = backed + discount / (1.0 - discount) * float(steps.mean())
    return kernels.solve(matrix, rewards, discount), 0.0
