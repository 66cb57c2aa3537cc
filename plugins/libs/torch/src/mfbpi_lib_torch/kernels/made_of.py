"""What of a learner compiled functions hold: where a part of it is replaced, they hold another.

Looked at before every action and update, some eight microseconds each: so parts are told apart as
objects, and objects that may have methods of their own by how many attributes they have.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from mfbpi_lib_torch.learning.taking import OnPath

#: Objects, and of some how many attributes they have.
Parts: TypeAlias = tuple[list[object], list[int]]

_OF_LEARNER = operator.attrgetter("problem", "config", "memory", "__class__")
_OF_LANE = operator.attrgetter("rng", "replay", "replay.rng", "replay.__class__")
_OF_NETWORK = operator.attrgetter(
    *("flat", "target_flat", "first_moment", "second_moment", "table", "rate", "__class__")
)
_OF_TABLE = operator.attrgetter(
    *("blocks", "target", "age", "decay", "decay_eps", "pending", "pending_eps"),
    *("pending_at_copy", "fresh", "learns", "rate", "__class__"),
)
_OF_PRIOR = operator.attrgetter("flat", "table", "__class__")


def parts_of(learner: OnPath) -> Parts:
    """Every object, array and rate that compiled functions took over."""
    priors = learner.memory.priors
    objects: list[object] = [*_OF_LEARNER(learner), *priors, *priors.values()]
    attributes = [len(vars(learner))]
    for lane in learner.lanes:
        objects += (lane, *_OF_LANE(lane), *lane.replay.columns.values())
        attributes.append(len(vars(lane.replay)))
    for network in learner.networks:
        objects += (network, *_OF_NETWORK(network))
        attributes.append(len(vars(network)))
        if network.table is not None:
            objects += _OF_TABLE(network.table)
            attributes.append(len(vars(network.table)))
    for prior in priors.values():
        objects += _OF_PRIOR(prior)
        attributes.append(len(vars(prior)))
    return objects, attributes


def are_same(parts: Parts, others: Parts) -> bool:
    """Whether each is the same object, with as many attributes."""
    alike = len(parts[0]) == len(others[0]) and parts[1] == others[1]
    return alike and all(map(operator.is_, parts[0], others[0]))
