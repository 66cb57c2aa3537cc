"""Forward and backward passes of one member at the sites of a batch."""

from __future__ import annotations

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
    Integers,
    Matrix,
    Net,
    Pass,
)
from mfbpi_lib_torch.kernels.products import (
    multiply,
    multiply_back,
    multiply_rectified,
    multiply_transposed,
)
from mfbpi_lib_torch.kernels.tiles import padded


@leaf
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
    at, hidden, outputs = net.at, net.hidden, net.outputs
    bias = Matrix(flat, at[B1] + b * hidden, 0)
    if net.one_hot:
        _select(first, to.sites, b * hidden, hidden, count, bias, to.h1)
    else:
        _collect(batch.x, to.sites, count, to.x)
        w1 = Matrix(flat, at[W1] + b * hidden, net.members * hidden)
        multiply_rectified(to.x, w1, bias, count, net.inputs, to.h1)
    bias = Matrix(flat, at[B2] + b * hidden, 0)
    multiply_rectified(to.h1, second(net, flat, b), bias, count, hidden, to.h2)
    bias = Matrix(flat, at[B3] + b * outputs, 0)
    _transpose(third(net, flat, b), outputs, hidden, to.w3)
    multiply(to.h2, Matrix(to.w3, 0, to.w3.shape[1]), bias, count, hidden, to.padded_out)


@leaf
def second(net: Net, flat: Floats, b: int) -> Matrix:
    """The second layer of member b, [hidden, hidden]."""
    return Matrix(flat, net.at[W2] + b * net.hidden * net.hidden, net.hidden)


@leaf
def third(net: Net, flat: Floats, b: int) -> Matrix:
    """The third layer of member b, [outputs, hidden]."""
    return Matrix(flat, net.at[W3] + b * net.outputs * net.hidden, net.hidden)


@compiled
def _transpose(matrix: Matrix, rows: int, columns: int, to: Floats) -> None:
    for i in range(rows):
        start = matrix.at + i * matrix.step
        row = matrix.numbers[start : start + columns]
        for j in range(columns):
            to[j, i] = row[j]


@compiled
def _select(
    first: Floats,
    sites: Integers,
    start: int,
    hidden: int,
    count: int,
    bias: Matrix,
    h1: Floats,
) -> None:
    """Read a first layer from its table, and cut it at zero."""
    zero, added = h1.dtype.type(0), bias.numbers[bias.at : bias.at + hidden]
    for i in range(count):
        row = first[sites[i], start : start + hidden]
        for j in range(hidden):
            h1[i, j] = max(row[j] + added[j], zero)


@compiled
def _collect(features: Floats, sites: Integers, count: int, to: Floats) -> None:
    inputs = features.shape[1]
    for i in range(count):
        row, copied = features[sites[i]], to[i, :inputs]
        for c in range(inputs):
            copied[c] = row[c]


@leaf
def backward(net: Net, seen: Pass, b: int, count: int, to: Gradient, first: First) -> None:
    """Write the derivatives by the weights of member b.

    Args:
        net: sizes.
        seen: a forward pass, whose first ``count`` sites learn.
        b: member.
        count: number of these sites.
        to: has the derivatives by the outputs; the others are written.
        first: has the derivatives by the first layers at the sites written, if they are tables;
            those of sites that do not learn must be zero already.
    """
    hidden, outputs, d1, d2 = net.hidden, net.outputs, to.h1, to.h2
    none = Matrix(to.zeros, 0, 0)
    to.padded_out[count : padded(count)] = 0
    _sum(to.padded_out, count, to.b3)
    h2 = Matrix(seen.h2, 0, seen.h2.shape[1])
    multiply_transposed(to.padded_out, h2, none, outputs, count, to.w3)
    multiply_back(to.padded_out, third(net, net.flat, b), seen.h2, count, outputs, d2, to.b2)
    by_h2 = Matrix(d2, 0, d2.shape[1])
    multiply_transposed(seen.h1, by_h2, none, hidden, count, to.w2)
    _transpose(second(net, net.flat, b), hidden, hidden, to.turned)
    turned = Matrix(to.turned, 0, to.turned.shape[1])
    multiply_back(d2, turned, seen.h1, count, hidden, d1, to.b1)
    by_h1 = Matrix(d1, 0, d1.shape[1])
    if net.one_hot:
        _scatter(d1, seen.sites, b * hidden, count, hidden, first.gradient)
    else:
        multiply_transposed(seen.x, by_h1, none, net.inputs, count, to.w1)


@compiled
def _sum(d: Floats, count: int, total: Floats) -> None:
    """Sum over the sites."""
    total[:] = 0
    for i in range(count):
        for j in range(total.size):
            total[j] += d[i, j]


@compiled
def _scatter(d: Floats, sites: Integers, start: int, count: int, hidden: int, to: Floats) -> None:
    for i in range(count):
        row = to[sites[i], start : start + hidden]
        for j in range(hidden):
            row[j] = d[i, j]
