"""Checks of the arrays that make a tabular MDP; each returns a fresh, validated copy."""

from __future__ import annotations

from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from mfbpi_core.errors import ModelError

#: Row sums within this distance of one are rounding, and are renormalised.
ROW_SUM_TOLERANCE = 1e-6

_Array = TypeVar("_Array", bound=npt.NDArray[Any])


def read_only(array: _Array) -> _Array:
    """Mark an array that we own as read-only."""
    array.setflags(write=False)
    return array


def finite(name: str, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Convert to float64 and refuse NaN and infinity, naming the first offending index."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{name} must be an array of numbers ({error})") from error
    if not np.isfinite(array).all():
        index = _first(~np.isfinite(array))
        raise ModelError(f"{name}{list(index)} is {array[index]}; expected finite numbers")
    return array


def dense_transitions(transitions: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Check the shape [S, A, S] of dense transition probabilities."""
    dense = finite("transitions", transitions)
    if dense.ndim != 3 or dense.shape[0] != dense.shape[2] or 0 in dense.shape:
        raise ModelError(f"transitions have shape {dense.shape}; expected [S, A, S] with S, A >= 1")
    return dense


def successor_lists(
    successors: npt.ArrayLike, probabilities: npt.ArrayLike
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Check shapes [S, A, K] and that every listed state exists."""
    probability_array = finite("probabilities", probabilities)
    if probability_array.ndim != 3 or 0 in probability_array.shape:
        raise ModelError(
            f"probabilities have shape {probability_array.shape}; expected [S, A, K], all >= 1"
        )
    given = np.asarray(successors)
    if not np.issubdtype(given.dtype, np.integer) or given.shape != probability_array.shape:
        raise ModelError(
            f"successors are {given.dtype} of shape {given.shape}; expected integers of shape "
            f"{probability_array.shape}, like the probabilities"
        )
    n_states = probability_array.shape[0]
    outside = (given < 0) | (given >= n_states)
    if outside.any():
        s, a, k = _first(outside)
        raise ModelError(
            f"successor {k} of (s={s}, a={a}) is state {given[s, a, k]}; "
            f"expected 0 to {n_states - 1}"
        )
    return given.astype(np.int64), probability_array


def renormalised(
    probabilities: npt.NDArray[np.float64], terminal: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    """Divide each row by its sum; refuse negative entries and sums that are not rounding.

    Rows of terminal states are not used and so not checked.
    """
    acting = ~terminal[:, None]
    negative = (probabilities < 0.0) & acting[:, :, None]
    if negative.any():
        s, a, k = _first(negative)
        raise ModelError(
            f"a transition of (s={s}, a={a}) has probability {probabilities[s, a, k]:.6g}; "
            "expected 0 or more"
        )
    sums = probabilities.sum(axis=2)  # [S, A]
    wrong = (np.abs(sums - 1.0) > ROW_SUM_TOLERANCE) & acting
    if wrong.any():
        s, a = _first(wrong)
        raise ModelError(
            f"the transition probabilities of (s={s}, a={a}) sum to {sums[s, a]:.10g}; expected 1"
        )
    rows: npt.NDArray[np.float64] = probabilities / np.where(acting, sums, 1.0)[:, :, None]
    return rows


def mask(terminal: npt.ArrayLike | None, n_states: int) -> npt.NDArray[np.bool_]:
    """Check the terminal mask [S]; at least one state must take decisions."""
    if terminal is None:
        return np.zeros(n_states, dtype=np.bool_)
    array = np.array(terminal)
    if array.dtype != np.bool_ or array.shape != (n_states,):
        raise ModelError(
            f"terminal is {array.dtype} of shape {array.shape}; expected a boolean mask of shape "
            f"({n_states},)"
        )
    if array.all():
        raise ModelError("every state is terminal; expected at least one that takes decisions")
    return array


def initial(distribution: npt.ArrayLike | None, n_states: int) -> npt.NDArray[np.float64]:
    """Check the distribution [S] of the first state; state 0 when none is given."""
    if distribution is None:
        first = np.zeros(n_states)
        first[0] = 1.0
        return first
    array = finite("initial", distribution)
    if array.shape != (n_states,):
        raise ModelError(f"initial has shape {array.shape}; expected ({n_states},)")
    total = float(array.sum())
    if (array < 0.0).any() or abs(total - 1.0) > ROW_SUM_TOLERANCE:
        raise ModelError(
            f"initial has minimum {array.min():.6g} and sum {total:.10g}; "
            "expected a distribution: entries of 0 or more that sum to 1"
        )
    scaled: npt.NDArray[np.float64] = array / total
    return scaled


def reward_law(
    law: str, reward_range: tuple[float, float]
) -> Literal["bernoulli", "deterministic"]:
    """Check the name of the law, and that it can produce rewards of the declared range."""
    low, high = reward_range
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise ModelError(f"reward_range is ({low}, {high}); expected two numbers, low < high")
    if law == "deterministic":
        return "deterministic"
    if law == "bernoulli":
        if (low, high) != (0.0, 1.0):
            raise ModelError(
                f"Bernoulli rewards are 0 or 1, but reward_range is ({low}, {high}); "
                "use reward_law='deterministic' or the range (0, 1)"
            )
        return "bernoulli"
    raise ModelError(f"reward_law is {law!r}; expected 'bernoulli' or 'deterministic'")


def rewards_in_range(
    rewards: npt.NDArray[np.float64],
    reward_range: tuple[float, float],
    terminal: npt.NDArray[np.bool_],
) -> None:
    """Refuse rewards [S, A, K] outside the declared range; rescaling is never silent."""
    low, high = reward_range
    outside = ((rewards < low) | (rewards > high)) & ~terminal[:, None, None]
    if outside.any():
        s, a, k = _first(outside)
        raise ModelError(
            f"a mean reward of (s={s}, a={a}) is {rewards[s, a, k]:.10g}; expected {low:g} to "
            f"{high:g} (declare another range with reward_range=(low, high))"
        )


def _first(condition: npt.NDArray[np.bool_]) -> tuple[int, ...]:
    """Index of the first true entry."""
    return tuple(int(i) for i in np.argwhere(condition)[0])
