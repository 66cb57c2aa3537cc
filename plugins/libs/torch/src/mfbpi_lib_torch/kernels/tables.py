"""First layers that are tables; formulas in :mod:`mfbpi_lib_torch.networks.rows`."""

from __future__ import annotations

import math

import numpy as np

from mfbpi_lib_torch.kernels.compiling import compiled
from mfbpi_lib_torch.kernels.parts import Batch, First, Floats, Net, Table
from mfbpi_lib_torch.kernels.steps import step_size, take_late
from mfbpi_lib_torch.networks.adam import BETA1, BETA2, EPS, RHO, TINY
from mfbpi_lib_torch.networks.rows import NEGLIGIBLE


@compiled
def open_rows(net: Net, batch: Batch, first: First, online: bool) -> None:
    """Look up the rows of a batch; of those that learn, the target copy is kept.

    Args:
        net: its table.
        batch: cells.
        first: the present weights and, if there is one, the target copy are written.
        online: whether the weights are needed at sites that do not learn.
    """
    table, rate = net.table, net.table.rate
    n_sites, n_learning = batch.counts[0], batch.counts[1]
    copied = net.has_target
    for s in range(n_sites):
        row, learning = batch.cells[s], s < n_learning
        stale = copied and not table.fresh[row]
        if stale:
            _present_and_copied(table, row, rate, first.online[s], first.target[s])
        elif learning or online:
            present(table, row, rate, first.online[s])
        if copied and not stale:
            _copy(table.target[row], first.target[s])
        elif stale and learning:
            _copy(first.target[s], table.target[row])
            table.fresh[row] = True


@compiled
def epsilon(table: Table, row: int) -> float:
    """eps' of a row, averaged over the steps by which it lags."""
    if table.pending[row] > 0.0:
        return EPS * table.pending_eps[row] / table.pending[row]
    return EPS


@compiled
def present(table: Table, row: int, rate: float, to: Floats) -> None:
    """Write the present weights of a row."""
    if table.pending[row] == 0.0:
        _copy(table.blocks[row, 0], to)
        return
    p, m, v = table.blocks[row, 0], table.blocks[row, 1], table.blocks[row, 2]
    step, eps = p.dtype.type(rate * table.pending[row]), p.dtype.type(epsilon(table, row))
    tiny = p.dtype.type(TINY)
    for j in range(p.size):
        to[j] = p[j] - step * (m[j] / (np.sqrt(v[j] + tiny) + eps))


@compiled
def _present_and_copied(
    table: Table, row: int, rate: float, present_to: Floats, copied_to: Floats
) -> None:
    """Write the present weights of a row, and what they were at the copy: one root for both."""
    p, m, v = table.blocks[row, 0], table.blocks[row, 1], table.blocks[row, 2]
    step, eps = p.dtype.type(rate * table.pending[row]), p.dtype.type(epsilon(table, row))
    step_to_copy, tiny = p.dtype.type(rate * table.pending_at_copy[row]), p.dtype.type(TINY)
    for j in range(p.size):
        ratio = m[j] / (np.sqrt(v[j] + tiny) + eps)
        present_to[j] = p[j] - step * ratio
        copied_to[j] = p[j] - step_to_copy * ratio


@compiled
def _copy(numbers: Floats, to: Floats) -> None:
    for j in range(to.size):
        to[j] = numbers[j]


@compiled
def close_rows(net: Net, batch: Batch, first: First, step: int) -> None:
    """Take step number ``step`` with the gradient of the rows that learn, zero for all others."""
    table = net.table
    size, eps = step_size(table.rate, step), EPS * math.sqrt(1.0 - BETA2**step)
    for s in range(batch.counts[1]):
        row, gradient = batch.cells[s], first.gradient[s]
        if table.learns[row] != 1.0:
            gradient *= table.learns[row]
        _take_late(table, row, first.online[s], gradient, size, eps)
    _lag(table, step)
    for s in range(batch.counts[1]):
        row = batch.cells[s]
        table.age[row] = 0
        table.decay[row] = table.decay_eps[row] = 1.0
        table.pending[row] = table.pending_eps[row] = 0.0


@compiled
def _take_late(table: Table, row: int, weights: Floats, g: Floats, size: float, eps: float) -> None:
    """A step from the present weights of a row, whose moments decay by what it lags meanwhile."""
    p, m, v = table.blocks[row, 0], table.blocks[row, 1], table.blocks[row, 2]
    kept = BETA1 ** table.age[row]
    _copy(weights, p)
    take_late(p, m, v, g, size, eps, kept if kept >= NEGLIGIBLE else 0.0, BETA2 ** table.age[row])


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
