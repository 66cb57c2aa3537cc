"""Checks of the arrays that make a tabular MDP; each returns a fresh, validated copy."""

from __future__ import annotations

import warnings
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt

from mfbpi_core.data import arrays
from mfbpi_core.data.arrays import Array, BoolArray, FloatArray, entry, first
from mfbpi_core.data.mdp._layout import transposed_hint
from mfbpi_core.errors import ModelError, ModelWarning
from mfbpi_core.text import listed

#: Row sums within this distance of one, and entries this little below zero, are rounding.
ROUNDING = 1e-6

_Array = TypeVar("_Array", bound=Array)


def read_only(array: _Array) -> _Array:
    """Mark an array that we own as read-only."""
    array.setflags(write=False)
    return array


def dense_transitions(transitions: npt.ArrayLike) -> FloatArray:
    """Check the shape [S, A, S] of dense transition probabilities."""
    dense = arrays.finite("transitions", transitions)
    if dense.ndim != 3 or dense.shape[0] != dense.shape[2] or 0 in dense.shape:
        raise ModelError(
            f"transitions have shape {dense.shape}; expected [S, A, S] with S, A >= 1"
            f"{transposed_hint(dense)}"
        )
    return dense


def successor_lists(
    successors: npt.ArrayLike, probabilities: npt.ArrayLike
) -> tuple[npt.NDArray[np.int64], FloatArray]:
    """Check shapes [S, A, K] and that every listed state exists."""
    probability_array = arrays.finite("probabilities", probabilities)
    if probability_array.ndim != 3 or 0 in probability_array.shape:
        raise ModelError(
            f"probabilities have shape {probability_array.shape}; expected [S, A, K], all >= 1"
        )
    given = arrays.given("successors", successors)
    if not np.issubdtype(given.dtype, np.integer) or given.shape != probability_array.shape:
        raise ModelError(
            f"successors are {given.dtype} of shape {given.shape}; expected integers of shape "
            f"{probability_array.shape}, like the probabilities"
        )
    n_states, n_actions, _ = probability_array.shape
    outside = (given < 0) | (given >= n_states)
    if outside.any():
        s, a, k = first(outside)
        swapped = n_states < n_actions and given.min() >= 0 and given.max() < n_actions
        raise ModelError(
            f"successors[{s}, {a}, {k}]: successor {k} of (s={s}, a={a}) is state "
            f"{given[s, a, k]}; expected 0 to {n_states - 1}"
            + (" (do they come as [A, S, K]? pass them transposed, (1, 0, 2))" if swapped else "")
        )
    return given.astype(np.int64), probability_array


def rows(name: str, probabilities: FloatArray, terminal: BoolArray) -> FloatArray:
    """Put 0 for rounding below it, in place; refuse negative entries and sums that are not one.

    Rows of terminal states are not used and so not checked.
    """
    acting = ~terminal[:, None]
    negative = probabilities < 0.0
    if negative.any():
        probabilities[negative & (probabilities >= -ROUNDING)] = 0.0
        negative = (probabilities < 0.0) & acting[:, :, None]
    if negative.any():
        s, a, k = first(negative)
        raise ModelError(
            f"{name}[{s}, {a}, {k}]: a transition of (s={s}, a={a}) has probability "
            f"{probabilities[s, a, k]:.6g}; expected 0 or more"
        )
    with np.errstate(over="ignore"):
        sums = probabilities.sum(axis=2)  # [S, A]
    wrong = (np.abs(sums - 1.0) > ROUNDING) & acting
    if wrong.any():
        s, a = first(wrong)
        hint = transposed_hint(probabilities) if name == "transitions" else ""
        raise ModelError(
            f"{name}[{s}, {a}]: the transition probabilities of (s={s}, a={a}) sum to "
            f"{sums[s, a]:.10g}; expected 1{hint}"
        )
    return probabilities


def renormalised(probabilities: FloatArray, terminal: BoolArray) -> FloatArray:
    """Divide each row by its sum, but for those of terminal states."""
    sums = np.where(terminal[:, None], 1.0, probabilities.sum(axis=2))  # [S, A]
    divided: FloatArray = probabilities / sums[:, :, None]
    return divided


def mask(terminal: npt.ArrayLike | None, n_states: int) -> BoolArray:
    """Check the terminal mask [S], of booleans or 0 and 1; one state at least takes decisions."""
    if terminal is None:
        return np.zeros(n_states, dtype=np.bool_)
    array = arrays.given("terminal", terminal)
    if array.dtype.kind not in "biu" or array.shape != (n_states,):
        raise ModelError(
            f"terminal is {array.dtype} of shape {array.shape}; expected a boolean mask of shape "
            f"({n_states},), or integers 0 and 1"
        )
    other = (array != 0) & (array != 1)
    if other.any():
        index = first(other)
        raise ModelError(
            f"{entry('terminal', index)} is {array[index]}; expected a boolean mask, or integers "
            "0 and 1, one for each state"
        )
    if array.all():
        raise ModelError("every state is terminal; expected at least one that takes decisions")
    return array.astype(np.bool_)


def initial(distribution: npt.ArrayLike | None, n_states: int) -> FloatArray:
    """Check the distribution [S] of the first state; state 0 when none is given."""
    if distribution is None:
        start = np.zeros(n_states)
        start[0] = 1.0
        return start
    array = arrays.finite("initial", distribution)
    if array.shape != (n_states,):
        raise ModelError(f"initial has shape {array.shape}; expected ({n_states},)")
    return simplex("initial", array)


def warn_of_ended_start(start: FloatArray, terminal: BoolArray) -> None:
    """Give a :class:`ModelWarning` where episodes can begin in terminal states, naming them."""
    ended = np.flatnonzero(terminal & (start > 0.0))
    if len(ended):
        warnings.warn(
            f"with probability {start[ended].sum():.6g} an episode begins in the terminal state"
            f"{'s' if len(ended) > 1 else ''} {listed(ended)}, where nothing is left to decide; "
            "expected initial to be 0 there (without initial, episodes begin in state 0)",
            ModelWarning,
            stacklevel=3,  # who called from_dense or from_successors
        )


def simplex(name: str, weights: FloatArray) -> FloatArray:
    """Check that an array is one distribution, up to rounding, and divide it by its sum."""
    clipped = np.where((weights < 0.0) & (weights >= -ROUNDING), 0.0, weights)
    with np.errstate(over="ignore"):
        total = float(clipped.sum())
    if (clipped < 0.0).any() or abs(total - 1.0) > ROUNDING:
        least = first(clipped == clipped.min())
        raise ModelError(
            f"{name} has minimum {clipped.min():.6g} and sum {total:.10g}; expected a "
            "distribution: entries of 0 or more that sum to 1 "
            f"({entry(name, least)} is {clipped[least]:.6g})"
        )
    scaled: FloatArray = clipped / total
    return scaled


def reward_law(
    law: str, reward_range: tuple[float, float]
) -> Literal["bernoulli", "deterministic"]:
    """Check the name of the law, and that it can produce rewards of the declared range."""
    name = law if isinstance(law, str) else ""  # an array has no truth value
    if name == "deterministic":
        return "deterministic"
    if name == "bernoulli":
        if reward_range != (0.0, 1.0):
            raise ModelError(
                f"Bernoulli rewards are 0 or 1, but reward_range is {reward_range}; "
                "use reward_law='deterministic' or the range (0, 1)"
            )
        return "bernoulli"
    raise ModelError(f"reward_law is {law!r}; expected 'bernoulli' or 'deterministic'")
