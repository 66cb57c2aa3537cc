"""One replica as compiled functions take it: its networks, and the batch that it draws."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from mfbpi_core.errors import UsageError
from mfbpi_lib_torch.config import DeepConfig
from mfbpi_lib_torch.device import as_array
from mfbpi_lib_torch.encoder import Encoder
from mfbpi_lib_torch.experience.lane import Lane
from mfbpi_lib_torch.experience.memory import Memory
from mfbpi_lib_torch.kernels import batches
from mfbpi_lib_torch.kernels.held import Held, hold
from mfbpi_lib_torch.kernels.nets import net_of
from mfbpi_lib_torch.kernels.parts import Batch, Floats, Integers, Net
from mfbpi_lib_torch.networks.ensemble import Ensemble
from mfbpi_lib_torch.networks.priors import Prior

_Space = TypeVar("_Space")


class Entry(NamedTuple):
    """What is held for compiled functions.

    Attributes:
        held: it.
        networks: which it trains.
        of: what else it was made of.
    """

    held: Held
    networks: frozenset[Ensemble]
    of: tuple[object, ...]


class CompiledReplica:
    """One replica of a learner.

    Args:
        memory: the learner's, with parameters, discount, encoder and priors.
        lane: replay buffer and generators.
        networks: the learner's.
        r: number of the replica.

    Attributes:
        number: r.
        nets: its networks, of each that the learner has.
        batch: the batch drawn last.
    """

    def __init__(self, memory: Memory, lane: Lane, networks: Sequence[Ensemble], r: int) -> None:
        config, encoder, priors = memory.config, memory.encoder, memory.priors
        self.number = r
        self.lane = lane
        self.nets = {network: net_of(network, r) for network in networks}
        self.batch = _empty_batch(config, encoder)
        self._memory = memory
        self._held: dict[tuple[object, ...], Entry] = {}
        self._places = np.zeros(config.batch_size, np.int64)
        discount = memory.problem.discount
        self._source = hold(_source(lane, encoder, discount, self._places, self.batch))
        known = type(lane.rng) is np.random.Generator
        self._masks = hold(batches.Masks(lane.rng, self.batch.mask)) if known else None
        self._lock = lane.rng.bit_generator.lock  # numpy's, for agents that share a generator
        self._gather = batches.gather_cells if encoder.one_hot else batches.gather_features
        sites = 2 * config.batch_size
        self._values = {n: np.zeros((sites, p.sizes.across), np.float32) for n, p in priors.items()}
        self._gather_priors = [self._gatherer(name, prior) for name, prior in priors.items()]
        self._always: set[Ensemble] = set()  # asked for other than by what is held
        self._handed: set[Ensemble] = set()  # those of what was handed over in this update
        self._asked = self._always  # where it is noted which network is asked for

    @property
    def trained(self) -> set[Ensemble]:
        """The networks that this update trains: those that it has asked for."""
        return self._always | self._handed

    def _gatherer(self, name: str, prior: Prior) -> Callable[[], None]:
        """What writes the values of a prior at the batch."""
        to, r, columns = self._values[name], self.number, self.lane.replay.columns
        if prior.sizes.one_hot:
            part = 0 if prior.at_next else 1
            table = hold(batches.PriorTable(_prior_table(prior, r), self.batch, part, to))
            return partial(batches.gather_prior_of_cells, table)
        now = columns[f"{name} now"]
        following = columns[f"{name} next"] if prior.at_next else now[:0]
        stored = hold(batches.PriorColumns(now, following, self._places, to))
        return partial(batches.gather_prior_of_features, stored)

    def held(
        self,
        make: Callable[[CompiledReplica], Any],
        holding: Callable[[Any], Held] = hold,
        *of: object,
    ) -> Held:
        """What ``make`` gives for this replica, made once and held; see the module ``held``.

        Args:
            make: a method of the learner, which may exchange its networks: for other networks in
                its attributes another is made.
            holding: what holds it.
            of: what else it is made of: of other objects it is made anew.
        """
        function = getattr(make, "__func__", make)  # a method would keep its learner alive
        key = (function, *_networks_of(getattr(make, "__self__", None)))
        entry = self._held.get(key)
        if entry is None or not all(map(operator.is_, entry.of, of)):
            entry = self._held[key] = self._entry(make, holding, of)
        self._handed |= entry.networks
        return entry.held

    def _entry(
        self,
        make: Callable[[CompiledReplica], Any],
        holding: Callable[[Any], Held],
        of: tuple[object, ...],
    ) -> Entry:
        outer, self._asked = self._asked, set()
        try:
            return Entry(holding(make(self)), frozenset(self._asked), of)
        finally:
            self._asked = outer

    def net(self, network: Ensemble) -> Net:
        """The weights of a network of the learner, for what trains it at every update.

        Raises:
            UsageError: when it is not one that :meth:`Learner.network` made.
        """
        if network not in self.nets:
            raise UsageError(
                "a network that is to be trained is none of the learner's; expected one that its "
                "method network has made, for others are neither saved nor copied to a target"
            )
        self._asked.add(network)
        return self.nets[network]

    def space(self, make: Callable[[Net, int], _Space], network: Ensemble) -> _Space:
        """New space, made by ``make``, for the update of a network."""
        return make(self.net(network), self._memory.config.batch_size)

    def prior(self, name: str) -> Floats:
        """Values [sites, B * A] of a prior at the batch; without sites if there is none."""
        return self._values.get(name, _NO_PRIOR)

    def draw(self) -> None:
        """Draw a batch, from the generators and in the order of the other path."""
        self._handed.clear()
        self._gather(self._source, len(self.lane.replay))
        for gather in self._gather_priors:
            gather()
        self._draw_mask()

    def _draw_mask(self) -> None:
        lane, mask, probability = self.lane, self.batch.mask, self._memory.config.mask_probability
        if self._memory.stores_masks:
            batches.gather_mask(lane.replay.columns["mask"], self._places, mask)
        elif probability < 1.0:
            if self._masks is not None and _is_plain(lane):
                with self._lock:
                    batches.draw_mask(self._masks, probability)
            else:
                mask[...] = lane.mask(mask.shape, probability)


_NO_PRIOR = np.zeros((0, 0), np.float32)


def _prior_table(prior: Prior, r: int) -> Floats:
    n_rows = prior.table.shape[0] // prior.sizes.replicas
    return as_array(prior.table)[r * n_rows : (r + 1) * n_rows]


def _is_plain(lane: Lane) -> bool:
    """Whether masks are drawn as :meth:`Lane.mask` does, which may be another from now on."""
    return getattr(lane.mask, "__func__", None) is Lane.mask


def _networks_of(owner: object) -> list[Ensemble]:
    """The networks that a learner has as attributes, by whatever names."""
    own = getattr(owner, "__dict__", {})
    return [value for value in own.values() if isinstance(value, Ensemble)]


def _source(
    lane: Lane, encoder: Encoder, discount: float, places: Integers, batch: Batch
) -> batches.Source:
    columns = lane.replay.columns
    stored = batches.Stored(
        actions=columns["action"],
        rewards=columns["reward"],
        terminated=columns["terminated"],
        discount=np.float32(discount),
    )
    site = np.full(encoder.inputs + 1, -1, dtype=np.int64)
    now, following, rng = columns["now"], columns["next"], lane.replay.rng
    return batches.Source(stored, now, following, site, rng, places, batch)


def _empty_batch(config: DeepConfig, encoder: Encoder) -> Batch:
    n = config.batch_size
    return Batch(
        counts=np.zeros(2, np.int64),
        cells=np.zeros(2 * n, np.int64),
        x=np.zeros((2 * n, 0 if encoder.one_hot else encoder.inputs), np.float32),
        now=np.zeros(n, np.int64),
        following=np.zeros(n, np.int64),
        follows=np.zeros(2 * n, np.bool_),
        actions=np.zeros(n, np.int64),
        rewards=np.zeros(n, np.float32),
        discounts=np.zeros(n, np.float32),
        mask=np.ones((config.ensemble_size, n), np.bool_),
    )
