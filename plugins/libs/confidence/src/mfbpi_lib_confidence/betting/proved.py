"""An evaluation by bets as a certificate: the box, and the counts at the checks of the bets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core.data.arrays import FloatArray
from mfbpi_lib_certificates.certificate import Certificate
from mfbpi_lib_confidence import kl_box
from mfbpi_lib_confidence.betting.epoch import Epoch
from mfbpi_lib_confidence.betting.evaluation import Bounds
from mfbpi_lib_confidence.certified import Question
from mfbpi_lib_confidence.certified import certificate as of_box
from mfbpi_lib_confidence.evidence import Evidence
from mfbpi_lib_confidence.kl_box import Evaluation


def certificate(found: Evaluation, used: Sequence[Bounds], question: Question) -> Certificate:
    """The certificate of what :func:`mfbpi_lib_confidence.betting.evaluation.evaluate` returned.

    Samples are not needed: stakes are constant between checks of the grid, so that the counts at
    these, some twenty for any number of steps, tell every capital.
    """
    if not used:
        return of_box(found, question)
    epochs = sorted((bounds.epoch for bounds in used), key=lambda epoch: epoch.number)
    made = of_box(kl_box.for_policy(found, question.discount), question)
    return attrs.evolve(made, witnesses={**made.witnesses, **_history(epochs, found)})


def _history(epochs: Sequence[Epoch], found: Evaluation) -> dict[str, Any]:
    """Counts and rewards at the checks of the first epoch, at the places of the present ones."""
    now = found.box.evidence
    then = [_placed(each, now) for each in epochs[0].plans]
    return {
        "epochs": np.array([epoch.number for epoch in epochs]),
        "counts_then": np.stack([counts for counts, _ in then]),
        "rewards_then": np.stack([rewards for _, rewards in then]),
        "entry_rewards": _rewards(now),
    }


def _placed(then: Evidence, now: Evidence) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    at = np.searchsorted(_keys(now), _keys(then))
    counts, rewards = np.zeros(len(now.counts), dtype=np.int64), np.zeros(len(now.counts))
    counts[at], rewards[at] = then.counts, _rewards(then)
    return counts, rewards


def _keys(evidence: Evidence) -> npt.NDArray[np.int64]:
    return evidence.rows * evidence.n_outcomes + evidence.outcomes


def _rewards(evidence: Evidence) -> FloatArray:
    assert evidence.entry_rewards is not None  # bets need them
    return evidence.entry_rewards
