"""Runs tasks on the machines of a Ray cluster, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import ExecutorSpec, hookimpl


@hookimpl
def mfbpi_executors() -> Iterator[ExecutorSpec]:
    """Yield the executor."""
    yield ExecutorSpec(
        name="ray",
        factory="mfbpi_executor_ray.executor:Ray",
        config="mfbpi_executor_ray.config:Config",
        summary="On the machines of a Ray cluster; lost workers and nodes are replaced.",
    )
