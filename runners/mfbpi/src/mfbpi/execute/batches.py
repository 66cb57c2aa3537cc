"""Tasks that one worker runs: one, or seeds of an agent in an environment, as replicas."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence

import attrs

from mfbpi_core.contracts.executor import Outcome
from mfbpi_core.data.task import Task, identifier
from mfbpi_core.plugins import assembly
from mfbpi_core.plugins.registry import Registry

_KEY = "together"


@attrs.frozen
class TaskBatch:
    """What an executor hands to a worker: tasks that differ in their seed alone.

    A batch of one is written, called and identified as its task is.

    Attributes:
        tasks: one at least.
    """

    tasks: tuple[Task, ...]

    @classmethod
    def from_json(cls, text: str) -> TaskBatch:
        """Rebuild a batch from its JSON, or from that of a task."""
        return cls(tuple(map(Task.from_json, json.loads(text).get(_KEY, [text]))))

    def to_json(self) -> str:
        """Canonical JSON."""
        if self.n_tasks == 1:
            return self.tasks[0].to_json()
        return json.dumps({_KEY: [task.to_json() for task in self.tasks]})

    @property
    def task_id(self) -> str:
        """An identifier of the whole, made as that of a task."""
        return identifier(self.to_json())

    @property
    def n_tasks(self) -> int:
        """How many tasks it holds."""
        return len(self.tasks)

    @property
    def label(self) -> str:
        """What people call it: the first task, and how many others."""
        others = f" and {self.n_tasks - 1} more" if self.n_tasks > 1 else ""
        return self.tasks[0].label + others

    @property
    def shown(self) -> str:
        """What is run, for messages."""
        seeds = ", ".join(str(task.seed) for task in self.tasks)
        plural = "s" if self.n_tasks > 1 else ""
        first = self.tasks[0]
        return f"{first.agent.shown} on {first.environment.shown}, seed{plural} {seeds}"

    def joined(self, outcomes: Sequence[Outcome]) -> Outcome:
        """The outcome of the whole, from those of its tasks, which are done."""
        tables = {
            self._prefix(task) + suffix: table
            for task, outcome in zip(self.tasks, outcomes, strict=True)
            for suffix, table in outcome.tables.items()
        }
        return Outcome(task_id=self.task_id, status="done", tables=tables)

    def separated(self, outcome: Outcome) -> list[tuple[Task, Outcome]]:
        """The outcome of each task, from that of the whole."""
        return [(task, self._own(task, outcome)) for task in self.tasks]

    def _own(self, task: Task, outcome: Outcome) -> Outcome:
        prefix = self._prefix(task)
        tables = {
            name.removeprefix(prefix): content
            for name, content in outcome.tables.items()
            if name.startswith(prefix)
        }
        return attrs.evolve(outcome, task_id=task.task_id, tables=tables)

    def _prefix(self, task: Task) -> str:
        """What tells the files of a task from those of the others, if there are any."""
        return task.task_id if self.n_tasks > 1 else ""


def grouped(registry: Registry, tasks: Sequence[Task], replicas: int) -> list[TaskBatch]:
    """Put up to ``replicas`` seeds together, where the agent has replicas; keep the order."""
    batches: list[TaskBatch] = []
    for _, same in itertools.groupby(tasks, key=lambda task: attrs.evolve(task, seed=0)):
        alike = tuple(same)
        size = replicas if _has_replicas(registry, alike[0]) else 1
        parts = [alike[start : start + size] for start in range(0, len(alike), size)]
        batches.extend(map(TaskBatch, parts))
    return batches


def warnings(registry: Registry, tasks: Sequence[Task], replicas: int) -> list[str]:
    """What to say about agents whose seeds gain nothing together, if that was asked for.

    Raises:
        PluginError: for replicas that no task could build.
    """
    if replicas == 1:
        return []
    advice: list[str] = []
    for shown, agent in {task.agent.shown: task.agent for task in tasks}.items():
        said = assembly.check_replicas(registry, agent)
        advice += [f"{shown}: {said}"] if said else []
    without = {task.agent.shown for task in tasks if not _has_replicas(registry, task)}
    if not without:
        return advice
    return [*advice, f"no replicas of {', '.join(sorted(without))}: each seed runs on its own"]


def _has_replicas(registry: Registry, task: Task) -> bool:
    return bool(registry.get("agent", task.agent.name).spec.replicas)
