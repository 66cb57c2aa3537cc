"""Runs tasks on the machines of a Ray cluster.

Rows are those of any other executor. A task whose worker dies or whose node is lost is tried again
elsewhere, and goes on from its last checkpoint where the results lie on a file system that all
nodes see. Nodes that have other programs than the driver are refused before anything runs.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, ClassVar

import ray

from mfbpi_core import Outcome
from mfbpi_core.contracts.executor import ParallelExecutor, RunTask, Work
from mfbpi_core.errors import PluginError, UsageError
from mfbpi_executor_ray import cluster
from mfbpi_executor_ray.config import Config
from mfbpi_executor_ray.crew import Crew

#: It has no types.
_cloudpickle: Any = ray.cloudpickle


class Ray(ParallelExecutor[Config]):
    """Runs ``jobs`` tasks at the same time, by default as many as the cluster has room for.

    Raises:
        ConfigError: when ``jobs`` is less than 1.
    """

    tries_again: ClassVar[bool] = True

    def map(self, run: RunTask, tasks: Sequence[Work]) -> Generator[Outcome, None, None]:
        """Run the tasks and yield their outcomes as they end.

        Raises:
            PluginError: when ``run`` cannot be pickled.
            ExecutorError: when there is no cluster, no room in it, or other programs are there.
        """
        pickled = _pickled(run)
        if not tasks:
            return
        with cluster.connected(self.config, self.jobs):
            expected = cluster.check_programs()
            size = min(self.jobs or cluster.slots(self.config), cluster.slots(self.config))
            yield from Crew(pickled, expected, self.config, size, self.limit_s).outcomes(tasks)


def _pickled(run: RunTask) -> bytes:
    try:
        pickled: bytes = _cloudpickle.dumps(run)
    except UsageError:  # it knows better
        raise
    except Exception as error:
        raise PluginError(f"{run!r} cannot be sent to other machines: {error}") from error
    return pickled
