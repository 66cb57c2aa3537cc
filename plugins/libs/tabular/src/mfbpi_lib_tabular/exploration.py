"""Compiled pieces of sampling rules: greedy, forced and weighted choices of an action.

They take rows of tables, not states of agents: numba copies a NamedTuple at every call that it
does not inline, and a compiled function whose cache names a type of a plugin cannot be loaded once
that plugin is gone.
"""

from __future__ import annotations

import numba
import numpy as np
import numpy.typing as npt


@numba.njit(cache=True)
def greedy(values: npt.NDArray[np.float64]) -> int:
    """The first action of largest value; float64 [A]."""
    best = 0
    for a in range(1, values.size):
        if values[a] > values[best]:
            best = a
    return best


@numba.njit(cache=True)
def is_forced(visits: npt.NDArray[np.int64], least: float, rng: np.random.Generator) -> bool:
    """Whether to take a uniform action: true with probability max(least, 1 / N(s)).

    Source: Russo & Proutiere 2023, appendix on the numerical experiments.

    Args:
        visits: int64 [A], visits N(s, .) so far; N(s) counts the present visit as well, so that
            the first one is always forced.
        least: least probability; 0 for never, whatever N(s).
        rng: the agent's generator; one number is drawn unless ``least`` is 0.
    """
    if least <= 0.0:
        return False
    return rng.random() < max(least, 1.0 / (visits.sum() + 1))


@numba.njit(cache=True)
def draw_uniform(n_actions: int, rng: np.random.Generator) -> int:
    """An action, each with the same probability."""
    return min(int(rng.random() * n_actions), n_actions - 1)


@numba.njit(cache=True)
def draw_weighted(weights: npt.NDArray[np.float64], rng: np.random.Generator) -> int:
    """An action with probability in proportion to its weight; float64 [A], 0 or more.

    Without a positive weight every action is as likely as any other.
    """
    total = weights.sum()
    if not total > 0.0:
        return draw_uniform(weights.size, rng)
    threshold = rng.random() * total
    last = 0
    for a in range(weights.size):
        if weights[a] > 0.0:
            if threshold < weights[a]:
                return a
            threshold -= weights[a]
            last = a  # rounding can leave the threshold above every weight
    return last


# Inlined: a call would cost a twentieth of a step of Q-learning.
@numba.njit(cache=True, inline="always")
def greedy_or_forced(
    values: npt.NDArray[np.float64],
    visits: npt.NDArray[np.int64],
    least: float,
    rng: np.random.Generator,
) -> int:
    """The first action of largest value; float64 [A]. Uniform where :func:`is_forced` says so."""
    if is_forced(visits, least, rng):
        return draw_uniform(values.size, rng)
    return greedy(values)


@numba.njit(cache=True, inline="always")
def weighted_or_forced(
    weights: npt.NDArray[np.float64],
    visits: npt.NDArray[np.int64],
    least: float,
    rng: np.random.Generator,
) -> int:
    """An action by its weight; float64 [A]. Uniform where :func:`is_forced` says so."""
    if is_forced(visits, least, rng):
        return draw_uniform(weights.size, rng)
    return draw_weighted(weights, rng)
