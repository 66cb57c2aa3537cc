"""The environment of a run, built again; what would import code that a file names is refused."""

from __future__ import annotations

from collections.abc import Collection

from mfbpi.execute.working import compiled
from mfbpi.plan import own, trust
from mfbpi_core.contracts.environment import Environment
from mfbpi_core.data.task import Task
from mfbpi_core.plugins import assembly
from mfbpi_core.plugins.registry import Registry


def environment(task: Task, codes: own.Code = (), imports: Collection[str] = ()) -> Environment:
    """The environment of a task.

    Args:
        task: out of a file.
        codes: ``"./FILE.py:CLASS"``, for those without packaging.
        imports: modules that it may import.

    Raises:
        UsageError: when it cannot be built, or would import another module.
    """
    registry = Registry.discover()
    compiled.find_place(registry)
    own.take_in_all(registry, codes)
    own.require_known(registry, "environment", task.environment.name, field="code")
    part = assembly.find(registry, "environment", task.environment)
    trust.check(part, imports)
    return assembly.environment(part)
