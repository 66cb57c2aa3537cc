"""Runs tasks in spawned processes, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import ExecutorSpec, hookimpl


@hookimpl
def mfbpi_executors() -> Iterator[ExecutorSpec]:
    """Yield the executor."""
    yield ExecutorSpec(
        name="process",
        factory="mfbpi_executor_process.executor:Process",
        summary="In processes of this machine, by default one for each core.",
    )
