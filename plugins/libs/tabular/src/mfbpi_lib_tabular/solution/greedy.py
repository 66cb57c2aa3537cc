"""The best actions for values of pairs, and when one replaces another."""

from __future__ import annotations

import numpy as np

from mfbpi_core.data.arrays import FloatArray, IntArray

#: Up to so many actions of so many states or more the best are found action by action, which takes
#: less time than numpy's search along a short axis.
FEW_ACTIONS, MANY_STATES = 8, 1000


def best(q_values: FloatArray) -> tuple[IntArray, FloatArray]:
    """The first best action in each state, [S], and its value, of values [S, A]."""
    n_states, n_actions = q_values.shape
    if n_actions > FEW_ACTIONS or n_states < MANY_STATES:
        actions = q_values.argmax(axis=1)
        return actions, q_values[np.arange(n_states), actions]
    actions, most = np.zeros(n_states, dtype=np.int8), q_values[:, 0].copy()
    for action in range(1, n_actions):
        column = np.ascontiguousarray(q_values[:, action])
        # A later action is a larger number: without a choice, which is slow where it is random.
        np.maximum(actions, np.int8(action) * (column > most).view(np.int8), out=actions)
        np.maximum(most, column, out=most)
    return actions.astype(np.int64), most


def improve(q_values: FloatArray, policy: IntArray, tolerance: float) -> IntArray:
    """The greedy policy, keeping every action that is within the tolerance of the best."""
    actions, most = best(q_values)
    gain = most - q_values[np.arange(len(policy)), policy]
    return np.where(gain > tolerance, actions, policy)
