"""How far a model is from what was observed: visits by relative entropies, of each pair."""

from __future__ import annotations

import numpy as np

from mfbpi_core import TabularMDP
from mfbpi_core.data.arrays import FloatArray
from mfbpi_lib_confidence.evidence import Evidence


def divergences(evidence: Evidence, mdp: TabularMDP) -> tuple[FloatArray, FloatArray]:
    """n KL and n kl of a model from what was observed, float64 [S A] each; 0 without visits."""
    rows = mdp.transitions.reshape(evidence.n_pairs, -1)
    rows = np.hstack([rows, 1.0 - rows.sum(axis=1, keepdims=True)])[:, : evidence.n_outcomes]
    likely = rows[evidence.rows, evidence.outcomes]
    laws = np.zeros(evidence.n_pairs)
    with np.errstate(divide="ignore"):
        np.add.at(laws, evidence.rows, evidence.counts * np.log(evidence.frequencies / likely))
    low, high = evidence.reward_range
    visits = evidence.visits.reshape(-1).astype(np.float64)
    ones = evidence.scaled_rewards.reshape(-1)
    mean = np.clip((mdp.mean_rewards.reshape(-1) - low) / (high - low), 0.0, 1.0)
    paid = _spent(ones, visits, mean) + _spent(visits - ones, visits, 1.0 - mean)
    return laws, np.where(evidence.live, paid, 0.0)


def _spent(seen: FloatArray, visits: FloatArray, share: FloatArray) -> FloatArray:
    """seen log(seen / (visits share)), 0 where nothing was seen."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = seen * np.log(seen / (visits * share))
    return np.where(seen > 0.0, found, 0.0)
