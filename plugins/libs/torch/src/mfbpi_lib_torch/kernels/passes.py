"""Forward and backward passes of one member at the sites of a batch."""

from __future__ import annotations

import numpy as np

from mfbpi_lib_torch.kernels.compiling import compiled, leaf
from mfbpi_lib_torch.kernels.parts import (
    B1,
    B2,
    B3,
    W1,
    W2,
    W3,
    Batch,
    First,
    Floats,
    Gradient,
    Net,
    Pass,
)


@compiled
def forward(
    net: Net, flat: Floats, first: Floats, batch: Batch, b: int, count: int, to: Pass
) -> None:
    """Evaluate member b at the first ``count`` of ``to.sites``.

    Args:
        net: sizes.
        flat: its weights, or those of its target copy.
        first: [sites, B * hidden], its first layer where that is a table.
        batch: features.
        b: member.
        count: number of sites.
        to: written.
    """
    hidden = net.hidden
    if net.one_hot:
        _select(first, to.sites, b * hidden, count, to.h1)
    else:
        _multiply(net, flat, batch.x, b, count, to)
    start = net.at[B1] + b * hidden
    _rectify(to.h1, flat[start : start + hidden], count)
    np.dot(to.h1[:count], second(net, flat, b), to.h2[:count])
    start = net.at[B2] + b * hidden
    _rectify(to.h2, flat[start : start + hidden], count)
    np.dot(to.h2[:count], third(net, flat, b).T, to.out[:count])
    start = net.at[B3] + b * net.outputs
    _shift(to.out, flat[start : start + net.outputs], count)


@compiled
def second(net: Net, flat: Floats, b: int) -> Floats:
    """The second layer of member b, [hidden, hidden]."""
    size = net.hidden * net.hidden
    start = net.at[W2] + b * size
    return flat[start : start + size].reshape(net.hidden, net.hidden)


@compiled
def third(net: Net, flat: Floats, b: int) -> Floats:
    """The third layer of member b, [outputs, hidden]."""
    size = net.outputs * net.hidden
    start = net.at[W3] + b * size
    return flat[start : start + size].reshape(net.outputs, net.hidden)


@compiled
def _select(first: Floats, sites: Floats, start: int, count: int, h1: Floats) -> None:
    for i in range(count):
        weights = first[sites[i], start : start + h1.shape[1]]
        for j in range(weights.size):
            h1[i, j] = weights[j]


@compiled
def _multiply(net: Net, flat: Floats, x: Floats, b: int, count: int, to: Pass) -> None:
    hidden, width = net.hidden, net.members * net.hidden
    w1 = np.empty((net.inputs, hidden), flat.dtype)
    for c in range(net.inputs):
        start = net.at[W1] + c * width + b * hidden
        w1[c] = flat[start : start + hidden]
    for i in range(count):
        features = x[to.sites[i]]
        for c in range(features.size):
            to.x[i, c] = features[c]
    np.dot(to.x[:count], w1, to.h1[:count])


@compiled
def _rectify(h: Floats, bias: Floats, count: int) -> None:
    """Add a bias; cut at zero."""
    zero = h.dtype.type(0)
    for i in range(count):
        for j in range(bias.size):
            h[i, j] = max(h[i, j] + bias[j], zero)


@compiled
def _shift(out: Floats, bias: Floats, count: int) -> None:
    for i in range(count):
        for a in range(bias.size):
            out[i, a] += bias[a]


@compiled
def backward(net: Net, seen: Pass, b: int, count: int, to: Gradient, first: First) -> None:
    """Write the derivatives by the weights of member b.

    Args:
        net: weights and sizes.
        seen: a forward pass, whose first ``count`` sites learn.
        b: member.
        count: number of these sites.
        to: has the derivatives by the outputs; the others are written.
        first: has the derivatives by the first layers at the sites written, if they are tables;
            those of sites that do not learn must be zero already.
    """
    _through_outputs(net, seen, b, count, to)
    h1, d2 = seen.h1[:count], to.h2[:count]
    np.dot(h1.T, d2, to.w2)
    np.dot(d2, second(net, net.flat, b).T, to.h1[:count])
    _through_relu(seen.h1, count, to.h1, to.b1)
    if not net.one_hot:
        np.dot(seen.x[:count].T, to.h1[:count], to.w1)
        return
    start = b * net.hidden
    for i in range(count):
        row = first.gradient[seen.sites[i], start : start + net.hidden]
        for j in range(row.size):
            row[j] = to.h1[i, j]


@compiled
def _through_outputs(net: Net, seen: Pass, b: int, count: int, to: Gradient) -> None:
    w3, h2, d2, d_w3, d_out = third(net, net.flat, b), seen.h2, to.h2, to.w3, to.out
    d_w3[:] = 0
    to.b3[:] = 0
    d2[:count] = 0
    for i in range(count):
        for a in range(w3.shape[0]):
            d = d_out[i, a]
            if d != 0:
                to.b3[a] += d
                for j in range(w3.shape[1]):
                    d2[i, j] += d * w3[a, j]
                for j in range(w3.shape[1]):
                    d_w3[a, j] += d * h2[i, j]
    _through_relu(h2, count, d2, to.b2)


@compiled
def _through_relu(h: Floats, count: int, d: Floats, total: Floats) -> None:
    """Zero the derivatives where the ReLU is off, and sum them over the sites."""
    zero = d.dtype.type(0)
    total[:] = 0
    for i in range(count):
        for j in range(total.size):
            value = d[i, j] if h[i, j] > zero else zero
            d[i, j] = value
            total[j] += value


@leaf
def add(to: Floats, factor: float, numbers: Floats) -> None:
    """Add ``factor`` times some numbers."""
    for j in range(to.size):
        to[j] += factor * numbers[j]
