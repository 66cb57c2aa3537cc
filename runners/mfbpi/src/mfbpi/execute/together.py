"""Tasks that run together: seeds of one agent in one environment, as replicas in one process."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence

import attrs

from mfbpi_core.contracts.executor import Outcome, Work
from mfbpi_core.data.task import Task, identifier
from mfbpi_core.plugins import assembly
from mfbpi_core.plugins.registry import Registry

_KEY = "together"


@attrs.frozen
class Together:
    """Two or more tasks that differ in their seed alone; an executor runs them as one."""

    tasks: tuple[Task, ...]

    @property
    def task_id(self) -> str:
        """An identifier of the whole, made as that of a task."""
        return identifier(self.to_json())

    @property
    def label(self) -> str:
        """What people call it: the first task, and how many others."""
        return f"{self.tasks[0].label} and {self.n_tasks - 1} more"

    @property
    def n_tasks(self) -> int:
        """How many tasks it holds."""
        return len(self.tasks)

    def to_json(self) -> str:
        """Canonical JSON."""
        return json.dumps({_KEY: [task.to_json() for task in self.tasks]})


def from_json(text: str) -> Task | Together:
    """Rebuild a task, or several together, from their JSON."""
    tasks = json.loads(text).get(_KEY)
    return Task.from_json(text) if tasks is None else Together(tuple(map(Task.from_json, tasks)))


def tasks_of(work: Work) -> tuple[Task, ...]:
    """The tasks of which a piece of work consists."""
    if isinstance(work, Together):
        return work.tasks
    assert isinstance(work, Task)
    return (work,)


def label(work: Work) -> str:
    """What is run, for messages."""
    tasks = tasks_of(work)
    seeds = ", ".join(str(task.seed) for task in tasks)
    plural = "s" if len(tasks) > 1 else ""
    return f"{tasks[0].agent.shown} on {tasks[0].environment.shown}, seed{plural} {seeds}"


def joined(work: Work, outcomes: Sequence[Outcome]) -> Outcome:
    """The outcome of the whole, from those of its tasks, which are done."""
    if isinstance(work, Task):
        return outcomes[0]
    tables = {o.task_id + suffix: table for o in outcomes for suffix, table in o.tables.items()}
    return Outcome(task_id=work.task_id, status="done", tables=tables)


def separated(work: Work, outcome: Outcome) -> list[tuple[Task, Outcome]]:
    """The outcome of each task, from that of the whole."""
    if isinstance(work, Task):
        return [(work, outcome)]
    return [(task, _own(task, outcome)) for task in tasks_of(work)]


def _own(task: Task, outcome: Outcome) -> Outcome:
    tables = {
        name.removeprefix(task.task_id): content
        for name, content in outcome.tables.items()
        if name.startswith(task.task_id)
    }
    return attrs.evolve(outcome, task_id=task.task_id, tables=tables)


def grouped(registry: Registry, tasks: Sequence[Task], replicas: int) -> list[Work]:
    """Put up to ``replicas`` seeds together, where the agent has replicas; keep the order."""
    works: list[Work] = []
    for _, same in itertools.groupby(tasks, key=lambda task: attrs.evolve(task, seed=0)):
        alike = tuple(same)
        size = replicas if _has_replicas(registry, alike[0]) else 1
        parts = [alike[start : start + size] for start in range(0, len(alike), size)]
        works.extend(part[0] if len(part) == 1 else Together(part) for part in parts)
    return works


def warnings(registry: Registry, tasks: Sequence[Task], replicas: int) -> list[str]:
    """What to say about agents whose seeds cannot run together, if that was asked for.

    Raises:
        PluginError: for replicas that no task could build.
    """
    if replicas == 1:
        return []
    for agent in {task.agent.name: task.agent for task in tasks}.values():
        assembly.check_replicas(registry, agent)
    without = {task.agent.shown for task in tasks if not _has_replicas(registry, task)}
    if not without:
        return []
    return [f"no replicas of {', '.join(sorted(without))}: each seed runs on its own"]


def _has_replicas(registry: Registry, task: Task) -> bool:
    return bool(registry.get("agent", task.agent.name).spec.replicas)
