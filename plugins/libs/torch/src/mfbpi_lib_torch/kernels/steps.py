"""Steps of Adam; formulas in :mod:`mfbpi_lib_torch.networks.adam`."""

from __future__ import annotations

import math

import numpy as np

from mfbpi_lib_torch.kernels.compiling import compiled, leaf
from mfbpi_lib_torch.kernels.parts import B1, B2, B3, W1, W2, W3, Floats, Gradient, Net
from mfbpi_lib_torch.networks.adam import BETA1, BETA2, EPS, TINY


@leaf
def step_size(rate: float, step: int) -> float:
    """The learning rate with both corrections of bias."""
    return rate * math.sqrt(1.0 - BETA2**step) / (1.0 - BETA1**step)


@compiled
def take(p: Floats, m: Floats, v: Floats, g: Floats, size: float, eps: float) -> None:
    """A step for numbers in a row, with eps as it appears beside the uncorrected root."""
    take_late(p, m, v, g, size, eps, 1.0, 1.0)


@compiled
def take_late(
    p: Floats,
    m: Floats,
    v: Floats,
    g: Floats,
    size: float,
    eps: float,
    kept1: float,
    kept2: float,
) -> None:
    """The same where only a part of the moments is kept before the step.

    A loop over more than four arrays, three of them written, has more pairs that might overlap
    than LLVM tests: it would not become vector instructions.
    """
    keep1, keep2 = p.dtype.type(BETA1), p.dtype.type(BETA2)
    new1, new2 = p.dtype.type(1.0 - BETA1), p.dtype.type(1.0 - BETA2)
    before1, before2 = p.dtype.type(kept1), p.dtype.type(kept2)
    move, least, tiny = p.dtype.type(size), p.dtype.type(eps), p.dtype.type(TINY)
    for j in range(g.size):
        first = keep1 * (before1 * m[j]) + new1 * g[j]
        second = keep2 * (before2 * v[j]) + new2 * g[j] * g[j]
        m[j] = first
        v[j] = second
        p[j] -= move * first / (np.sqrt(second + tiny) + least)


@leaf
def take_member(net: Net, b: int, g: Gradient, step: int) -> None:
    """Step number ``step`` for all layers of member b but a table."""
    at, hidden, outputs, packed = net.at, net.hidden, net.outputs, g.packed
    size, eps = step_size(net.rate, step), EPS * math.sqrt(1.0 - BETA2**step)
    if not net.one_hot:
        for c in range(net.inputs):
            start = at[W1] + (c * net.members + b) * hidden
            _take_part(net, start, g.w1[c, :hidden], size, eps)
    _take_part(net, at[B1] + b * hidden, g.b1[:hidden], size, eps)
    _take_part(net, at[W2] + b * hidden * hidden, _pack(g.w2, hidden, hidden, packed), size, eps)
    _take_part(net, at[B2] + b * hidden, g.b2[:hidden], size, eps)
    _take_part(net, at[W3] + b * outputs * hidden, _pack(g.w3, outputs, hidden, packed), size, eps)
    _take_part(net, at[B3] + b * outputs, g.b3[:outputs], size, eps)


@compiled
def _pack(g: Floats, rows: int, columns: int, to: Floats) -> Floats:
    """Copy without padding: roots and divisions of the last few of each row would cost more."""
    for i in range(rows):
        row = to[i * columns : (i + 1) * columns]
        for j in range(columns):
            row[j] = g[i, j]
    return to[: rows * columns]


@leaf
def _take_part(net: Net, start: int, g: Floats, size: float, eps: float) -> None:
    end = start + g.size
    moments = net.first_moment[start:end], net.second_moment[start:end]
    take(net.flat[start:end], moments[0], moments[1], g, size, eps)


@compiled
def clear(g: Gradient) -> None:
    """Make a member's gradient zero."""
    for part in (g.b1, g.b2, g.b3):
        part[:] = 0
    for part in (g.w1, g.w2, g.w3):
        part[:] = 0
