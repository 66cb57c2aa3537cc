"""A tile of a product of matrices, with its sums in vector registers.

BLAS first brings matrices into an order of its own, which takes a third of the time where they are
as small as ours. A tile multiplies them as they lie. numba has no type for a vector, so that a
tile is written in the language of LLVM, which maps it to whatever vectors a processor has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from mfbpi_lib_torch.kernels.compiling import available, compiled

#: Numbers in a vector.
LANES = 8

#: Rows of a tile, by its vectors: up to 12 sums, which with what they are made of fill the 16
#: registers of AVX2, and no less than 8, for a processor begins two a cycle and ends one in four.
ROWS = {1: 8, 2: 4, 3: 4}


@compiled
def padded(size: int) -> int:
    """The next multiple of the lanes, and so of the rows of any tile."""
    return (size + LANES - 1) // LANES * LANES


class Operand(NamedTuple):
    """An array of a tile, as LLVM sees it: its first number, and where the tile's own are."""

    data: Any
    at: Any


def tile_of(vectors: int) -> Callable[..., None]:
    """A function for tiles of that many vectors, to be called by compiled functions alone.

    ``tile(to, to_at, row, row_at, limit, a, a_at, down, along, b, b_at, step, depth)`` writes,
    for ROWS[vectors] rows and LANES * vectors columns, where ``limit`` is a number

        to[i, j] = max(limit, row[j] + sum_k a[i, k] b[k, j])

    and, where it is an array of the shape of ``to``, what passes back through a ReLU whose outputs
    it has, and adds that up:

        to[i, j] = sum_k a[i, k] b[k, j] if limit[i, j] > 0 else 0,    row[j] += sum_i to[i, j]

    Arrays are contiguous, and ``to`` has two axes. ``to_at`` and the like are places of the first
    number. Rows of ``b`` are ``step`` numbers apart; a[i, k] lies ``i * down + k * along`` numbers
    after ``a_at``, so that ``a`` may be transposed.
    """
    if not available():  # pragma: no cover - depends on the installation
        return lambda *_: None
    from numba import types
    from numba.extending import intrinsic

    @intrinsic
    def tile(
        typing: Any,  # noqa: ARG001 - numba's
        to: Any,
        to_at: Any,  # noqa: ARG001
        row: Any,
        row_at: Any,  # noqa: ARG001
        limit: Any,
        a: Any,
        a_at: Any,  # noqa: ARG001
        down: Any,  # noqa: ARG001
        along: Any,  # noqa: ARG001
        b: Any,
        b_at: Any,  # noqa: ARG001
        step: Any,  # noqa: ARG001
        depth: Any,  # noqa: ARG001
    ) -> Any:
        place = types.intp
        rectifies = not isinstance(limit, types.Array)
        given = (to, place, row, place, limit, a, *[place] * 3, b, *[place] * 3)

        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            def operand(n: int) -> Operand:
                array = context.make_array(signature.args[n])(context, builder, args[n])
                return Operand(array.data, args[n + 1])

            number = context.get_value_type(to.dtype)
            writer = Writer(builder, number, to.dtype.bitwidth // 8)
            written, beside = operand(0), operand(2)
            sums = writer.start(beside if rectifies else None, vectors)
            writer.accumulate(sums, operand(5), args[7:9], operand(9), *args[11:])
            shape = context.make_array(to)(context, builder, args[0]).shape
            width = builder.extract_value(shape, 1)
            if rectifies:
                writer.rectify(sums, args[4], written, width)
            else:
                gate = context.make_array(limit)(context, builder, args[4])
                writer.pass_back(sums, Operand(gate.data, args[1]), beside, written, width)
            return context.get_dummy_value()

        return types.void(*given), build

    function: Callable[..., None] = tile
    return function


class Writer:
    """Writes the instructions of a tile.

    Args:
        builder: llvmlite's.
        number: the type of a number.
        size: its bytes.
    """

    def __init__(self, builder: Any, number: Any, size: int) -> None:
        from llvmlite import ir

        self.ir = ir
        self.builder = builder
        self.vector = ir.VectorType(number, LANES)
        self.zero = ir.Constant(self.vector, [0.0] * LANES)
        self.size = size
        kind = ir.FunctionType(self.vector, [self.vector] * 3)
        name = f"llvm.fmuladd.v{LANES}f{8 * size}"
        known = builder.module.globals.get(name)
        self.fused = known or ir.Function(builder.module, kind, name)

    def start(self, bias: Operand | None, vectors: int) -> list[list[Any]]:
        """Variables [rows][vectors] for the sums, each with the bias in it, or with zero."""
        from numba.core import cgutils

        first = [self._load(bias, bias.at, v) if bias else self.zero for v in range(vectors)]
        new: Any = cgutils.alloca_once  # a variable; LLVM keeps it in a register
        sums = [[new(self.builder, self.vector) for _ in first] for _ in range(ROWS[vectors])]
        for row in sums:
            for value, variable in zip(first, row, strict=True):
                self.builder.store(value, variable)
        return sums

    def accumulate(
        self, sums: list[list[Any]], a: Operand, strides: Any, b: Operand, step: Any, depth: Any
    ) -> None:
        """Add the products; see :func:`tile_of`."""
        from numba.core import cgutils

        builder, (down, along) = self.builder, strides
        with cgutils.for_range(builder, depth) as loop:
            row_of_b = builder.add(b.at, builder.mul(loop.index, step))
            factors = [self._load(b, row_of_b, v) for v in range(len(sums[0]))]
            column_of_a = builder.add(a.at, builder.mul(loop.index, along))
            for i, row in enumerate(sums):
                at = builder.add(column_of_a, builder.mul(down, down.type(i)))
                factor = self._spread(builder.load(builder.gep(a.data, [at])))
                for other, variable in zip(factors, row, strict=True):
                    total = builder.call(self.fused, [factor, other, builder.load(variable)])
                    builder.store(total, variable)

    def rectify(self, sums: list[list[Any]], floor: Any, to: Operand, width: Any) -> None:
        """Store the sums, none below the floor."""
        builder, least = self.builder, self._spread(floor)
        for at, row in self._rows(sums, to.at, width):
            for v, variable in enumerate(row):
                total = builder.load(variable)
                above = builder.fcmp_unordered(">", total, least)  # true for what is no number
                self._store(builder.select(above, total, least), to, at, v)

    def pass_back(
        self, sums: list[list[Any]], gate: Operand, totals: Operand, to: Operand, width: Any
    ) -> None:
        """Store the sums where the gate is open, and add them to the totals, row after row."""
        builder, zero = self.builder, self.zero
        added = [self._load(totals, totals.at, v) for v in range(len(sums[0]))]
        for at, row in self._rows(sums, to.at, width):
            for v, variable in enumerate(row):
                is_open = builder.fcmp_ordered(">", self._load(gate, at, v), zero)
                passed = builder.select(is_open, builder.load(variable), zero)
                self._store(passed, to, at, v)
                added[v] = builder.fadd(added[v], passed)
        for v, total in enumerate(added):
            self._store(total, totals, totals.at, v)

    def _rows(self, sums: list[list[Any]], at: Any, width: Any) -> Iterator[tuple[Any, list[Any]]]:
        """Where each row of the tile starts, and its sums."""
        for i, row in enumerate(sums):
            yield self.builder.add(at, self.builder.mul(width, width.type(i))), row

    def _store(self, value: Any, operand: Operand, at: Any, v: int) -> None:
        self.builder.store(value, self._place(operand, at, v), align=self.size)

    def _place(self, operand: Operand, at: Any, v: int) -> Any:
        place = self.builder.add(at, at.type(v * LANES))
        number = self.builder.gep(operand.data, [place])
        return self.builder.bitcast(number, self.vector.as_pointer())

    def _load(self, operand: Operand, at: Any, v: int) -> Any:
        return self.builder.load(self._place(operand, at, v), align=self.size)

    def _spread(self, number: Any) -> Any:
        """A vector of equal numbers."""
        ir, nothing = self.ir, self.ir.Constant(self.vector, self.ir.Undefined)
        first = self.builder.insert_element(nothing, number, ir.IntType(32)(0))
        zeros = ir.VectorType(ir.IntType(32), LANES)([0] * LANES)
        return self.builder.shuffle_vector(first, nothing, zeros)
