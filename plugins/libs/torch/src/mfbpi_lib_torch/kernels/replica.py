"""One replica as compiled functions take it: its networks, and the batch that it draws."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np

from mfbpi_core.errors import UsageError
from mfbpi_lib_torch.config import DeepConfig
from mfbpi_lib_torch.device import as_array
from mfbpi_lib_torch.encoder import Encoder
from mfbpi_lib_torch.experience.lane import Lane
from mfbpi_lib_torch.kernels import batches
from mfbpi_lib_torch.kernels.held import Held, hold
from mfbpi_lib_torch.kernels.parts import Batch, Floats, Integers, Net, Table
from mfbpi_lib_torch.networks.ensemble import Ensemble
from mfbpi_lib_torch.networks.layers import Sizes
from mfbpi_lib_torch.networks.priors import Prior
from mfbpi_lib_torch.networks.rows import RowTable

_Space = TypeVar("_Space")


def net_of(ensemble: Ensemble, r: int) -> Net:
    """The weights of replica r, in the memory of the ensemble."""
    sizes, flat = ensemble.sizes, as_array(ensemble.flat)
    return Net(
        flat=flat,
        target=as_array(ensemble.target_flat) if ensemble.has_target else flat,
        first_moment=as_array(ensemble.first_moment),
        second_moment=as_array(ensemble.second_moment),
        at=_starts(sizes, r),
        table=_table(ensemble.table, sizes, r),
        one_hot=sizes.one_hot,
        has_target=ensemble.has_target,
        members=sizes.members,
        inputs=sizes.inputs,
        hidden=sizes.hidden,
        outputs=sizes.outputs,
        rate=ensemble.rate,
    )


def net_of_prior(prior: Prior, r: int) -> Net:
    """The weights of a prior for features; it has no moments, and never learns."""
    sizes, flat = prior.sizes, as_array(prior.flat)
    return Net(
        flat=flat,
        target=flat,
        first_moment=flat,
        second_moment=flat,
        at=_starts(sizes, r),
        table=_no_table(),
        one_hot=sizes.one_hot,
        has_target=False,
        members=sizes.members,
        inputs=sizes.inputs,
        hidden=sizes.hidden,
        outputs=sizes.outputs,
        rate=0.0,
    )


def _starts(sizes: Sizes, r: int) -> Integers:
    parts = zip(sizes.places[:-1], sizes.shapes, strict=True)
    starts = [start + r * (math.prod(shape) // sizes.replicas) for start, shape in parts]
    return np.array(starts, dtype=np.int64)


def _table(table: RowTable | None, sizes: Sizes, r: int) -> Table:
    if table is None:
        return _no_table()
    n_rows = table.age.size // sizes.replicas
    own = slice(r * n_rows, (r + 1) * n_rows)
    target = as_array(table.target) if table.has_target else np.zeros((0, 0), np.float32)
    return Table(
        blocks=as_array(table.blocks)[own],
        target=target[own],
        age=table.age[own],
        decay=table.decay[own],
        decay_eps=table.decay_eps[own],
        pending=table.pending[own],
        pending_eps=table.pending_eps[own],
        pending_at_copy=table.pending_at_copy[own],
        fresh=table.fresh[own],
        learns=table.learns[own],
    )


def _no_table() -> Table:
    numbers = np.zeros(0)
    return Table(
        blocks=np.zeros((0, 3, 0), np.float32),
        target=np.zeros((0, 0), np.float32),
        age=np.zeros(0, np.int64),
        decay=numbers,
        decay_eps=numbers,
        pending=numbers,
        pending_eps=numbers,
        pending_at_copy=numbers,
        fresh=np.zeros(0, np.bool_),
        learns=np.zeros(0, np.float32),
    )


class CompiledReplica:
    """One replica of a learner.

    Args:
        config: parameters.
        encoder: of observations.
        discount: gamma.
        lane: replay buffer and generators.
        networks: the learner's.
        priors: the learner's.
        r: number of the replica.

    Attributes:
        number: r.
        nets: its networks, of each that the learner has.
        batch: the batch drawn last.
        trained: the networks that were asked for, which every update trains.
    """

    def __init__(
        self,
        config: DeepConfig,
        encoder: Encoder,
        discount: float,
        lane: Lane,
        networks: Sequence[Ensemble],
        priors: Mapping[str, Prior],
        r: int,
    ) -> None:
        self.number = r
        self.lane = lane
        self.trained: set[Ensemble] = set()
        self.nets = {network: net_of(network, r) for network in networks}
        self.batch = _empty_batch(config, encoder)
        self._config = config
        self._held: dict[Any, Held] = {}
        self._places = np.zeros(config.batch_size, np.int64)
        self._source = hold(_source(lane, encoder, discount, self._places, self.batch))
        self._masks = hold(batches.Masks(lane.rng, self.batch.mask)) if _draws(lane) else None
        self._lock = lane.rng.bit_generator.lock  # numpy's, for agents that share a generator
        self._gather = batches.gather_cells if encoder.one_hot else batches.gather_features
        sites = 2 * config.batch_size
        self._values = {n: np.zeros((sites, p.sizes.across), np.float32) for n, p in priors.items()}
        self._gather_priors = [self._gatherer(name, prior) for name, prior in priors.items()]
        self._made_of = _made_of(lane, networks, priors)

    def is_current(
        self, lane: Lane, networks: Sequence[Ensemble], priors: Mapping[str, Prior]
    ) -> bool:
        """Whether what compiled functions hold is what a learner has now, array by array."""
        now = _made_of(lane, networks, priors)
        return len(now) == len(self._made_of) and all(map(operator.is_, now, self._made_of))

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
        self, make: Callable[[CompiledReplica], Any], holding: Callable[[Any], Held] = hold
    ) -> Held:
        """What ``make`` gives for this replica, made once and held; see the module ``held``."""
        function = getattr(make, "__func__", make)  # a method would keep its learner alive
        if function not in self._held:
            self._held[function] = holding(make(self))
        return self._held[function]

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
        self.trained.add(network)
        return self.nets[network]

    def space(self, make: Callable[[Net, int], _Space], network: Ensemble) -> _Space:
        """New space, made by ``make``, for the update of a network."""
        return make(self.net(network), self._config.batch_size)

    def prior(self, name: str) -> Floats:
        """Values [sites, B * A] of a prior at the batch; without sites if there is none."""
        return self._values.get(name, _NO_PRIOR)

    def draw(self) -> None:
        """Draw a batch, from the generators and in the order of the other path."""
        self._gather(self._source, len(self.lane.replay))
        for gather in self._gather_priors:
            gather()
        self._draw_mask()

    def _draw_mask(self) -> None:
        stored, mask = self.lane.replay.columns.get("mask"), self.batch.mask
        if stored is not None:
            batches.gather_mask(stored, self._places, mask)
        elif self._config.mask_probability < 1.0:
            if self._masks is not None:
                with self._lock:
                    batches.draw_mask(self._masks, self._config.mask_probability)
            else:
                mask[...] = self.lane.mask(mask.shape, self._config.mask_probability)


def _made_of(lane: Lane, networks: Sequence[Ensemble], priors: Mapping[str, Prior]) -> list[object]:
    """What compiled functions hold of one replica."""
    replay = lane.replay
    held: list[object] = [lane, lane.rng, replay, replay.rng, *replay.columns.values()]
    for network in networks:
        held += [network, network.flat, network.target_flat, network.table]
    for prior in priors.values():
        held += [prior, prior.flat, prior.table]
    return held


_NO_PRIOR = np.zeros((0, 0), np.float32)


def _prior_table(prior: Prior, r: int) -> Floats:
    n_rows = prior.table.shape[0] // prior.sizes.replicas
    return as_array(prior.table)[r * n_rows : (r + 1) * n_rows]


def _draws(lane: Lane) -> bool:
    """Whether a replica draws masks as :meth:`Lane.mask` does, from what compiled code knows."""
    plain = getattr(lane.mask, "__func__", None) is Lane.mask
    return plain and type(lane.rng) is np.random.Generator


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
