"""Tasks that run together: which do, and how their outcomes come apart again."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import pytest

from mfbpi.execute import batches
from mfbpi.execute.batches import TaskBatch
from mfbpi.plan.grid import TaskPlan
from mfbpi_core import AgentSpec, Plugin, Registry, Task
from mfbpi_core.contracts.executor import Outcome

PlanOf = Callable[..., TaskPlan]


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Registry:
    """The plain agent has replicas, the biased one has none."""
    found, get = Registry.discover(), Registry.get

    def with_replicas(self: Registry, kind: str, name: str) -> Plugin:
        plugin = get(self, kind, name)
        if name != "plain":
            return plugin
        assert isinstance(plugin.spec, AgentSpec)
        replicas = "mfbpi_core.testing.worlds.doubles:OneByOne"
        return attrs.evolve(plugin, spec=attrs.evolve(plugin.spec, replicas=replicas))

    monkeypatch.setattr(Registry, "get", with_replicas)
    return found


@pytest.fixture
def tasks(plan_of: PlanOf) -> tuple[Task, ...]:
    """Five seeds of the plain agent, then of the biased one."""
    return plan_of(agents=("plain", "biased"), seeds="0:5").tasks


def test_seeds_of_agents_with_replicas_run_together(
    registry: Registry, tasks: tuple[Task, ...]
) -> None:
    """Two and two and the one that is left, in order; those of other agents one by one."""
    works = batches.grouped(registry, tasks, replicas=2)

    assert [work.n_tasks for work in works] == [2, 2, 1, 1, 1, 1, 1, 1]
    assert [task for work in works for task in work.tasks] == list(tasks)
    assert batches.grouped(registry, tasks, replicas=1) == [TaskBatch((task,)) for task in tasks]


def test_warned_of_agents_without_replicas(registry: Registry, tasks: tuple[Task, ...]) -> None:
    """Only where replicas were asked for."""
    (message,) = batches.warnings(registry, tasks, replicas=2)

    assert "biased" in message
    assert "plain" not in message
    assert batches.warnings(registry, tasks, replicas=1) == []


def test_tasks_survive_json(tasks: tuple[Task, ...]) -> None:
    """One and several; what they are called depends on all of them."""
    several = TaskBatch(tasks[:2])

    assert TaskBatch.from_json(tasks[0].to_json()) == TaskBatch(tasks[:1])
    assert TaskBatch.from_json(several.to_json()) == several
    assert several.task_id != TaskBatch(tasks[1:3]).task_id


def test_outcomes_come_apart(tasks: tuple[Task, ...]) -> None:
    """Each task gets its own files, under their suffixes."""
    several = TaskBatch(tasks[:2])
    own = [
        Outcome(
            task_id=task.task_id,
            status="done",
            tables={".parquet": b"%d" % n, ".arrays.parquet": b"a%d" % n},
        )
        for n, task in enumerate(several.tasks)
    ]

    whole = several.joined(own)

    assert whole.task_id == several.task_id
    assert several.separated(whole) == list(zip(several.tasks, own, strict=True))


def test_a_failure_is_that_of_every_task(tasks: tuple[Task, ...]) -> None:
    """With the same cause."""
    several = TaskBatch(tasks[:2])
    failed = Outcome(task_id=several.task_id, status="failed", error="out of luck")

    apart = several.separated(failed)

    assert [(task, o.task_id, o.status, o.error) for task, o in apart] == [
        (task, task.task_id, "failed", "out of luck") for task in several.tasks
    ]


def test_a_lone_task_is_a_batch_of_one(tasks: tuple[Task, ...]) -> None:
    """It is called, identified and written as its task, and so are its files."""
    task = tasks[0]
    alone = TaskBatch((task,))
    own = Outcome(task_id=task.task_id, status="done", tables={".parquet": b"1"})

    assert (alone.task_id, alone.label, alone.to_json()) == (
        task.task_id,
        task.label,
        task.to_json(),
    )
    assert alone.joined([own]) == own
    assert alone.separated(own) == [(task, own)]
