"""A first layer for one-hot inputs: a table of weights, of which a step touches a few rows.

Dense Adam moves every row at every step. Here a row is brought up to date only when it is read,
by the closed form of :mod:`mfbpi_lib_torch.networks.adam`; the result is that of dense Adam. The
target copy is kept in the same way: a row of it is filled before its original changes, and until
then computed when it is read.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import ClassVar

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_lib_torch.device import as_tensor, placed
from mfbpi_lib_torch.late import torch
from mfbpi_lib_torch.networks.adam import BETA1, BETA2, EPS, RHO, adam_, correction, root
from mfbpi_lib_torch.stateful import COUNTED, Stateful

#: Factors below this are taken for zero, before they become denormal and slow.
NEGLIGIBLE = 1e-16


@attrs.frozen(eq=False)
class Rows:
    """Which rows a batch reads.

    Attributes:
        unique: int64 [n], the rows, each once; those that learn come first.
        n_learning: how many learn.
        index: int64 [n], ``unique`` on the device of the table.
        inverse: int64 [R, batch], for each input its place in ``unique``, on the device.
    """

    unique: npt.NDArray[np.int64]
    n_learning: int
    index: torch.Tensor
    inverse: torch.Tensor

    @classmethod
    def of(cls, rows: npt.NDArray[np.int64], n_teaching: int, device: str) -> Rows:
        """The rows [R, batch] that inputs of R replicas select.

        The first ``n_teaching`` inputs of each replica have a gradient; the others are only read.
        """
        learning = np.unique(rows[:, :n_teaching])
        reading = np.setdiff1d(rows[:, n_teaching:], learning)
        unique = np.concatenate([learning, reading])
        places = np.empty(rows.max() + 1, dtype=np.int64)
        places[unique] = np.arange(unique.size)
        index, inverse = (torch.from_numpy(a).to(device) for a in (unique, places[rows]))
        return cls(unique, learning.size, index, inverse)

    def learning(self, n_teaching: int) -> Rows:
        """The rows of the first ``n_teaching`` inputs alone, which are those that learn."""
        k = self.n_learning
        return Rows(self.unique[:k], k, self.index[:k], self.inverse[:, :n_teaching])


class RowTable(Stateful):
    """Weights [rows, width] with Adam's moments and a target copy.

    Args:
        weights: float32 [rows, width].
        rate: learning rate of the rows, which may be set apart when they are made.
        frozen: rows that never learn.
        device: where they live.
        target: whether a target copy is kept.
    """

    saved: ClassVar[tuple[str, ...]] = (
        "blocks",
        "target",
        "age",
        "decay",
        "decay_eps",
        "pending",
        "pending_eps",
        "pending_at_copy",
        "fresh",
        "step",
    )

    views: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "blocks": ("_blocks",),
        "target": ("_copied",),
    }

    #: Methods that compiled functions do themselves; see :mod:`mfbpi_lib_torch.learning.paths`.
    parts_of_learning: ClassVar[tuple[str, ...]] = (
        "peek",
        "open",
        "close",
        "_target",
        "_put",
        "_lag",
        "_epsilon",
        "_column",
        "_blocks",
        "_copied",
    )

    def __init__(
        self,
        weights: npt.NDArray[np.float32],
        rate: float,
        frozen: npt.NDArray[np.int64],
        device: str,
        *,
        target: bool,
    ) -> None:
        n_rows, width = weights.shape
        self.rate = rate
        self.device = device
        self.step = 0
        # Weights, first and second moments side by side, so that a row is one piece of memory.
        blocks = np.zeros((n_rows, 3, width), np.float32)
        blocks[:, 0] = weights
        self.blocks = placed(blocks, device)
        self.target = placed(weights.copy() if target else np.empty(0, np.float32), device)
        self.has_target = target
        self.age = np.zeros(n_rows, dtype=np.int64)  # steps by which a row lags behind
        self.decay = np.ones(n_rows)  # rho^age
        self.decay_eps = np.ones(n_rows)  # (beta1 / beta2)^age
        self.pending = np.zeros(n_rows)  # sum of rho^j c(t + j) over the lag
        self.pending_eps = np.zeros(n_rows)  # the same, each term times its e(j)
        self.pending_at_copy = np.zeros(n_rows)  # the same when the target was copied last
        self.fresh = np.ones(n_rows, dtype=np.bool_)  # target[row] holds that copy
        self.learns = np.ones(n_rows, dtype=np.float32)
        self.learns[frozen] = 0.0
        self._any_frozen = frozen.size > 0

    def ranges(self) -> dict[str, tuple[float, float]]:
        """Steps are counted from 0, and no row lags behind by more than can be counted."""
        return {"step": COUNTED, "age": COUNTED}

    @functools.cached_property
    def _blocks(self) -> torch.Tensor:
        return as_tensor(self.blocks)

    @functools.cached_property
    def _copied(self) -> torch.Tensor:
        return as_tensor(self.target)

    def peek(self, rows: npt.NDArray[np.int64]) -> torch.Tensor:
        """The present weights [n, width] of rows, changing nothing."""
        index = torch.from_numpy(rows).to(self.device)
        p, m, v = self._blocks.index_select(0, index).unbind(1)
        if self.step == 0:
            return p
        ratio = m / root(v).add_(self._epsilon(rows))
        return p.addcmul_(ratio, self._column(self.pending[rows]), value=-self.rate)

    def open(self, rows: Rows) -> OpenRows:
        """Bring the weights of rows up to date, and the moments of those that learn."""
        block = self._blocks.index_select(0, rows.index)  # [n, 3, width]
        p, m, v = block.unbind(1)
        target = p
        if self.step:
            ratio = m / root(v).add_(self._epsilon(rows.unique))
            target = self._target(rows, p, ratio)
            p.addcmul_(ratio, self._column(self.pending[rows.unique]), value=-self.rate)
            k = rows.n_learning
            age = self.age[rows.unique[:k]]
            kept = BETA1**age
            m[:k].mul_(self._column(np.where(kept < NEGLIGIBLE, 0.0, kept)))
            v[:k].mul_(self._column(BETA2**age))
        return OpenRows(self, rows, block, target)

    def _target(self, rows: Rows, p: torch.Tensor, ratio: torch.Tensor) -> torch.Tensor:
        """The target copy [n, width] of rows; kept for those that are about to change."""
        if not self.has_target:
            return p
        old = torch.addcmul(
            p, ratio, self._column(self.pending_at_copy[rows.unique]), value=-self.rate
        )
        fresh = np.flatnonzero(self.fresh[rows.unique])
        if fresh.size:
            index = torch.from_numpy(fresh).to(p.device)
            old.index_copy_(0, index, self._copied.index_select(0, rows.index[index]))
        self._put(self._copied, rows, old)
        self.fresh[rows.unique[: rows.n_learning]] = True
        return old

    def close(self, opened: OpenRows, gradient: torch.Tensor) -> None:
        """Take a step with the gradient [k, width] of the rows that learn, zero for all others."""
        self.step += 1
        k = opened.rows.n_learning
        rows = opened.rows.unique[:k]
        if self._any_frozen:
            gradient.mul_(self._column(self.learns[rows]))
        p, m, v = opened.block[:k].unbind(1)
        adam_(p, gradient, m, v, self.step, self.rate)
        self._put(self._blocks, opened.rows, opened.block)
        self._lag()
        self.age[rows], self.decay[rows], self.decay_eps[rows] = 0, 1.0, 1.0
        self.pending[rows] = self.pending_eps[rows] = 0.0

    def _put(self, table: torch.Tensor, rows: Rows, values: torch.Tensor) -> None:
        """Overwrite the rows that learn; on the CPU by numpy, whose copy is three times as fast."""
        k = rows.n_learning
        if table.device.type == "cpu":
            table.numpy()[rows.unique[:k]] = values[:k].numpy()
        else:
            table.index_copy_(0, rows.index[:k], values[:k])

    def _lag(self) -> None:
        """Let every row fall one step behind."""
        self.age += 1
        for decay, ratio in ((self.decay, RHO), (self.decay_eps, BETA1 / BETA2)):
            decay *= ratio
            decay *= decay > NEGLIGIBLE
        c = correction(self.step)
        self.pending += c * self.decay
        self.pending_eps += (c * math.sqrt(1.0 - BETA2**self.step)) * self.decay_eps

    def copy_to_target(self) -> None:
        """Make the target copy equal to the present weights."""
        self.pending_at_copy[...] = self.pending
        self.fresh[...] = False

    def _epsilon(self, rows: npt.NDArray[np.int64]) -> torch.Tensor:
        """eps' [n, 1] of rows, averaged over the steps by which they lag."""
        pending = self.pending[rows]
        mean = np.divide(
            self.pending_eps[rows], pending, out=np.ones_like(pending), where=pending > 0
        )
        return self._column(EPS * mean)

    def _column(self, values: npt.NDArray[np.floating]) -> torch.Tensor:
        column = torch.from_numpy(values.astype(np.float32))[:, None]
        return column.to(self.device)


