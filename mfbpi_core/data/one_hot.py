"""One-hot observations as numbers: the rule for reading them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mfbpi_core.data.arrays import Array


def marked_cells(observations: Array) -> npt.NDArray[np.int64]:
    """Numbers of the cells that one-hot arrays mark, int64 [n].

    Args:
        observations: [n, ...], each with at most one entry that is not zero, such as DeepSea's
            N x N grids.

    Returns:
        Position of that entry in the flattened array, 0 to its size - 1 (row N + column); the size
        itself for an array of zeros, such as DeepSea shows after an episode's last step.
    """
    flat = observations.reshape(len(observations), -1)
    index = flat.argmax(axis=1)
    marked = flat[np.arange(len(flat)), index] != 0
    return np.where(marked, index, flat.shape[1]).astype(np.int64, copy=False)
