"""Whether learning has left the range of float32, which ends at 3.4e38.

A squared error of 1e23 has a derivative whose square is infinite: that weight of Adam's never moves
again. NaN is worse: no comparison with it is true, so that action 0 is taken for ever. Either would
end in a table of plausible numbers.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from mfbpi_core.errors import SolverError

if TYPE_CHECKING:
    from mfbpi_lib_torch.learning.learner import AnyLearner, Values

#: Updates from one look at the networks to the next, which takes some 20 microseconds.
PERIOD = 64


def checked(learner: AnyLearner, values: Values) -> Values:
    """Values to act by, if they are finite.

    Raises:
        SolverError: with what led there and what to change.
    """
    for name, value in values.items():
        if not math.isfinite(value.sum()):
            raise _error(learner, f"values ({name}) are not finite")
    return values


def check_networks(learner: AnyLearner) -> None:
    """Look, every :data:`PERIOD` updates, for weights that cannot learn any more.

    Raises:
        SolverError: as :func:`checked`.
    """
    if learner.updates % PERIOD == 0:
        for number, network in enumerate(learner.networks, 1):
            found = float(network.flat.max()), float(network.second_moment.max())
            if not all(map(math.isfinite, found)):
                place = f"network {number} of {len(learner.networks)}"
                raise _error(learner, f"weights of {place}, or Adam's averages, are not finite")


def _error(learner: AnyLearner, what: str) -> SolverError:
    numbers = [name for name in learner.magnitudes if name != "loss"]
    given = [f"{name}={getattr(learner.config, name)}" for name in learner.magnitudes]
    rewards = [lane.replay.columns["reward"][: len(lane.replay)] for lane in learner.lanes]
    seen = np.concatenate(rewards)
    paid = [f"rewards from {seen.min():.4g} to {seen.max():.4g}"] if seen.size else []
    return SolverError(
        f"learning left the range of float32: {what} after {learner.updates} updates, with "
        f"{', '.join(given + paid)}; expected errors that can be squared (scale rewards or "
        "observations down, as -E reward_scale of gymnasium does, take loss=huber, or a smaller "
        f"{', '.join(numbers[:-1])} or {numbers[-1]})"
    )
