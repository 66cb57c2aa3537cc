"""Compiled pieces of sampling rules: greedy, forced and weighted choices of an action.

They take tables and uniform numbers, not states of agents and generators: a compiled function of a
library whose cache names a type of a plugin cannot be loaded once that plugin is gone, and a
generator as an argument costs more than all else in a step, see
:mod:`mfbpi_lib_tabular.learning.agent`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mfbpi_lib_tabular.compiled import leaf

#: In place of a uniform number, where exploration is not wanted and none is drawn.
NEVER = 1.0


@leaf
def greedy(values: npt.NDArray[np.float64], s: int) -> int:
    """The first action of largest value in a state; float64 [S, A]."""
    best = 0
    for a in range(1, values.shape[1]):
        if values[s, a] > values[s, best]:
            best = a
    return best


@leaf
def largest(values: npt.NDArray[np.float64], s: int) -> float:
    """The largest value in a state; float64 [S, A]."""
    best = values[s, 0]
    for a in range(1, values.shape[1]):
        best = max(best, values[s, a])
    return best


@leaf
def is_forced(visits: npt.NDArray[np.int64], s: int, least: float, u: float) -> bool:
    """Whether to take a uniform action: true with probability max(least, 1 / N(s)).

    Source: Russo & Proutiere 2023, appendix on the numerical experiments.

    Args:
        visits: int64 [S, A], visits N(s, a) so far; N(s) counts the present visit as well, so that
            the first one is always forced.
        s: the state.
        least: least probability.
        u: a uniform number, or :data:`NEVER`.
    """
    present = 1
    for a in range(visits.shape[1]):
        present += visits[s, a]
    return u < max(least, 1.0 / present)


@leaf
def draw_uniform(n_actions: int, u: float) -> int:
    """An action, each with the same probability, by a uniform number."""
    return min(int(u * n_actions), n_actions - 1)


@leaf
def draw_weighted(weights: npt.NDArray[np.float64], s: int, u: float) -> int:
    """An action in a state with probability in proportion to its weight, by a uniform number.

    Without a positive weight every action is as likely as any other.

    Args:
        weights: float64 [S, A], 0 or more.
        s: the state.
        u: a uniform number.
    """
    total = 0.0
    for a in range(weights.shape[1]):
        total += weights[s, a]
    action = draw_uniform(weights.shape[1], u)
    threshold = u * total
    is_open = total > 0.0
    for a in range(weights.shape[1]):
        weight = weights[s, a]
        if is_open and weight > 0.0:
            action = a  # rounding can leave the threshold above every weight
            is_open = not threshold < weight
            threshold -= weight
    return action
