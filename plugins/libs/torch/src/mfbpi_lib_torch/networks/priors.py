"""Randomised priors: fixed networks whose outputs are added to those that learn.

A prior never learns, so nothing of it is computed twice: for one-hot inputs its outputs are a
table over the cells, made once; for features they are computed once for each observation and
stored with the transition.

Source: Osband, Aslanides & Cassirer 2018, "Randomized prior functions for deep RL".
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import torch

from mfbpi_core.data.arrays import Array
from mfbpi_lib_torch.kernels.acting import outputs
from mfbpi_lib_torch.kernels.held import Held
from mfbpi_lib_torch.networks.ensemble import (
    Initial,
    initial_layers,
    table_rows,
    with_zero_rows,
)
from mfbpi_lib_torch.networks.layers import Sizes, forward
from mfbpi_lib_torch.stateful import Stateful

#: Cells for which a table is filled at a time, to bound the memory of the hidden layers.
CHUNK = 512


class Prior(Stateful):
    """Outputs of G fixed networks, scaled.

    Args:
        sizes: sizes, as those of the networks that learn.
        initial: weights.
        scale: factor of the outputs.
        generators: one for each replica, on the CPU.
        device: where outputs live.
        rectified: whether the outputs pass through a ReLU.
        at_next: whether learning needs the outputs at s' too, or those at s alone.
    """

    saved: ClassVar[tuple[str, ...]] = ("table", "flat")

    def __init__(
        self,
        sizes: Sizes,
        initial: Initial,
        scale: float,
        generators: Sequence[torch.Generator],
        device: torch.device,
        *,
        rectified: bool = False,
        at_next: bool = True,
    ) -> None:
        self.sizes = sizes
        self.scale = scale
        self.rectified = rectified
        self.at_next = at_next
        self.layers, first = initial_layers(sizes, initial, generators, device)
        self.flat = self.layers.flat
        self.nets: Sequence[Held] = ()  # where the compiled path is taken, its view of each replica
        self.table = first.new_empty(0)  # [R * (cells + 1), B * outputs]
        if sizes.one_hot:
            self.table = self._tabulate(with_zero_rows(first))

    def _tabulate(self, first: torch.Tensor) -> torch.Tensor:
        rows = first.view(self.sizes.replicas, -1, self.sizes.width)
        parts = [self._values(part.clone()) for part in torch.split(rows, CHUNK, dim=1)]
        return torch.cat(parts, dim=1).flatten(0, 1)

    def _values(self, first: torch.Tensor) -> torch.Tensor:
        """Scaled outputs [R, n, B * outputs]."""
        out = forward(first, self.layers, self.sizes).out
        scaled = (out.relu_() if self.rectified else out).mul_(self.scale)
        by_replica = scaled.view(self.sizes.replicas, -1, out.shape[2])
        return by_replica.transpose(1, 2).contiguous()

    def at(self, inputs: Array) -> npt.NDArray[np.float32]:
        """Outputs [R, B * outputs] at one input of each replica, int64 [R] or float32 [R, d]."""
        if self.nets:
            return self._compiled(inputs)
        if self.sizes.one_hot:
            rows = table_rows(inputs[:, None], self.sizes.inputs).ravel()
            values = self.table.index_select(0, torch.from_numpy(rows).to(self.table.device))
        else:
            features = torch.from_numpy(inputs)[:, None].to(self.flat.device)
            values = self._values(torch.bmm(features, self.layers.w1))[:, 0]
        array: npt.NDArray[np.float32] = values.cpu().numpy()
        return array

    @functools.cached_property
    def _array(self) -> npt.NDArray[np.float32]:
        """The table as numpy sees it, in the same memory: torch takes microseconds to say so."""
        array: npt.NDArray[np.float32] = self.table.numpy()
        return array

    def _compiled(self, inputs: Array) -> npt.NDArray[np.float32]:
        if self.sizes.one_hot:
            rows = table_rows(inputs[:, None], self.sizes.inputs)
            looked_up: npt.NDArray[np.float32] = self._array[rows[:, 0]]
            return looked_up
        values = outputs(self.nets, inputs).reshape(self.sizes.replicas, -1)
        if self.rectified:
            np.maximum(values, 0.0, out=values)
        values *= np.float32(self.scale)
        return values

    def of_rows(self, rows: npt.NDArray[np.int64]) -> torch.Tensor:
        """Outputs [G, outputs, n] at table rows [R, n]."""
        index = torch.from_numpy(rows.ravel()).to(self.table.device)
        return self.by_network(self.table.index_select(0, index).view(*rows.shape, -1))

    def by_network(self, values: torch.Tensor) -> torch.Tensor:
        """From [R, n, B * outputs], as stored, to [G, outputs, n]."""
        shape = (self.sizes.networks, self.sizes.outputs, values.shape[1])
        return values.transpose(1, 2).reshape(shape)
