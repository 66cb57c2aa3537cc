"""Outputs of all members at one input, compiled: products of a vector with matrices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mfbpi_core.data.arrays import Array
from mfbpi_lib_torch.kernels.compiling import compiled
from mfbpi_lib_torch.kernels.held import Held
from mfbpi_lib_torch.kernels.parts import B1, B2, B3, W1, W3, Floats, Matrix, Net
from mfbpi_lib_torch.kernels.passes import second
from mfbpi_lib_torch.kernels.products import multiply_rectified
from mfbpi_lib_torch.kernels.tables import present
from mfbpi_lib_torch.kernels.tiles import LANES, padded


def outputs(nets: Sequence[Held], inputs: Array) -> npt.NDArray[np.float32]:
    """Outputs [R * B, outputs] for one input of each replica.

    Args:
        nets: a held :class:`Net` of each.
        inputs: int64 [R], or float32 [R, inputs].
    """
    at = at_cell if inputs.ndim == 1 else at_features
    found = [at(net, each) for net, each in zip(nets, inputs, strict=True)]
    joined: npt.NDArray[np.float32] = np.concatenate(found) if len(found) > 1 else found[0]
    return joined


@compiled
def at_cell(held: Held, cell: int) -> Floats:
    """Outputs [B, outputs] of a held :class:`Net` at a cell."""
    net = held.content
    first = np.empty(net.members * net.hidden, net.flat.dtype)
    present(net.table, cell, net.table.rate, first)
    return _outputs(net, first)


@compiled
def at_features(held: Held, x: Floats) -> Floats:
    """Outputs [B, outputs] of a held :class:`Net` at features [inputs]."""
    net = held.content
    first, flat = np.zeros(net.members * net.hidden, net.flat.dtype), net.flat
    for c in range(net.inputs):
        start, feature = net.at[W1] + c * first.size, x[c]
        row = flat[start : start + first.size]
        for j in range(first.size):
            first[j] += feature * row[j]
    return _outputs(net, first)


@compiled
def _outputs(net: Net, first: Floats) -> Floats:
    """A tile has several rows, of which only the first has a meaning here."""
    flat, hidden, width, zero = net.flat, net.hidden, padded(net.hidden), net.flat.dtype.type(0)
    out = np.empty((net.members, net.outputs), flat.dtype)
    h1, h2 = np.zeros((LANES, width), flat.dtype), np.zeros((LANES, width), flat.dtype)
    for b in range(net.members):
        start, enters = net.at[B1] + b * hidden, first[b * hidden : (b + 1) * hidden]
        added = flat[start : start + hidden]
        for j in range(hidden):
            h1[0, j] = max(enters[j] + added[j], zero)
        bias = Matrix(flat, net.at[B2] + b * hidden, 0)
        multiply_rectified(h1, second(net, flat, b), bias, 1, hidden, h2)
        for a in range(net.outputs):
            row = b * net.outputs + a
            start, total = net.at[W3] + row * hidden, flat[net.at[B3] + row]
            weights = flat[start : start + hidden]
            for j in range(hidden):
                total += h2[0, j] * weights[j]
            out[b, a] = total
    return out
