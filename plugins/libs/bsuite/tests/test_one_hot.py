"""Cell numbers of one-hot observations."""

import subprocess
import sys

import numpy as np

from mfbpi_lib_bsuite.one_hot import indices_of


def test_every_cell():
    """Cell (row, column) of a 3 x 3 grid is number 3 row + column; nothing marked is 9."""
    cells = np.concatenate([np.eye(9, dtype=np.float32), np.zeros((1, 9), dtype=np.float32)])
    numbers = indices_of(cells.reshape(10, 3, 3))

    assert numbers.dtype == np.int64
    assert numbers.tolist() == list(range(10))


def test_library_imports_no_bsuite():
    """Who imports the library does not pay for bsuite."""
    modules = "mfbpi_lib_bsuite.environment, mfbpi_lib_bsuite.one_hot, mfbpi_lib_bsuite.raw"
    probe = f"import sys, {modules}; print('bsuite' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True, timeout=60
    )

    assert done.stdout.strip() == "False"
