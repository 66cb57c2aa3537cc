"""The tasks that failed: what their reports say, and what readers of the others must know."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

import attrs

from mfbpi.notices import warn
from mfbpi.results.storage import files
from mfbpi.results.storage.directory import Store
from mfbpi.results.storage.places import Place
from mfbpi_core.data.task import Task


@attrs.frozen(kw_only=True)
class Failure:
    """A task that failed.

    Attributes:
        task: the task.
        cause: what was raised, on one line.
        error: the traceback.
    """

    task: Task
    cause: str
    error: str


def failures_in(directory: Place) -> Iterator[Failure]:
    """The failed tasks of a directory; a file that is not what its name says is named."""
    for path in Store(directory).errors():
        try:
            report = json.loads(files.read_regular(path))
            task = Task.from_json(json.dumps(report["task"]))
            error = str(report["error"])
        except (OSError, ValueError, KeyError, TypeError) as problem:
            warn(f"{path} is not the report of a task that failed: {problem}; it is left out")
            continue
        cause = str(report.get("cause") or (error.strip().splitlines() or [""])[-1].strip())
        yield Failure(task=task, cause=cause, error=error)


def noted(failures: Sequence[Failure], done: Collection[Task]) -> list[str]:
    """A sentence for each agent and environment of which runs failed, with the first cause.

    Args:
        failures: the tasks that failed.
        done: those that did not.
    """
    runs = Counter(map(_place, [*done, *(each.task for each in failures)]))
    failed: dict[tuple[str, str], list[Failure]] = {}
    for each in failures:
        failed.setdefault(_place(each.task), []).append(each)
    return [
        f"{len(found)} of {runs[agent, env]} runs of {agent} on {env} failed and are in no "
        f"number; seed {first.task.seed}: {first.cause}"
        for (agent, env), found in failed.items()
        for first in [min(found, key=lambda each: each.task.seed)]
    ]


def _place(task: Task) -> tuple[str, str]:
    return task.agent.shown, task.environment.shown
