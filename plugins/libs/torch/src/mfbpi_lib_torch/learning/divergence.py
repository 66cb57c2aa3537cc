"""Whether learning has left the range of float32, which ends at 3.4e38.

A squared error of 1e23 has a derivative whose square is infinite: that weight of Adam's never moves
again. NaN is worse: no comparison with it is true, so that action 0 is taken for ever. Either would
end in a table of plausible numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mfbpi_core.errors import SolverError
from mfbpi_lib_torch.networks.ensemble import Ensemble

if TYPE_CHECKING:
    from mfbpi_lib_torch.learning.learner import AnyLearner, Values

#: Updates from one look at the networks to the next, which takes some 20 microseconds.
PERIOD = 64

#: The same of their tables: for 30 MB, as on DeepSea 50, it takes a millisecond.
TABLE_PERIOD = 1024


def checked(learner: AnyLearner, values: Values) -> Values:
    """Values to act by, if each is a number; infinity may be what an algorithm makes of them.

    Raises:
        SolverError: with what led there and what to change.
    """
    for name, value in values.items():
        if not math.isfinite(value.sum()):
            lost = [r for r, own in enumerate(value) if np.isnan(own).any()]
            if lost:
                raise _error(learner, f"values ({name}) are no numbers", lost)
    return values


def check_outputs(learner: AnyLearner, values: npt.NDArray[np.float64]) -> None:
    """Refuse outputs [R, B, A] of networks and priors that are not finite.

    Raises:
        SolverError: as :func:`checked`.
    """
    if not math.isfinite(values.sum()):  # of numbers that were float32, which cannot overflow
        lost = [r for r, own in enumerate(values) if not np.isfinite(own).all()]
        raise _error(learner, "outputs of networks and priors are not finite", lost)


def check_now_and_then(learner: AnyLearner) -> None:
    """:func:`check_networks`, every so many updates and at the horizon.

    Raises:
        SolverError: as :func:`checked`.
    """
    at_end = learner.lanes[0].steps == learner.problem.horizon
    if learner.updates % PERIOD == 0 or at_end:
        check_networks(learner, tables=learner.updates % TABLE_PERIOD == 0 or at_end)


def check_networks(learner: AnyLearner, *, tables: bool = True) -> None:
    """Look for weights that cannot learn any more, in tables too or not.

    Raises:
        SolverError: as :func:`checked`.
    """
    for number, network in enumerate(learner.networks, 1):
        # The largest is quick to find: NaN is larger, and beside -inf an average is infinite.
        looked_at = _numbers(network) if tables else _numbers(network)[:2]
        if not all(math.isfinite(numbers.max()) for numbers in looked_at):
            lost = _lost(network)
            place = f"network {number} of {len(learner.networks)}"
            raise _error(learner, f"weights of {place}, or Adam's averages, are not finite", lost)


def _lost(network: Ensemble) -> list[int]:
    """The replicas with numbers that are not finite."""
    replicas = network.sizes.replicas
    flats, table = _numbers(network)[:2], _numbers(network)[2:]
    parts = [flat[start:end] for flat in flats for start, end in pairwise(network.sizes.places)]
    own = [_as_array(part).reshape(replicas, -1) for part in [*parts, *table]]
    return [r for r in range(replicas) if not all(np.isfinite(part[r]).all() for part in own)]


def _numbers(network: Ensemble) -> list[Any]:
    """Weights and averages; the first moments are finite where their squares are."""
    table = network.table
    return [network.flat, network.second_moment, *([] if table is None else [table.blocks])]


def _as_array(numbers: Any) -> Any:
    return numbers if isinstance(numbers, np.ndarray) else numbers.cpu().numpy()


def _error(learner: AnyLearner, what: str, lost: Sequence[int]) -> SolverError:
    replicas, numbers = len(learner.lanes), [n for n in learner.magnitudes if n != "loss"]
    where = alone = ""
    if replicas > 1:
        where = f" in replica {', '.join(map(str, lost))} of 0 to {replicas - 1}"
        alone = "; replicas end together, and seeds that run without replicas do not"
    given = [f"{name}={getattr(learner.config, name)}" for name in learner.magnitudes]
    replays = [learner.lanes[r].replay for r in lost]
    seen = np.concatenate([each.columns["reward"][: len(each)] for each in replays])
    paid = [f"rewards from {seen.min():.4g} to {seen.max():.4g}"] if seen.size else []
    return SolverError(
        f"learning left the range of float32: {what}{where} after {learner.updates} updates, with "
        f"{', '.join(given + paid)}; expected errors that can be squared (scale rewards or "
        "observations down, as -E reward_scale of gymnasium does, take loss=huber, or a smaller "
        f"{', '.join(numbers[:-1])} or {numbers[-1]}{alone})"
    )
