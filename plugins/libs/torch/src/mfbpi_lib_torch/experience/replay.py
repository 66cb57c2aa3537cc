"""A replay buffer of fixed size, allocated once, that samples with its own generator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from mfbpi_core.data.arrays import Array
from mfbpi_core.data.plain import StateDict
from mfbpi_core.errors import CheckpointError
from mfbpi_core.running.generators import restore_generator, state_with_seeds
from mfbpi_lib_torch.stateful import COUNTED, Stateful, check_finite, whole_number

#: Shape of one entry and type of a column.
Column = tuple[tuple[int, ...], npt.DTypeLike]


class Replay(Stateful):
    """A ring of transitions in columns.

    Args:
        capacity: transitions kept; the oldest give way.
        columns: by name, shape and type of an entry.
        rng: the generator that samples, not shared with anything else.
        largest: of columns whose numbers are places in tables, counted from 0, the last place.
    """

    #: Methods that compiled functions do themselves; see :mod:`mfbpi_lib_torch.learning.paths`.
    parts_of_learning: ClassVar[tuple[str, ...]] = ("sample", "places")

    def __init__(
        self,
        capacity: int,
        columns: Mapping[str, Column],
        rng: np.random.Generator,
        largest: Mapping[str, int] | None = None,
    ) -> None:
        self.capacity = capacity
        self.largest = largest or {}
        self.columns = {
            name: np.zeros((capacity, *shape), dtype=dtype)
            for name, (shape, dtype) in columns.items()
        }
        self.rng = rng
        self.added = 0

    def __len__(self) -> int:
        return min(self.added, self.capacity)

    @property
    def nbytes(self) -> int:
        """Memory of a full buffer."""
        return sum(column.nbytes for column in self.columns.values())

    def add(self, **entry: object) -> None:
        """Append a transition, one value for each column."""
        place = self.added % self.capacity
        for name, value in entry.items():
            self.columns[name][place] = value
        self.added += 1

    def sample(self, n: int) -> dict[str, Array]:
        """``n`` transitions drawn uniformly, with replacement, as columns."""
        places = self.places(n)
        return {name: column[places] for name, column in self.columns.items()}

    def places(self, n: int) -> npt.NDArray[np.int64]:
        """Where ``n`` transitions are that are drawn uniformly, with replacement."""
        return self.rng.integers(len(self), size=n)

    def state_dict(self) -> StateDict:
        """What is stored so far, and the generator."""
        return {
            "columns": {name: c[: len(self)].copy() for name, c in self.columns.items()},
            "added": self.added,
            "rng": state_with_seeds(self.rng, "Replay.rng"),
        }

    def load_state_dict(self, state: StateDict) -> None:
        """Restore :meth:`state_dict`.

        Raises:
            CheckpointError: when the columns or the capacity differ, or a column has numbers of
                another kind, or such that are no places: compiled code would follow them.
        """
        if set(state) != {"columns", "added", "rng"}:
            raise CheckpointError(
                f"the saved replay buffer has {sorted(state)}; expected added, columns and rng"
            )
        # Whole arrays: of one that hides entries, the largest would be that of the others.
        saved = {name: np.asarray(column) for name, column in state["columns"].items()}
        added = whole_number("Replay.added", state["added"], *COUNTED)
        stored = min(added, self.capacity)
        expected = {name: (stored, *own.shape[1:]) for name, own in self.columns.items()}
        found = {name: column.shape for name, column in saved.items()}
        if found != expected:
            raise CheckpointError(
                f"the saved replay buffer has columns {found}; expected {expected} "
                "(load it into an agent with the same problem and parameters)"
            )
        for name, column in saved.items():
            self._check_numbers(name, column)
        for name, column in self.columns.items():
            column[:stored] = saved[name]
        self.added = added
        restore_generator(self.rng, state["rng"])

    def _check_numbers(self, name: str, column: Array) -> None:
        """Refuse numbers of another kind, and places that there are not."""
        kind, last = self.columns[name].dtype, self.largest.get(name)
        whole = column.dtype.kind in "iu"
        if last is not None and (
            not whole or (column.size and (column.min() < 0 or column.max() > last))
        ):
            raise CheckpointError(
                f"the saved replay buffer has other numbers for {name!r} than 0 to {last}"
            )
        if not np.can_cast(column.dtype, kind, "same_kind"):
            raise CheckpointError(
                f"the saved replay buffer has {column.dtype} for {name!r}; expected {kind}"
            )
        check_finite(f"replay buffer's {name!r}", column.astype(kind))
