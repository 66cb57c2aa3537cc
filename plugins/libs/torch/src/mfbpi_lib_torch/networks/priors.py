"""Randomised priors: fixed networks whose outputs are added to those that learn.

A prior never learns, so nothing of it is computed twice: for one-hot inputs its outputs are a
table over the cells, made once; for features they are computed once for each observation and
stored with the transition.

Source: Osband, Aslanides & Cassirer 2018, "Randomized prior functions for deep RL".
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from mfbpi_core.data.arrays import Array
from mfbpi_lib_torch.device import Numbers, as_array, as_tensor, placed
from mfbpi_lib_torch.kernels.acting import outputs
from mfbpi_lib_torch.kernels.nets import net_of_prior
from mfbpi_lib_torch.kernels.parts import Net
from mfbpi_lib_torch.late import torch
from mfbpi_lib_torch.networks.acting import Acting
from mfbpi_lib_torch.networks.ensemble import (
    Initial,
    initial_layers,
    table_rows,
    with_zero_rows,
)
from mfbpi_lib_torch.networks.initialisers import Floats
from mfbpi_lib_torch.networks.layers import Layers, Sizes, forward

#: Cells for which a table is filled at a time, to bound the memory of the hidden layers.
CHUNK = 512


class Prior(Acting):
    """Outputs of G fixed networks, scaled.

    Args:
        sizes: sizes, as those of the networks that learn.
        initial: weights.
        scale: factor of the outputs.
        generators: one for each replica.
        device: where outputs live.
        rectified: whether the outputs pass through a ReLU.
        at_next: whether learning needs the outputs at s' too, or those at s alone.
    """

    saved: ClassVar[tuple[str, ...]] = ("scale", "table", "flat")

    views: ClassVar[Mapping[str, tuple[str, ...]]] = {"flat": ("layers",), "table": ("_looked_up",)}

    #: Methods that compiled functions do themselves; see :mod:`mfbpi_lib_torch.learning.paths`.
    parts_of_learning: ClassVar[tuple[str, ...]] = (
        "of_rows",
        "by_network",
        "_values",
        "layers",
        "_looked_up",
    )

    def __init__(
        self,
        sizes: Sizes,
        initial: Initial,
        scale: float,
        generators: Sequence[np.random.Generator],
        device: str,
        *,
        rectified: bool = False,
        at_next: bool = True,
    ) -> None:
        self.sizes = sizes
        self.scale = float(scale)
        self.rectified = rectified
        self.at_next = at_next
        self.device = device
        layers, first = initial_layers(sizes, initial, generators)
        self.flat = placed(layers.flat, device)
        table = np.empty(0, np.float32)  # [R * (cells + 1), B * outputs]
        if sizes.one_hot:
            table = self._tabulate(layers, with_zero_rows(first))
        self.table: Numbers = placed(table, device)

    def ranges(self) -> dict[str, tuple[float, float]]:
        """Of another scale, outputs stored with transitions would go on beside those of ours."""
        return {"scale": (self.scale, self.scale)}

    def net(self, r: int) -> Net:
        """The weights of replica r, in the memory of all, as compiled functions take them."""
        return net_of_prior(self, r)

    @functools.cached_property
    def layers(self) -> Layers[torch.Tensor]:
        """The weights."""
        return Layers(self.sizes, as_tensor(self.flat))

    @functools.cached_property
    def _looked_up(self) -> torch.Tensor:
        return as_tensor(self.table)

    def _tabulate(self, layers: Layers[Floats], first: Floats) -> Floats:
        rows = first.reshape(self.sizes.replicas, -1, self.sizes.width)
        starts = range(0, rows.shape[1], CHUNK)
        parts = [self._outputs(layers, rows[:, start : start + CHUNK]) for start in starts]
        table = np.concatenate(parts, axis=1)
        return table.reshape(-1, table.shape[2])

    def _outputs(self, layers: Layers[Floats], first: Floats) -> Floats:
        """Scaled outputs [R, n, B * outputs], from the first layer's products [R, n, width].

        In double precision: rounded, the order of additions hardly ever shows, some one number in a
        million, so that libraries and numbers of threads agree.
        """
        sizes, n = self.sizes, first.shape[1]
        h1 = np.maximum(first + layers.b1, 0.0, dtype=np.float64)
        by_member = h1.reshape(sizes.replicas, n, sizes.members, sizes.hidden).swapaxes(1, 2)
        h2 = by_member.reshape(sizes.networks, n, sizes.hidden) @ layers.w2 + layers.b2
        out = layers.w3 @ np.maximum(h2, 0.0).swapaxes(1, 2) + layers.b3  # [G, outputs, n]
        if self.rectified:
            out = np.maximum(out, 0.0)
        by_replica = (out * self.scale).reshape(sizes.replicas, -1, n)
        return by_replica.swapaxes(1, 2).astype(np.float32)

    def _values(self, first: torch.Tensor) -> torch.Tensor:
        """Scaled outputs [R, n, B * outputs], from the first layer's products, in torch."""
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
            values = self._looked_up.index_select(0, torch.from_numpy(rows).to(self.device))
        else:
            features = torch.from_numpy(inputs)[:, None].to(self.device)
            values = self._values(torch.bmm(features, self.layers.w1))[:, 0]
        array: npt.NDArray[np.float32] = values.cpu().numpy()
        return array

    def _compiled(self, inputs: Array) -> npt.NDArray[np.float32]:
        if self.sizes.one_hot:
            rows = table_rows(inputs[:, None], self.sizes.inputs)
            return as_array(self.table)[rows[:, 0]]
        values = outputs(self.nets, inputs).reshape(self.sizes.replicas, -1)
        if self.rectified:
            np.maximum(values, 0.0, out=values)
        values *= np.float32(self.scale)
        return values

    def of_rows(self, rows: npt.NDArray[np.int64]) -> torch.Tensor:
        """Outputs [G, outputs, n] at table rows [R, n]."""
        index = torch.from_numpy(rows.ravel()).to(self.device)
        return self.by_network(self._looked_up.index_select(0, index).view(*rows.shape, -1))

    def by_network(self, values: torch.Tensor) -> torch.Tensor:
        """From [R, n, B * outputs], as stored, to [G, outputs, n]."""
        shape = (self.sizes.networks, self.sizes.outputs, values.shape[1])
        return values.transpose(1, 2).reshape(shape)
