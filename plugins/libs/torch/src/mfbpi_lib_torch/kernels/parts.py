"""What compiled functions take: sizes, the arrays of a network, a batch, and space to work in."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mfbpi_lib_torch.kernels.tiles import padded

Floats = npt.NDArray[np.floating[Any]]
Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]

#: Places in ``Net.at``: where a replica's weights of each layer start in the flat arrays.
W1, B1, W2, B2, W3, B3 = range(6)


class Table(NamedTuple):
    """Arrays of a :class:`~mfbpi_lib_torch.networks.rows.RowTable`, the rows of one replica.

    Attributes:
        blocks: [rows, 3, B * hidden], weights and both moments.
        target: [rows, B * hidden], or no rows.
        age, decay, decay_eps, pending, pending_eps, pending_at_copy, fresh, learns: [rows].
        rate: learning rate of the rows, by which they catch up.
    """

    blocks: Floats
    target: Floats
    age: Integers
    decay: Floats
    decay_eps: Floats
    pending: Floats
    pending_eps: Floats
    pending_at_copy: Floats
    fresh: Booleans
    learns: Floats
    rate: float


class Net(NamedTuple):
    """One replica of an ensemble.

    Attributes:
        flat, target, first_moment, second_moment: [total], of all replicas.
        at: int64 [6], where the replica's layers start.
        table: the first layer where inputs are one-hot; without rows otherwise.
        one_hot: whether they are.
        has_target: whether there is a target copy.
        members, inputs, hidden, outputs: sizes.
        rate: learning rate of all but the table.
    """

    flat: Floats
    target: Floats
    first_moment: Floats
    second_moment: Floats
    at: Integers
    table: Table
    one_hot: bool
    has_target: bool
    members: int
    inputs: int
    hidden: int
    outputs: int
    rate: float


class Batch(NamedTuple):
    """A batch of n transitions. Its *sites* are its different inputs, those that learn first.

    Attributes:
        counts: int64 [2], the number of sites, and of those that learn.
        cells: int64 [2 n], cells of the sites, for one-hot inputs.
        x: [2 n, inputs], features of the sites, else.
        now: int64 [n], the site of s.
        following: int64 [n], the site of s'.
        follows: bool [2 n], whether a site is the s' of a transition that did not terminate.
        actions: int64 [n].
        rewards: [n].
        discounts: [n], gamma, or 0 after termination.
        mask: bool [B, n], which members learn from what.
    """

    counts: Integers
    cells: Integers
    x: Floats
    now: Integers
    following: Integers
    follows: Booleans
    actions: Integers
    rewards: Floats
    discounts: Floats
    mask: Booleans


class First(NamedTuple):
    """First layers of all members at the sites of a batch, where they are tables.

    Attributes:
        online, target: [2 n, B * hidden]; one and the same where there is no target copy.
        gradient: [2 n, B * hidden], at the sites that learn.
    """

    online: Floats
    target: Floats
    gradient: Floats


class Matrix(NamedTuple):
    """A matrix within an array: where it starts, and how far apart its rows are."""

    numbers: Floats
    at: int
    step: int


class Pass(NamedTuple):
    """A forward pass of one member at some sites.

    Rows and columns are padded to whole tiles, with what has no meaning if nothing else is said.

    Attributes:
        sites: int64 [2 n], which sites; those that learn come first.
        place: int64 [2 n], for each site its place among them, or -1.
        x: [2 n, inputs], features of the sites.
        h1, h2: [2 n, hidden], after each ReLU.
        w3: [hidden, outputs], the member's, transposed.
        padded_out: [2 n, outputs].
        out: [2 n, outputs], the same without padding.
    """

    sites: Integers
    place: Integers
    x: Floats
    h1: Floats
    h2: Floats
    w3: Floats
    padded_out: Floats
    out: Floats


class Gradient(NamedTuple):
    """Derivatives of the loss, of one member, padded in the same way.

    Attributes:
        out: [2 n, outputs], by the outputs, without padding; the caller writes it.
        padded_out: the same, padded with zeros.
        h1, h2: [2 n, hidden], by what enters each ReLU.
        w1: [inputs, hidden]; ``b1``: [hidden]; ``w2``: [hidden, hidden]; ``b2``: [hidden];
            ``w3``: [outputs, hidden]; ``b3``: [outputs], by the weights.
        turned: [hidden, hidden], the second layer transposed.
        zeros: [hidden].
        packed: [hidden * hidden or more], space for the derivatives of a layer without padding.
    """

    out: Floats
    padded_out: Floats
    h1: Floats
    h2: Floats
    w1: Floats
    b1: Floats
    w2: Floats
    b2: Floats
    w3: Floats
    b3: Floats
    turned: Floats
    zeros: Floats
    packed: Floats


def first_space(net: Net, sites: int) -> First:
    """Space for the first layers at that many sites."""
    shape = (sites if net.one_hot else 0, net.members * net.hidden)
    online, copied, gradient = (np.zeros(shape, net.flat.dtype) for _ in range(3))
    return First(online, copied if net.has_target else online, gradient)


def pass_space(net: Net, sites: int) -> Pass:
    """Space for a forward pass at that many sites."""
    inputs, hidden, outputs = _widths(net)
    x, h1, h2, out = (_zeros(net, sites, width) for width in (inputs, hidden, hidden, outputs))
    places = np.zeros(sites, np.int64), np.zeros(sites, np.int64)
    return Pass(*places, x, h1, h2, _zeros(net, hidden, outputs), out, out[:, : net.outputs])


def gradient_space(net: Net, sites: int) -> Gradient:
    """Space for the derivatives at that many sites."""
    inputs, hidden, outputs = _widths(net)
    out, h1, h2 = (_zeros(net, sites, width) for width in (outputs, hidden, hidden))
    square, row = (hidden, hidden), (hidden,)
    shapes = ((inputs, hidden), row, square, row, (outputs, hidden), (outputs,), square)
    by_weights = (_zeros(net, *shape) for shape in shapes)
    rest = _zeros(net, hidden), _zeros(net, max(hidden, outputs) * hidden)
    arrays = [out[:, : net.outputs], out, h1, h2, *by_weights, *rest]
    return Gradient(*arrays)


def _widths(net: Net) -> tuple[int, int, int]:
    """Inputs that are features, hidden units and outputs, padded."""
    return padded(0 if net.one_hot else net.inputs), padded(net.hidden), padded(net.outputs)


def _zeros(net: Net, *shape: int) -> Floats:
    """Zeros, with rows for whole tiles."""
    return np.zeros((padded(shape[0]), *shape[1:]), net.flat.dtype)
