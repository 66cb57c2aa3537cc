"""Reading one one-hot observation, compiled: numpy goes through the numbers several times.

The rule is that of :func:`mfbpi_core.data.one_hot.marked_cells`, which reads what this leaves.
"""

from __future__ import annotations

import numpy as np

from mfbpi_core.data.arrays import Array
from mfbpi_lib_torch.kernels.compiling import available, compiled
from mfbpi_lib_torch.kernels.parts import Floats

#: What :func:`cell_of` returns where it has no answer.
UNREAD = -1

#: What compiled functions can read: not half and long floats, nor those of another byte order.
READABLE = (np.dtype(np.float32), np.dtype(np.float64))


def cell_of(shown: Array) -> int:
    """The cell that an observation [inputs] marks, ``inputs`` if none; UNREAD if it is unusual."""
    if not available() or shown.dtype not in READABLE:
        return UNREAD
    cell: int = _marked(shown)
    return cell


@compiled
def _marked(shown: Floats) -> int:
    found = shown.size
    for i in range(shown.size):
        if shown[i] != 0:
            if shown[i] != 1 or found < shown.size:
                return UNREAD
            found = i
    return found
