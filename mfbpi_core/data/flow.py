"""Whether a walk follows an allocation: what enters each state leaves it again."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mfbpi_core.data.mdp import TabularMDP

#: What is left of a flow equation by rounding alone.
ROUNDING = 1e-9


def flow_residual(mdp: TabularMDP, allocation: npt.NDArray[np.float64]) -> float:
    """Largest violation of sum_a w(s, a) = sum P(s | s', a') w(s', a').

    An episode that ends goes on from the initial distribution; no time is spent where it ended.

    Args:
        mdp: the instance.
        allocation: w, float64 [S, A].
    """
    weights = np.where(mdp.terminal[:, None], 0.0, allocation)
    moved = (weights[:, :, None] * mdp.probabilities).reshape(-1)
    arrived = np.bincount(mdp.successors.reshape(-1), moved, minlength=mdp.n_states)  # [S]
    if mdp.terminal.any():
        start = np.where(mdp.terminal, 0.0, mdp.initial)  # [S]
        ended = float(arrived[mdp.terminal].sum())
        arrived = np.where(mdp.terminal, 0.0, arrived) + ended * start / (start.sum() or 1.0)
    return float(np.abs(arrived - allocation.sum(axis=1)).max())
