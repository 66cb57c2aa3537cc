"""Which policy to return: four rules over the Q-learner's table and the members' tables."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

#: Names of the rules.
RULES = ("q_learner", "mode", "median", "mean")


def recommend(
    rule: str, learner: npt.NDArray[np.float64], heads: npt.NDArray[np.float64]
) -> npt.NDArray[np.int64]:
    """The greedy action of each state under a rule; ties go to the lowest action.

    Args:
        rule: ``"q_learner"``: greedy for ``learner``; ``"mode"``: the action that most members
            find best; ``"median"``, ``"mean"``: greedy for that statistic over the members.
        learner: float64 [S, A].
        heads: float64 [S, A, B].

    Returns:
        int64 [S].
    """
    if rule == "mode":
        votes = heads.argmax(axis=1)  # [S, B]
        scores = np.stack([(votes == a).sum(axis=1) for a in range(heads.shape[1])], axis=1)
    elif rule == "median":
        scores = np.median(heads, axis=2)
    elif rule == "mean":
        scores = heads.mean(axis=2)
    else:
        scores = learner
    return scores.argmax(axis=1).astype(np.int64)
