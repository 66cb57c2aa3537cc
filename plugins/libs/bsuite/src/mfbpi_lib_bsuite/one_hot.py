"""DeepSea's observations as numbers: one-hot grids need no arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def index_of(observation: npt.NDArray[Any]) -> int:
    """Number of the cell that a one-hot array marks.

    Args:
        observation: array of any shape with at most one entry that is not zero, such as DeepSea's
            N x N grid.

    Returns:
        Position of that entry in the flattened array, 0 to its size - 1 (row N + column); the size
        itself for the array of zeros that ends an episode.
    """
    flat = observation.reshape(-1)
    index = int(flat.argmax())
    return index if flat[index] else flat.size


def indices_of(observations: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The same for a batch [n, ...]; int64 [n]."""
    flat = observations.reshape(len(observations), -1)
    index = flat.argmax(axis=1)
    marked = flat[np.arange(len(flat)), index] != 0
    return np.where(marked, index, flat.shape[1]).astype(np.int64, copy=False)
