"""Cell numbers of one-hot observations."""

import numpy as np

from mfbpi_core.data.one_hot import marked_cells


def test_every_cell():
    """Cell (row, column) of a 3 x 3 grid is number 3 row + column; nothing marked is 9."""
    cells = np.concatenate([np.eye(9, dtype=np.float32), np.zeros((1, 9), dtype=np.float32)])
    numbers = marked_cells(cells.reshape(10, 3, 3))

    assert numbers.dtype == np.int64
    assert numbers.tolist() == list(range(10))
