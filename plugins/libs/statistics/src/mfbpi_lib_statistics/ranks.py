"""Ranks, by which numbers of any unit are compared."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def ranked(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Ranks from 1, those of equal values their mean; float64 [n].

    Args:
        values: [n] numbers; infinite ones are the largest.

    >>> ranked([7.0, 3.0, 7.0, 1.0]).tolist()
    [3.5, 2.0, 3.5, 1.0]
    """
    _, places, counts = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)  # rank of the last of each group of equal values
    return (last - (counts - 1) / 2.0)[places.reshape(-1)]
