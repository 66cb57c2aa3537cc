"""First layers that are tables; formulas in :mod:`mfbpi_lib_torch.networks.rows`."""

from __future__ import annotations

import math

import numpy as np

from mfbpi_lib_torch.kernels.compiling import compiled
from mfbpi_lib_torch.kernels.parts import Batch, First, Floats, Net, Table
from mfbpi_lib_torch.kernels.steps import step_size, take
from mfbpi_lib_torch.networks.adam import BETA1, BETA2, EPS, RHO, TINY
from mfbpi_lib_torch.networks.rows import NEGLIGIBLE


@compiled
def open_rows(net: Net, batch: Batch, first: First, online: bool) -> None:
    """Look up the rows of a batch, and bring those that learn up to date.

    Args:
        net: its table changes.
        batch: cells.
        first: the weights and, if there is one, the target copy are written.
        online: whether the weights are needed at sites that do not learn.
    """
    table = net.table
    n_sites, n_learning = batch.counts[0], batch.counts[1]
    copied = table.target.shape[0] > 0
    for s in range(n_sites):
        row, learning = batch.cells[s], s < n_learning
        if copied:
            _copied(table, row, net.rate, first.target[s], learning)
        if learning or online:
            present(table, row, net.rate, first.online[s])
        if learning:
            _bring(table, row, first.online[s])


@compiled
def epsilon(table: Table, row: int) -> float:
    """eps' of a row, averaged over the steps by which it lags."""
    if table.pending[row] > 0.0:
        return EPS * table.pending_eps[row] / table.pending[row]
    return EPS


@compiled
def present(table: Table, row: int, rate: float, to: Floats) -> None:
    """Write the present weights of a row."""
    _moved(table, row, rate * table.pending[row], to)


@compiled
def _moved(table: Table, row: int, size: float, to: Floats) -> None:
    p, m, v = table.blocks[row, 0], table.blocks[row, 1], table.blocks[row, 2]
    if size == 0.0:
        for j in range(p.size):
            to[j] = p[j]
        return
    step, eps, tiny = p.dtype.type(size), p.dtype.type(epsilon(table, row)), p.dtype.type(TINY)
    for j in range(p.size):
        to[j] = p[j] - step * m[j] / (np.sqrt(v[j] + tiny) + eps)


@compiled
def _copied(table: Table, row: int, rate: float, to: Floats, keep: bool) -> None:
    """Write the target copy of a row, and keep it if the row is about to change."""
    target = table.target[row]
    if table.fresh[row]:
        for j in range(target.size):
            to[j] = target[j]
        return
    _moved(table, row, rate * table.pending_at_copy[row], to)
    if keep:
        for j in range(target.size):
            target[j] = to[j]
        table.fresh[row] = True


@compiled
def _bring(table: Table, row: int, weights: Floats) -> None:
    """Let a row no longer lag."""
    p, m, v = table.blocks[row, 0], table.blocks[row, 1], table.blocks[row, 2]
    kept = BETA1 ** table.age[row]
    kept1 = p.dtype.type(kept if kept >= NEGLIGIBLE else 0.0)
    kept2 = p.dtype.type(BETA2 ** table.age[row])
    for j in range(p.size):
        p[j] = weights[j]
        m[j] *= kept1
        v[j] *= kept2


@compiled
def close_rows(net: Net, batch: Batch, first: First, step: int) -> None:
    """Take step number ``step`` with the gradient of the rows that learn, zero for all others."""
    table = net.table
    _lag(table, step)
    size, eps = step_size(net.rate, step), EPS * math.sqrt(1.0 - BETA2**step)
    for s in range(batch.counts[1]):
        row = batch.cells[s]
        if table.learns[row] > 0.0:
            block = table.blocks[row]
            take(block[0], block[1], block[2], first.gradient[s], size, eps)
        table.age[row] = 0
        table.decay[row] = table.decay_eps[row] = 1.0
        table.pending[row] = table.pending_eps[row] = 0.0


@compiled
def _lag(table: Table, step: int) -> None:
    """Let every row fall one step behind."""
    c = math.sqrt(1.0 - BETA2**step) / (1.0 - BETA1**step)
    c_eps = c * math.sqrt(1.0 - BETA2**step)
    for row in range(table.age.size):
        table.age[row] += 1
        decay, decay_eps = table.decay[row] * RHO, table.decay_eps[row] * (BETA1 / BETA2)
        table.decay[row] = decay if decay > NEGLIGIBLE else 0.0
        table.decay_eps[row] = decay_eps if decay_eps > NEGLIGIBLE else 0.0
        table.pending[row] += c * table.decay[row]
        table.pending_eps[row] += c_eps * table.decay_eps[row]
