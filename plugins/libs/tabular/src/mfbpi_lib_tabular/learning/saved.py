"""Whether the arrays of a file can be those of an agent.

A file may be anybody's, and compiled code follows the numbers in its arrays without looking: an
action, a state or the number of a member that does not exist leads out of an array and ends the
process, or worse.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mfbpi_core.data.arrays import Array
from mfbpi_core.errors import CheckpointError

#: Lowest and highest number of an array of integers.
Limits = tuple[int, int]

#: Counts beyond this are none: they would overflow before long.
MOST = 2**53

#: Statuses that a solver knows for a variable.
_STATUSES = 5

_COUNTS = (
    *("visits", "transitions", "endings", "starts", "ended"),
    *("clock", "deadline", "marks", "n_solves", "n_failures"),
)
_ACTIONS = ("policy", "explorer", "best")


def known_limits(n_states: int, n_actions: int) -> Mapping[str, Limits]:
    """Limits of the integers that this library's NamedTuples hold, by the last part of a name."""
    return {
        **dict.fromkeys(_COUNTS, (0, MOST)),
        **dict.fromkeys(_ACTIONS, (0, n_actions - 1)),
        "following": (-1, n_states - 1),
        **dict.fromkeys(("columns", "rows"), (0, _STATUSES - 1)),
    }


def check(name: str, own: Array, saved: object, limits: Limits | None) -> Array:
    """A saved array that can take the place of an agent's own.

    Args:
        name: its dotted name.
        own: what a new agent has there.
        saved: out of a file; None where it has none.
        limits: of integers, if there are any.

    Raises:
        CheckpointError: when it is missing, or has another shape, other types of numbers, NaN where
            a new agent has none, or integers outside the limits.
    """
    if not isinstance(saved, np.ndarray) or saved.shape != own.shape:
        found = f"has shape {saved.shape}" if isinstance(saved, np.ndarray) else "is missing"
        raise CheckpointError(
            f"saved array {name!r} {found}; expected shape {own.shape} "
            "(was it saved with another configuration or environment?)"
        )
    if saved.dtype.kind != own.dtype.kind or not np.can_cast(saved.dtype, own.dtype):
        raise CheckpointError(f"saved array {name!r} is of {saved.dtype}; expected {own.dtype}")
    if own.dtype.kind == "f" and np.isnan(saved).any() and not np.isnan(own).any():
        raise CheckpointError(f"saved array {name!r} has entries that are not numbers")
    if own.dtype.kind in "iu" and limits is not None and saved.size:
        low, high = limits
        if saved.min() < low or saved.max() > high:
            raise CheckpointError(
                f"saved array {name!r} has numbers from {saved.min()} to {saved.max()}; "
                f"expected {low} to {high}"
            )
    return saved
