"""Arrays whose axes come in another order than asked for: which order they seem to have."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

#: Orders of axes that turn transition probabilities into [S, A, S], the most usual first.
_ORDERS = ((1, 0, 2), (0, 2, 1), (2, 0, 1), (1, 2, 0), (2, 1, 0))

#: Rows that sum to one within this are probabilities.
_TOLERANCE = 1e-6


def transposed_hint(transitions: npt.NDArray[np.float64]) -> str:
    """What to say of transition probabilities that are not [S, A, S]; empty for no guess.

    An order of axes is guessed where it gives the right shape and rows that sum to one; without
    such an order, the usual [A, S, S] where the shape itself says so.
    """
    shape = transitions.shape
    if len(shape) != 3 or 0 in shape:
        return ""
    fitting = [order for order in _ORDERS if shape[order[0]] == shape[order[2]]]
    sums_to_one = [order for order in fitting if _is_stochastic(transitions.transpose(order))]
    by_shape = [order for order in fitting[:1] if order == _ORDERS[0] and shape[0] != shape[2]]
    for order in sums_to_one or by_shape:
        names = ["", "", ""]
        for place, name in zip(order, ("S", "A", "S"), strict=True):
            names[place] = name
        return f"; it looks like [{', '.join(names)}], so pass P.transpose{order}"
    return ""


def _is_stochastic(rows: npt.NDArray[np.float64]) -> bool:
    with np.errstate(over="ignore", invalid="ignore"):
        close = np.abs(rows.sum(axis=2) - 1.0) <= _TOLERANCE
    return bool(close.all() and (rows >= -_TOLERANCE).all())