@attrs.frozen(eq=False)
class OpenRows:
    """Rows of a table that are up to date, from :meth:`RowTable.open` until the step is taken.

    Attributes:
        table: the table.
        rows: which rows.
        block: float32 [n, 3, width], weights and moments; moments only of the rows that learn.
        target: float32 [n, width], the target copy.
    """

    table: RowTable
    rows: Rows
    block: torch.Tensor
    target: torch.Tensor

    def online(self, at: slice) -> torch.Tensor:
        """The weights [R, n, width] that some inputs select."""
        return self._selected(self.block[:, 0], at)

    def copied(self, at: slice) -> torch.Tensor:
        """The target weights [R, n, width] that some inputs select."""
        return self._selected(self.target, at)

    def _selected(self, weights: torch.Tensor, at: slice) -> torch.Tensor:
        inverse = self.rows.inverse[:, at]
        return weights.index_select(0, inverse.reshape(-1)).view(*inverse.shape, -1)

    def learn(self, gradient: torch.Tensor) -> None:
        """Take a step with the gradient [R, k, width] of what the first k inputs selected."""
        index = self.rows.inverse[:, : gradient.shape[1]].reshape(-1)
        summed = gradient.new_zeros(self.rows.n_learning, gradient.shape[2])
        summed.index_add_(0, index, gradient.view(-1, gradient.shape[2]))
        self.table.close(self, summed)
