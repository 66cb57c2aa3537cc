"""The parameters of the executor, importable without Ray."""

from __future__ import annotations

import attrs

from mfbpi_core import parameter


@attrs.frozen(kw_only=True)
class Config:
    """Parameters of the executor."""

    address: str = parameter(
        "", "address of the cluster, such as auto or HOST:6379; a local one if empty"
    )
    cpus_per_task: float = parameter(1.0, "cores that a task has for itself", gt=0.0)
    gpus_per_task: float = parameter(0.0, "GPUs likewise; 0.5 lets two tasks share one", ge=0.0)
    retries: int = parameter(
        2, "how often a task is tried again whose worker died; lost nodes do not count", ge=0
    )
