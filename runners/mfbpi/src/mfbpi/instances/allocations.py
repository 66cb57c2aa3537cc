"""Allocations: distributions over the pairs of an instance."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mfbpi_core.data import arrays
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.errors import ModelError, UsageError

#: Entries this little below zero are rounding.
_ROUNDING = 1e-6


def uniform(mdp: TabularMDP) -> npt.NDArray[np.float64]:
    """The same for every pair in which a decision is taken; float64 [S, A]."""
    acting = np.repeat(~mdp.terminal[:, None], mdp.n_actions, axis=1)
    return acting / acting.sum()


def checked(where: str, content: npt.ArrayLike, shape: tuple[int, int]) -> npt.NDArray[np.float64]:
    """An allocation divided by its sum; float64 [S, A].

    Args:
        where: what holds it, for messages.
        content: the numbers.
        shape: (S, A).

    Raises:
        UsageError: naming what holds it, and the entry at fault.
    """
    try:
        weights = arrays.finite("allocation", content)
    except ModelError as error:
        raise UsageError(f"{where}: {error}") from error
    if weights.shape != shape:
        hint = "; it looks like [A, S], so transpose it" if weights.shape == shape[::-1] else ""
        raise UsageError(
            f"{where} holds an array of shape {weights.shape}; expected {shape} = [S, A]{hint}"
        )
    weights[(weights < 0.0) & (weights >= -_ROUNDING)] = 0.0
    if not (weights >= 0.0).all() or not np.isclose(weights.sum(), 1.0):
        least = arrays.first(weights == weights.min())
        raise UsageError(
            f"{where} holds numbers with minimum {weights.min():.3g} and sum {weights.sum():.6g}; "
            "expected a distribution: entries of 0 or more that sum to 1 "
            f"({arrays.entry('allocation', least)} is {weights[least]:.3g})"
        )
    return weights / weights.sum()
