"""Cell numbers of one-hot observations."""

import subprocess
import sys

import numpy as np

from mfbpi_lib_bsuite.one_hot import index_of, indices_of


def test_index_of_every_cell():
    """Cell (row, column) of a 3 x 3 grid is number 3 row + column; nothing marked is 9."""
    cells = np.eye(9, dtype=np.float32).reshape(9, 3, 3)

    assert [index_of(cell) for cell in cells] == list(range(9))
    assert index_of(np.zeros((3, 3), dtype=np.float32)) == 9


def test_batch_agrees_with_singles():
    """A batch gives what its members give, as int64."""
    cells = np.concatenate([np.eye(4), np.zeros((1, 4))])[[2, 4, 0]].reshape(3, 2, 2)
    numbers = indices_of(cells)

    assert numbers.dtype == np.int64
    assert numbers.tolist() == [index_of(cell) for cell in cells] == [2, 4, 0]


def test_library_imports_no_bsuite():
    """Who imports the library does not pay for bsuite."""
    modules = "mfbpi_lib_bsuite.environment, mfbpi_lib_bsuite.one_hot, mfbpi_lib_bsuite.raw"
    probe = f"import sys, {modules}; print('bsuite' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True, timeout=60
    )

    assert done.stdout.strip() == "False"
