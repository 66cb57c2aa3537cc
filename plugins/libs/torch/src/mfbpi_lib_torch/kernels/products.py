"""Products of small matrices, tile by tile.

Arrays that are written have a multiple of LANES columns and rows. Tiles are whole, so that what
lies beyond the last row and column has no meaning, and up to LANES - 1 numbers beyond the end of an
operand are read; nothing of that is ever summed.
"""

from __future__ import annotations

import math

from mfbpi_lib_torch.kernels.compiling import compiled, leaf
from mfbpi_lib_torch.kernels.parts import Floats, Matrix
from mfbpi_lib_torch.kernels.tiles import LANES, ROWS, tile_of

_tile_1, _tile_2, _tile_3 = tile_of(1), tile_of(2), tile_of(3)
_ROWS_1, _ROWS_2, _ROWS_3 = ROWS[1], ROWS[2], ROWS[3]


@leaf
def multiply(a: Floats, b: Matrix, bias: Matrix, count: int, depth: int, to: Floats) -> None:
    """Write a b + bias, for ``count`` rows of ``a`` and ``depth`` rows of ``b``."""
    _fill(a, a.shape[1], 1, b, bias, to.dtype.type(-math.inf), count, depth, to)


@leaf
def multiply_rectified(
    a: Floats, b: Matrix, bias: Matrix, count: int, depth: int, to: Floats
) -> None:
    """The same, cut at zero."""
    _fill(a, a.shape[1], 1, b, bias, to.dtype.type(0), count, depth, to)


@leaf
def multiply_transposed(
    a: Floats, b: Matrix, bias: Matrix, count: int, depth: int, to: Floats
) -> None:
    """Write a^T b + bias, for ``count`` columns of ``a`` and ``depth`` rows of both."""
    _fill(a, 1, a.shape[1], b, bias, to.dtype.type(-math.inf), count, depth, to)


@leaf
def multiply_back(
    a: Floats, b: Matrix, passed: Floats, count: int, depth: int, to: Floats, totals: Floats
) -> None:
    """Write a b where the outputs ``passed`` of a ReLU are positive, zero elsewhere.

    The totals are the sums over the rows: rows of ``a`` that complete a tile must be zero.
    """
    totals[:] = 0
    _fill(a, a.shape[1], 1, b, Matrix(totals, 0, 0), passed, count, depth, to)


@compiled
def _fill(
    a: Floats,
    down: int,
    along: int,
    b: Matrix,
    beside: Matrix,
    limit: float | Floats,
    count: int,
    depth: int,
    to: Floats,
) -> None:
    """Tiles below each other come first: the columns of ``b`` stay in the nearest cache."""
    width, step, start, factors = to.shape[1], b.step, beside.numbers, b.numbers
    at = 0
    while at < width:
        vectors = _next_vectors((width - at) // LANES)
        first, column = beside.at + at, b.at + at
        i = 0
        while i < count:
            here, row = i * width + at, i * down
            if vectors == 3:
                _tile_3(
                    to, here, start, first, limit, a, row, down, along, factors, column, step, depth
                )
                i += _ROWS_3
            elif vectors == 2:
                _tile_2(
                    to, here, start, first, limit, a, row, down, along, factors, column, step, depth
                )
                i += _ROWS_2
            else:
                _tile_1(
                    to, here, start, first, limit, a, row, down, along, factors, column, step, depth
                )
                i += _ROWS_1
        at += vectors * LANES


@leaf
def _next_vectors(left: int) -> int:
    """How many vectors the next tiles have: 3 or 2, for a tile of 1 waits for its sums."""
    return 3 if left == 3 or left > 4 else min(left, 2)
