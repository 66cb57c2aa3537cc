"""The control register of x86 processors, whose bits say what denormals count as."""

from __future__ import annotations

import platform
from collections.abc import Callable
from typing import Any

from mfbpi_lib_torch.kernels.compiling import available, compiled

#: Flush to zero what would be denormal, and take for zero what is.
FLUSHING = 0x8040

#: Whether the functions below can be called; on other processors torch knows how.
KNOWN = available() and platform.machine().lower() in ("x86_64", "amd64")


def _instructions() -> tuple[Callable[[], int], Callable[[int], None]]:
    """What reads the register and what writes it, to be called by compiled functions alone."""
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    new: Any = cgutils.alloca_once
    function_of: Any = cgutils.get_or_insert_function

    def slot_and_call(builder: Any, name: str) -> tuple[Any, Callable[[], Any]]:
        """A variable, and the instruction that fills the one from the other."""
        slot = new(builder, ir.IntType(32))
        place = builder.bitcast(slot, ir.IntType(8).as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [place.type])
        function = function_of(builder.module, kind, f"llvm.x86.sse.{name}")
        return slot, lambda: builder.call(function, [place])

    @intrinsic
    def read(typing: Any) -> Any:  # noqa: ARG001 - numba's
        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
            slot, store = slot_and_call(builder, "stmxcsr")
            store()
            return builder.load(slot)

        return types.uint32(), build

    @intrinsic
    def write(typing: Any, control: Any) -> Any:  # noqa: ARG001 - numba's
        def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
            slot, load = slot_and_call(builder, "ldmxcsr")
            builder.store(args[0], slot)
            load()
            return context.get_dummy_value()

        return types.void(types.uint32), build

    reading: Any = read
    writing: Any = write
    return reading, writing


if KNOWN:
    _read, _write = _instructions()


@compiled
def switched() -> int:
    """Which bits of :data:`FLUSHING` are set in this thread."""
    return _read() & FLUSHING


@compiled
def switch(control: int) -> None:
    """Set those bits; all others, such as the flags of exceptions, stay as they are."""
    _write((_read() & ~FLUSHING) | control)
