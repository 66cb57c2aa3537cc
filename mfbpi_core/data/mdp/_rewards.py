"""Checks of the rewards of a tabular MDP against its probabilities."""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt

from mfbpi_core.data import arrays
from mfbpi_core.data.arrays import BoolArray, FloatArray, entry, first
from mfbpi_core.errors import ModelError, ModelWarning
from mfbpi_core.text import listed

#: Largest size of a reward. Values and their squares stay within float64 then.
LARGEST = 1e100


def declared_range(reward_range: npt.ArrayLike) -> tuple[float, float]:
    """Check the lowest and the highest reward declared."""
    pair = arrays.finite("reward_range", reward_range)
    if pair.shape != (2,) or not pair[0] < pair[1]:
        raise ModelError(f"reward_range is {pair.tolist()}; expected two numbers, low < high")
    return float(pair[0]), float(pair[1])


def checked(
    values: npt.ArrayLike,
    probabilities: FloatArray,
    terminal: BoolArray,
    reward_range: tuple[float, float],
    axes: str,
) -> FloatArray:
    """A fresh, validated array of mean rewards, [S, A] or of the shape of the probabilities.

    Rescaling is never silent: rewards outside the declared range are refused. Rewards of terminal
    states are never paid; that some are not 0 gives a :class:`ModelWarning`.

    Args:
        values: the rewards.
        probabilities: [S, A, X], for the shape, and for which entries count.
        terminal: [S].
        reward_range: low and high.
        axes: what the three axes are called, ``"[S, A, S]"`` or ``"[S, A, K]"``.
    """
    array = arrays.real("rewards", values)
    if array.shape not in (probabilities.shape, probabilities.shape[:2]):
        raise ModelError(_wrong_shape(array.shape, probabilities.shape, axes))
    _require_finite(array, probabilities)
    low, high = reward_range
    outside = _where_paid((array < low) | (array > high), probabilities, terminal)
    if outside.any():
        index = first(outside)
        raise ModelError(
            f"{entry('rewards', index)}: a mean reward of (s={index[0]}, a={index[1]}) is "
            f"{array[index]:.10g}; expected {low:g} to {high:g} "
            "(declare another range with reward_range=(low, high))"
        )
    extreme = _where_paid(np.abs(array) > LARGEST, probabilities, terminal)
    if extreme.any():
        index = first(extreme)
        raise ModelError(
            f"{entry('rewards', index)} is {array[index]:g}; expected a size of at most "
            f"{LARGEST:g}: state the rewards in another unit"
        )
    _warn_of_terminal(array, terminal, axes)
    return array


def _where_paid(wrong: BoolArray, probabilities: FloatArray, terminal: BoolArray) -> BoolArray:
    """A mask of rewards, in place without those that are never paid."""
    if wrong.any():
        wrong[terminal] = False
        if wrong.ndim == 3:
            wrong &= probabilities > 0.0
    return wrong


def _wrong_shape(shape: tuple[int, ...], expected: tuple[int, ...], axes: str) -> str:
    n_states, n_actions, _ = expected
    hint = ""
    if shape == (n_actions, n_states):
        hint = ", which looks like [A, S]: pass R.T"
    elif shape == (n_actions, n_states, expected[2]):
        hint = f", which looks like {axes.replace('S, A', 'A, S', 1)}: pass R.transpose(1, 0, 2)"
    return (
        f"rewards have shape {shape}{hint}; expected [S, A] = {expected[:2]} or {axes} = {expected}"
    )


def _require_finite(array: FloatArray, probabilities: FloatArray) -> None:
    wrong = ~np.isfinite(array)
    if not wrong.any():
        return
    index = first(wrong)
    reason = "expected finite numbers"
    if array.ndim == 3 and probabilities[index] == 0.0:
        reason = (
            "the transition has probability 0, but means are sums over all of them, and 0 times "
            f"{array[index]} is not 0: expected a finite number there too, such as 0"
        )
    raise ModelError(f"{entry('rewards', index)} is {array[index]}; {reason}")


def _warn_of_terminal(array: FloatArray, terminal: BoolArray, axes: str) -> None:
    paid = np.zeros(array.shape, dtype=np.bool_)
    paid[terminal] = array[terminal] != 0.0
    if not paid.any():
        return
    index = first(paid)
    states = np.unique(np.nonzero(paid)[0])
    warnings.warn(
        f"rewards of the terminal state{'s' if len(states) > 1 else ''} {listed(states)} are never "
        f"paid ({entry('rewards', index)} is {array[index]:.6g}): an episode ends on arrival, and "
        "no action is taken there. Put them on the transitions into the state, with rewards "
        f"{axes}, and give 0 for the state itself",
        ModelWarning,
        stacklevel=4,  # who called from_dense or from_successors
    )
