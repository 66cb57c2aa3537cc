"""The weights of many small networks in one piece of memory: Adam and copies are one call."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Generic, TypeVar

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_lib_torch.kernels.tiles import LANES
from mfbpi_lib_torch.late import torch


@attrs.frozen(kw_only=True)
class Sizes:
    """Sizes of an ensemble of perceptrons with two hidden layers.

    Attributes:
        replicas: R, independent ensembles side by side.
        members: B, networks of one ensemble.
        inputs: features, or cells of a one-hot input.
        hidden: units of each hidden layer.
        outputs: outputs of each network.
        one_hot: whether the first layer is a table that inputs index.
    """

    replicas: int
    members: int
    inputs: int
    hidden: int
    outputs: int
    one_hot: bool

    @property
    def networks(self) -> int:
        """G = R B."""
        return self.replicas * self.members

    @property
    def width(self) -> int:
        """B * hidden: the first layers of one ensemble side by side."""
        return self.members * self.hidden

    @property
    def across(self) -> int:
        """B * outputs: the outputs of one ensemble side by side."""
        return self.members * self.outputs

    @property
    def shapes(self) -> Sequence[tuple[int, ...]]:
        """Of the parts of :class:`Layers`, in the order in which they lie."""
        return (
            (self.replicas, 0 if self.one_hot else self.inputs, self.width),
            (self.replicas, 1, self.width),
            (self.networks, self.hidden, self.hidden),
            (self.networks, 1, self.hidden),
            (self.networks, self.outputs, self.hidden),
            (self.networks, self.outputs, 1),
        )

    @property
    def places(self) -> Sequence[int]:
        """Where each part starts, and the last one ends."""
        return tuple(accumulate((math.prod(shape) for shape in self.shapes), initial=0))


#: Numbers allotted beyond the last weight, for tiles read whole vectors.
SPARE = LANES


def zeros(sizes: Sizes) -> npt.NDArray[np.float32]:
    """Room for all weights, followed by SPARE numbers that are not part of it."""
    total = sizes.places[-1]
    return np.zeros(total + SPARE, np.float32)[:total]


#: An array or a tensor.
T = TypeVar("T")


class Layers(Generic[T]):
    """Views of a flat array or tensor as the layers of every network.

    Attributes:
        flat: float32 [total].
        w1: [R, inputs, B * hidden]; no elements where the first layer is a table.
        b1: [R, 1, B * hidden].
        w2: [G, hidden, hidden]; ``b2``: [G, 1, hidden].
        w3: [G, outputs, hidden]; ``b3``: [G, outputs, 1].
    """

    def __init__(self, sizes: Sizes, flat: T) -> None:
        numbers: Any = flat
        parts = zip(sizes.places[:-1], sizes.places[1:], sizes.shapes, strict=True)
        views: list[T] = [numbers[start:end].reshape(shape) for start, end, shape in parts]
        self.flat = flat
        self.w1, self.b1, self.w2, self.b2, self.w3, self.b3 = views


@attrs.frozen(eq=False)
class Activations:
    """What a forward pass computed, as the backward pass needs it.

    Attributes:
        h1: float32 [G, n, hidden], after the first layer and its ReLU.
        h2: float32 [G, n, hidden], after the second.
        out: float32 [G, outputs, n]; products with a long last axis are much faster.
    """

    h1: torch.Tensor
    h2: torch.Tensor
    out: torch.Tensor


def split_members(x: torch.Tensor, sizes: Sizes) -> torch.Tensor:
    """From [R, n, B * hidden] to [G, n, hidden]."""
    replicas, n, _ = x.shape
    by_member = x.view(replicas, n, sizes.members, sizes.hidden).transpose(1, 2)
    return by_member.reshape(sizes.networks, n, sizes.hidden)


def join_members(x: torch.Tensor, sizes: Sizes) -> torch.Tensor:
    """From [G, n, hidden] to [R, n, B * hidden]."""
    n = x.shape[1]
    by_input = x.view(sizes.replicas, sizes.members, n, sizes.hidden).transpose(1, 2)
    return by_input.reshape(sizes.replicas, n, sizes.width)


def forward(first: torch.Tensor, layers: Layers[torch.Tensor], sizes: Sizes) -> Activations:
    """The rest of the networks, from the first layer's products with the inputs.

    Args:
        first: float32 [R, n, B * hidden], without bias; overwritten.
        layers: weights.
        sizes: sizes.
    """
    h1 = split_members(first.add_(layers.b1).relu_(), sizes)
    h2 = torch.baddbmm(layers.b2, h1, layers.w2).relu_()
    return Activations(h1, h2, torch.baddbmm(layers.b3, layers.w3, h2.transpose(1, 2)))


def backward(
    seen: Activations,
    d_out: torch.Tensor,
    layers: Layers[torch.Tensor],
    gradient: Layers[torch.Tensor],
    sizes: Sizes,
) -> torch.Tensor:
    """Write the gradient of every layer but the first one's weights.

    Args:
        seen: activations; inputs beyond the first k do not count.
        d_out: float32 [G, outputs, k], derivative of the loss by the outputs.
        layers: weights.
        gradient: overwritten.
        sizes: sizes.

    Returns:
        float32 [R, k, B * hidden], derivative by the first layer's products.
    """
    k = d_out.shape[2]
    h1, h2 = seen.h1[:, :k], seen.h2[:, :k]
    torch.bmm(d_out, h2, out=gradient.w3)
    torch.sum(d_out, 2, keepdim=True, out=gradient.b3)
    d2 = through_relu(torch.bmm(d_out.transpose(1, 2), layers.w3), h2)
    torch.bmm(h1.transpose(1, 2), d2, out=gradient.w2)
    torch.sum(d2, 1, keepdim=True, out=gradient.b2)
    d1 = through_relu(torch.bmm(d2, layers.w2.transpose(1, 2)), h1)
    d_first = join_members(d1, sizes)
    torch.sum(d_first, 1, keepdim=True, out=gradient.b1)
    return d_first


def through_relu(derivative: torch.Tensor, output: torch.Tensor) -> torch.Tensor:
    """The derivative by the input of a ReLU, from that by its output; zero where it is off."""
    return torch.ops.aten.threshold_backward(derivative, output, 0)
