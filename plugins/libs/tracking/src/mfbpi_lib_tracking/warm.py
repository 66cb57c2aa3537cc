"""Where a solver ended and how often it failed, as arrays that a checkpoint can hold.

A solution found from a warm start has the same value as one found from scratch, up to the gap that
is asked for, but need not be the same. A restored agent must start its solver exactly where the
saved one would have.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mfbpi_lib_bounds.solution import Basis, WarmStart


class Warm(NamedTuple):
    """The last solution's part that the next one starts from.

    Attributes:
        known: bool [1], whether there is one.
        x: float64 [1], see :class:`mfbpi_lib_bounds.solution.WarmStart`.
        columns: int8 [S A], status of the pairs.
        rows: int8 [S], status of the flow equations.
        n_solves: int64 [1], how often the solver was asked.
        n_failures: int64 [1], how often it found nothing, or nothing certified.
    """

    known: npt.NDArray[np.bool_]
    x: npt.NDArray[np.float64]
    columns: npt.NDArray[np.int8]
    rows: npt.NDArray[np.int8]
    n_solves: npt.NDArray[np.int64]
    n_failures: npt.NDArray[np.int64]

    @classmethod
    def none(cls, n_states: int, n_actions: int) -> Warm:
        """Nothing solved yet."""
        return cls(
            known=np.zeros(1, dtype=np.bool_),
            x=np.zeros(1),
            columns=np.zeros(n_states * n_actions, dtype=np.int8),
            rows=np.zeros(n_states, dtype=np.int8),
            n_solves=np.zeros(1, dtype=np.int64),
            n_failures=np.zeros(1, dtype=np.int64),
        )


def keep(warm: Warm, end: WarmStart) -> None:
    """Remember where a solver ended, in place."""
    warm.known[0] = end.basis is not None
    warm.x[0] = end.x
    if end.basis is not None:
        warm.columns[:] = end.basis.columns
        warm.rows[:] = end.basis.rows


def resume(warm: Warm) -> WarmStart | None:
    """Where to start from, if the solver has ended somewhere."""
    if not warm.known[0]:
        return None
    basis = Basis(columns=warm.columns.copy(), rows=warm.rows.copy())
    return WarmStart(x=float(warm.x[0]), basis=basis)
