"""The intrinsic reward of FW-BPI: how much one more visit of a pair narrows the widest margins."""

from __future__ import annotations

import numpy as np

from mfbpi_agent_fw_bpi.widths import Units, widths
from mfbpi_core.data.arrays import BoolArray, FloatArray
from mfbpi_lib_tabular.learning.posterior import Counts, Estimate
from mfbpi_lib_tabular.solution.planning import Plan

TINY = float(np.finfo(np.float64).tiny)


def intrinsic_rewards(
    counts: Counts,
    model: Estimate,
    plan: Plan,
    live: BoolArray,
    units: Units,
    *,
    sharpness: float,
    tie_share: float,
) -> FloatArray:
    """The reward of each pair, float64 [S, A], at most 1; the formulas are in the agent's module.

    Args:
        counts: the transitions seen.
        model: the empirical model, P and r.
        plan: pi, V and Q of it.
        live: bool [S], states at which something is decided.
        units: numbers of the run.
        sharpness: power of f_i / max f.
        tie_share: gaps below this share of U_i are taken for it.
    """
    n_states, n_actions = model.rewards.shape
    own = np.arange(n_states) * n_actions + plan.policy  # [S], numbers of the pairs (z, pi(z))
    rows = model.transitions.reshape(-1, n_states)  # P[j, s']
    resolvent = np.linalg.inv(np.eye(n_states) - units.discount * rows[own])  # G
    kappa = units.discount * rows @ resolvent  # [S A, S]
    kappa.reshape(n_states, n_actions, n_states)[...] -= resolvent[:, None, :]
    np.abs(kappa, out=kappa)
    found = widths(counts, np.where(live, plan.values, 0.0), live, units)
    width, shrinkage = found.width, found.shrinkage
    total = width + kappa @ width[own]  # U
    gaps = (plan.values[:, None] - plan.q_values).reshape(-1)
    rivals = np.repeat(live, n_actions)
    rivals[own] = False
    weights = _weights(total, gaps, rivals, sharpness, tie_share)  # lambda
    if not rivals.any():
        weights[own] = live  # a single action: what is left is to learn its values
    rewards = weights * shrinkage
    rewards[own] += shrinkage[own] * (weights @ kappa)
    return (rewards / max(rewards.max(), TINY)).reshape(n_states, n_actions)


def _weights(
    total: FloatArray, gaps: FloatArray, rivals: BoolArray, sharpness: float, tie_share: float
) -> FloatArray:
    """lambda, float64 [S A]: how much the margin of each pair counts; 0 unless it is a rival."""
    scale = np.maximum(np.maximum(gaps, tie_share * total), TINY)  # d
    urgency = np.where(rivals, total / scale, 0.0)  # f
    return (urgency / max(urgency.max(), TINY)) ** sharpness / scale * rivals
