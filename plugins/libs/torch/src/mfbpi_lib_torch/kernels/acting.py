"""Outputs of all members at one input, compiled: products of a vector with matrices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mfbpi_core.data.arrays import Array
from mfbpi_lib_torch.kernels.compiling import compiled
from mfbpi_lib_torch.kernels.parts import B1, B2, B3, W1, W2, W3, Floats, Net
from mfbpi_lib_torch.kernels.passes import add
from mfbpi_lib_torch.kernels.tables import present


def outputs(nets: Sequence[Net], inputs: Array) -> npt.NDArray[np.float32]:
    """Outputs [R * B, outputs] for one input of each replica: int64 [R], or float32 [R, inputs]."""
    at = at_cell if inputs.ndim == 1 else at_features
    found = [at(net, each) for net, each in zip(nets, inputs, strict=True)]
    joined: npt.NDArray[np.float32] = np.concatenate(found) if len(found) > 1 else found[0]
    return joined


@compiled
def at_cell(net: Net, cell: int) -> Floats:
    """Outputs [B, outputs] at a cell."""
    first = np.empty(net.members * net.hidden, net.flat.dtype)
    present(net.table, cell, net.rate, first)
    return _outputs(net, first)


@compiled
def at_features(net: Net, x: Floats) -> Floats:
    """Outputs [B, outputs] at features [inputs]."""
    first = np.zeros(net.members * net.hidden, net.flat.dtype)
    for c in range(net.inputs):
        start = net.at[W1] + c * first.size
        add(first, x[c], net.flat[start : start + first.size])
    return _outputs(net, first)


@compiled
def _outputs(net: Net, first: Floats) -> Floats:
    flat, hidden = net.flat, net.hidden
    out = np.empty((net.members, net.outputs), flat.dtype)
    h = np.empty(hidden, flat.dtype)
    for b in range(net.members):
        for j in range(hidden):
            h[j] = flat[net.at[B2] + b * hidden + j]
        for j in range(hidden):
            entering = first[b * hidden + j] + flat[net.at[B1] + b * hidden + j]
            if entering > 0:
                start = net.at[W2] + (b * hidden + j) * hidden
                add(h, entering, flat[start : start + hidden])
        for a in range(net.outputs):
            row = b * net.outputs + a
            total = flat[net.at[B3] + row]
            for j in range(hidden):
                if h[j] > 0:
                    total += h[j] * flat[net.at[W3] + row * hidden + j]
            out[b, a] = total
    return out
