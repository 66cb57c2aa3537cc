"""Ensembles of perceptrons with two hidden layers, for several replicas at once.

R replicas of B members are G = R B networks in one batched tensor. Members of a replica see the
same inputs, replicas their own. Gradients are written by hand: the networks are small and an
automatic differentiation would cost as much as the arithmetic.

On a CPU the numbers are arrays, which compiled functions work on; torch sees them as tensors in
the same memory, from the first time that it is asked.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core.data.arrays import Array
from mfbpi_lib_torch.device import as_tensor, placed
from mfbpi_lib_torch.kernels.acting import outputs
from mfbpi_lib_torch.kernels.nets import net_of
from mfbpi_lib_torch.kernels.parts import Net
from mfbpi_lib_torch.late import torch
from mfbpi_lib_torch.networks.acting import Acting
from mfbpi_lib_torch.networks.adam import adam_
from mfbpi_lib_torch.networks.initialisers import Floats, draw
from mfbpi_lib_torch.networks.layers import (
    Activations,
    Layers,
    Sizes,
    backward,
    forward,
    zeros,
)
from mfbpi_lib_torch.networks.rows import OpenRows, Rows, RowTable
from mfbpi_lib_torch.stateful import COUNTED, NOT_NEGATIVE

#: Rows of a table added for an input of zeros, which selects no weight.
ZERO_ROWS = 1


@attrs.frozen(kw_only=True)
class Initial:
    """How the first weights are drawn: a rule of ``initialisers`` and the gain it takes."""

    rule: str
    gain: float = 1.0


@attrs.frozen(eq=False)
class Inputs:
    """Inputs of a batch: ``rows`` where they are one-hot, else ``features`` [R, n, inputs]."""

    rows: Rows | None = None
    features: torch.Tensor | None = None


def initial_layers(
    sizes: Sizes, initial: Initial, generators: Sequence[np.random.Generator]
) -> tuple[Layers[Floats], Floats]:
    """Draw every network, each replica from its own generator.

    Returns:
        The layers, and the first layer's weights [R, inputs, B * hidden].
    """
    layers = Layers(sizes, zeros(sizes))
    first = np.empty((sizes.replicas, sizes.inputs, sizes.width), np.float32)
    hidden, members = sizes.hidden, sizes.members
    for r, generator in enumerate(generators):
        own = slice(r * members, (r + 1) * members)
        w, b = draw(initial.rule, (members, sizes.inputs, hidden), generator, initial.gain)
        first[r] = w.transpose(1, 0, 2).reshape(sizes.inputs, sizes.width)
        layers.b1[r, 0] = b.ravel()
        w, b = draw(initial.rule, (members, hidden, hidden), generator, initial.gain)
        layers.w2[own], layers.b2[own, 0] = w, b
        w, b = draw(initial.rule, (members, hidden, sizes.outputs), generator, initial.gain)
        layers.w3[own], layers.b3[own, :, 0] = w.transpose(0, 2, 1), b
    if not sizes.one_hot:
        layers.w1[...] = first
    return layers, first


def table_rows(codes: npt.NDArray[np.int64], inputs: int) -> npt.NDArray[np.int64]:
    """Rows [R, n] of a table of all replicas, from the cells [R, n] of each."""
    if len(codes) == 1:
        return codes
    offsets = np.arange(len(codes), dtype=np.int64) * (inputs + ZERO_ROWS)
    return codes + offsets[:, None]


def with_zero_rows(first: Floats) -> Floats:
    """From weights [R, inputs, width] to a table [R * (inputs + 1), width]."""
    return np.pad(first, ((0, 0), (0, ZERO_ROWS), (0, 0))).reshape(-1, first.shape[2])


class Ensemble(Acting):
    """G networks that learn by Adam, with a target copy if wanted.

    A step is ``open``, then ``online`` and perhaps ``copied``, then ``learn``.

    Args:
        sizes: sizes.
        initial: first weights.
        rate: learning rate; it stays, for rows of a table catch up by it with many steps at once.
        generators: one for each replica.
        device: where the weights live.
        target: whether a target copy is kept.
    """

    saved: ClassVar[tuple[str, ...]] = (
        "flat",
        "first_moment",
        "second_moment",
        "target_flat",
        "table",
        "step",
    )

    views: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "flat": ("layers", "target_layers"),
        "target_flat": ("target_layers",),
        "first_moment": ("moments",),
        "second_moment": ("moments",),
    }

    #: Methods that compiled functions do themselves; see :mod:`mfbpi_lib_torch.learning.paths`.
    parts_of_learning: ClassVar[tuple[str, ...]] = (
        "open",
        "online",
        "copied",
        "learn",
        "_dense",
        "_features",
        "layers",
        "target_layers",
        "gradient",
        "moments",
        "rate",
    )

    def __init__(
        self,
        sizes: Sizes,
        initial: Initial,
        rate: float,
        generators: Sequence[np.random.Generator],
        device: str,
        *,
        target: bool = True,
    ) -> None:
        self.sizes = sizes
        self.device = device
        self._rate = rate
        self.step = 0
        layers, first = initial_layers(sizes, initial, generators)
        copied = zeros(sizes) if target else np.empty(0, np.float32)
        if target:
            copied[...] = layers.flat
        self.flat, self.target_flat = placed(layers.flat, device), placed(copied, device)
        self.first_moment = placed(zeros(sizes), device)
        self.second_moment = placed(zeros(sizes), device)
        self.has_target = target
        self.table: RowTable | None = None
        if sizes.one_hot:
            zero_rows = np.arange(1, sizes.replicas + 1) * (sizes.inputs + ZERO_ROWS) - 1
            self.table = RowTable(with_zero_rows(first), rate, zero_rows, device, target=target)
        self._inputs = Inputs()
        self._opened: OpenRows | None = None

    def net(self, r: int) -> Net:
        """The weights of replica r, in the memory of all, as compiled functions take them."""
        return net_of(self, r)

    @functools.cached_property
    def layers(self) -> Layers[torch.Tensor]:
        """The weights."""
        return Layers(self.sizes, as_tensor(self.flat))

    @functools.cached_property
    def target_layers(self) -> Layers[torch.Tensor]:
        """Those of the target copy, or else the weights."""
        if not self.has_target:
            return self.layers
        return Layers(self.sizes, as_tensor(self.target_flat))

    @functools.cached_property
    def gradient(self) -> Layers[torch.Tensor]:
        """Derivatives of the loss, of the last step."""
        return Layers(self.sizes, as_tensor(placed(zeros(self.sizes), self.device)))

    @functools.cached_property
    def moments(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Adam's, first and second."""
        return as_tensor(self.first_moment), as_tensor(self.second_moment)

    @property
    def rate(self) -> float:
        """The learning rate."""
        return self._rate

    def ranges(self) -> dict[str, tuple[float, float]]:
        """Steps are counted from 0, and averages of squares are not negative."""
        return {"step": COUNTED, "second_moment": NOT_NEGATIVE}

    def act(self, inputs: Array) -> npt.NDArray[np.float32]:
        """Outputs [G, outputs] for one input of each replica, changing nothing.

        Args:
            inputs: int64 [R], cells, or float32 [R, features].
        """
        if self.nets:
            return outputs(self.nets, inputs)
        if self.table is not None:
            rows = table_rows(inputs[:, None], self.sizes.inputs)
            first = self.table.peek(rows.ravel())[:, None]
        else:
            features = torch.from_numpy(inputs)[:, None].to(self.device)
            first = torch.bmm(features, self.layers.w1)
        out: npt.NDArray[np.float32] = (
            forward(first, self.layers, self.sizes).out[..., 0].cpu().numpy()
        )
        return out

    def open(self, inputs: Inputs) -> None:
        """Start a step on a batch."""
        self._inputs = inputs
        if self.table is not None:
            assert inputs.rows is not None
            self._opened = self.table.open(inputs.rows)

    def online(self, at: slice = slice(None)) -> Activations:
        """The networks at the open batch, or at some inputs of it, from the first."""
        if self._opened is not None:
            return forward(self._opened.online(at), self.layers, self.sizes)
        return self._dense(self.layers, at)

    def copied(self, at: slice = slice(None)) -> torch.Tensor:
        """Outputs [G, outputs, n] of the target copy at the open batch, or at some inputs of it."""
        if self._opened is not None:
            return forward(self._opened.copied(at), self.target_layers, self.sizes).out
        return self._dense(self.target_layers, at).out

    def _dense(self, layers: Layers[torch.Tensor], at: slice) -> Activations:
        return forward(torch.bmm(self._features()[:, at], layers.w1), layers, self.sizes)

    def _features(self) -> torch.Tensor:
        assert self._inputs.features is not None
        return self._inputs.features

    def learn(self, seen: Activations, d_out: torch.Tensor) -> None:
        """Take a step of Adam.

        Args:
            seen: what :meth:`online` returned.
            d_out: float32 [G, outputs, k], derivative of the loss by the outputs at the first k
                inputs of each replica.
        """
        d_first = backward(seen, d_out, self.layers, self.gradient, self.sizes)
        if self._opened is not None:
            self._opened.learn(d_first)
            self._opened = None
        else:
            features = self._features()[:, : d_out.shape[2]]
            torch.bmm(features.transpose(1, 2), d_first, out=self.gradient.w1)
        self.step += 1
        adam_(self.layers.flat, self.gradient.flat, *self.moments, self.step, self.rate)

    def count_step(self) -> None:
        """Know of a step that compiled functions took."""
        self.step += 1
        if self.table is not None:
            self.table.step += 1

    def copy_to_target(self) -> None:
        """Make the target copy, if there is one, equal to the present weights."""
        if not self.has_target:
            return
        copied: Any = self.target_flat
        copied[...] = self.flat
        if self.table is not None:
            self.table.copy_to_target()
