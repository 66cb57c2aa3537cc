"""Networks and priors as compiled functions take them: one replica, in the memory of all."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from mfbpi_lib_torch.device import as_array
from mfbpi_lib_torch.kernels.parts import Integers, Net, Table

if TYPE_CHECKING:  # these hold what is made here
    from mfbpi_lib_torch.networks.ensemble import Ensemble
    from mfbpi_lib_torch.networks.layers import Sizes
    from mfbpi_lib_torch.networks.priors import Prior
    from mfbpi_lib_torch.networks.rows import RowTable


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
        rate=table.rate,
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
        rate=0.0,
    )
