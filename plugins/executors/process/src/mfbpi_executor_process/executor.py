"""Runs tasks in spawned processes of this machine, several at a time.

Processes are spawned, never forked, so that a worker starts with fresh libraries, generators and
threads. Each computes with one thread: the tasks are the parallelism. A worker holds one task at a
time, and an outcome is yielded as soon as it is taken, so that memory does not grow with the tasks.
"""

from __future__ import annotations

import pickle
from collections.abc import Generator, Sequence

from mfbpi_core import NoConfig, Outcome
from mfbpi_core.contracts.executor import ParallelExecutor, RunTask, Work, available_cores
from mfbpi_core.errors import PluginError
from mfbpi_executor_process.crew import Crew
from mfbpi_executor_process.isolation import main_can_be_imported, names_main


class Process(ParallelExecutor[NoConfig]):
    """Runs tasks in ``jobs`` processes, by default one for each core this process may use.

    Raises:
        ConfigError: when ``jobs`` is less than 1.
    """

    def map(self, run: RunTask, tasks: Sequence[Work]) -> Generator[Outcome, None, None]:
        """Run the tasks and yield their outcomes as they end.

        Workers start at the first ``next()``. They are killed when the iterator is closed, or
        when an exception such as that of Ctrl-C passes through it; the caller closes it in any
        case, for instance with ``contextlib.closing``.

        Raises:
            PluginError: when ``run`` cannot be pickled by its name, or imported by the workers.
            ExecutorError: when no worker can be started, however often it is tried.
        """
        jobs = self.jobs or available_cores()
        return Crew(_pickled(run), tasks, jobs, self.limit_s).outcomes()


def _pickled(run: RunTask) -> bytes:
    try:
        pickled = pickle.dumps(run)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise PluginError(
            f"{run!r} cannot be sent to worker processes ({error}); expected a function that can "
            "be imported by its name, not a lambda or a local function (the serial executor "
            "takes any)"
        ) from error
    if names_main(pickled) and not main_can_be_imported():
        raise PluginError(
            f"{run!r} is defined in a session without a file, which worker processes cannot "
            "import; put it into a module (the serial executor takes any)"
        )
    return pickled
