"""Runs tasks one after the other, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import ExecutorSpec, hookimpl


@hookimpl
def mfbpi_executors() -> Iterator[ExecutorSpec]:
    """Yield the executor."""
    yield ExecutorSpec(
        name="serial",
        factory="mfbpi_executor_serial.executor:Serial",
        summary="In this process, one task after the other.",
    )
