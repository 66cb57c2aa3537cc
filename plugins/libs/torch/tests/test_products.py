"""Products in tiles against numpy's, for sizes that fill no tile."""

import numpy as np
import pytest

from mfbpi_lib_torch.kernels.cells import UNREAD, cell_of
from mfbpi_lib_torch.kernels.compiling import available
from mfbpi_lib_torch.kernels.parts import Matrix
from mfbpi_lib_torch.kernels.products import (
    multiply,
    multiply_back,
    multiply_rectified,
    multiply_transposed,
)
from mfbpi_lib_torch.kernels.tiles import padded

pytestmark = pytest.mark.skipif(not available(), reason="numba is not installed")

#: Rows, depth and columns.
SIZES = [(1, 1, 1), (5, 8, 50), (91, 50, 50), (3, 50, 2), (8, 32, 32), (6, 7, 100)]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("size", SIZES)
def test_products_are_numpys(size, kind):
    """With a bias, cut at zero, and transposed; ``b`` lies within a longer array."""
    rows, depth, columns = size
    rng = np.random.default_rng(0)
    a = rng.normal(size=(padded(rows), padded(depth))).astype(kind)
    b, bias = rng.normal(size=(depth, columns)).astype(kind), rng.normal(size=columns).astype(kind)
    within = Matrix(np.concatenate([[np.nan], b.ravel(), np.zeros(8)]).astype(kind), 1, columns)
    start = Matrix(np.concatenate([bias, np.zeros(8)]).astype(kind), 0, 0)
    expected = a[:rows, :depth] @ b + bias

    found = np.zeros((padded(rows), padded(columns)), kind)
    multiply(a, within, start, rows, depth, found)
    close(found, expected)
    multiply_rectified(a, within, start, rows, depth, found)
    close(found, np.maximum(expected, 0.0))
    turned = np.ascontiguousarray(np.pad(a[:rows, :depth].T, ((0, 0), (0, padded(rows) - rows))))
    multiply_transposed(turned, within, start, rows, depth, found)
    close(found, expected)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("size", SIZES)
def test_derivatives_pass_back_through_a_relu(size, kind):
    """Where its output is positive; what lies beyond the last row is in no total."""
    rows, depth, columns = size
    rng = np.random.default_rng(1)
    a = np.zeros((padded(rows), padded(depth)), kind)
    a[:rows, :depth] = rng.normal(size=(rows, depth))
    b = rng.normal(size=(depth, columns)).astype(kind)
    passed = rng.normal(size=(padded(rows), padded(columns))).astype(kind)
    passed[0, 0] = 0.0
    expected = np.where(passed[:rows, :columns] > 0.0, a[:rows, :depth] @ b, 0.0)

    found, totals = np.full_like(passed, 7.0), np.full(padded(columns), 7.0, kind)
    within = Matrix(np.concatenate([b.ravel(), np.zeros(8)]).astype(kind), 0, columns)
    multiply_back(a, within, passed, rows, depth, found, totals)

    close(found, expected)
    np.testing.assert_allclose(totals[:columns], expected.sum(axis=0), rtol=1e-4, atol=1e-4)


def close(found, expected):
    """Equal where they have a meaning."""
    rows, columns = expected.shape
    np.testing.assert_allclose(found[:rows, :columns], expected, rtol=1e-4, atol=1e-5)


def test_numbers_that_are_none_pass_through():
    """A ReLU does not hide what went wrong."""
    a, numbers = np.full((8, 8), np.nan, np.float32), np.ones(80, np.float32)
    found = np.zeros((8, 8), np.float32)

    multiply_rectified(a, Matrix(numbers, 0, 8), Matrix(numbers, 0, 0), 1, 8, found)

    assert np.isnan(found[0]).all()


def test_cells_are_read():
    """A single 1, nothing, and what is for the careful path: two entries, another, integers."""
    shown = np.eye(4, dtype=np.float32)

    assert [cell_of(row) for row in shown] == [0, 1, 2, 3]
    assert cell_of(np.zeros(4)) == 4
    for unusual in (np.ones(4), np.full(1, 0.5), np.full(1, np.nan), np.eye(4, dtype=int)[0]):
        assert cell_of(unusual) == UNREAD
