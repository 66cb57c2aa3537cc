"""Tasks that run together: which do, and how their outcomes come apart again."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import pytest

from mfbpi.execute import together
from mfbpi.execute.together import Together
from mfbpi.plan.grid import Plan
from mfbpi_core import AgentSpec, Plugin, Registry, Task
from mfbpi_core.contracts.executor import Outcome

PlanOf = Callable[..., Plan]


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
    works = together.grouped(registry, tasks, replicas=2)

    assert [len(together.tasks_of(work)) for work in works] == [2, 2, 1, 1, 1, 1, 1, 1]
    assert [task for work in works for task in together.tasks_of(work)] == list(tasks)
    assert together.grouped(registry, tasks, replicas=1) == list(tasks)


def test_warned_of_agents_without_replicas(registry: Registry, tasks: tuple[Task, ...]) -> None:
    """Only where replicas were asked for."""
    (message,) = together.warnings(registry, tasks, replicas=2)

    assert "biased" in message
    assert "plain" not in message
    assert together.warnings(registry, tasks, replicas=1) == []


def test_tasks_survive_json(tasks: tuple[Task, ...]) -> None:
    """One and several; what they are called depends on all of them."""
    several = Together(tasks[:2])

    assert together.from_json(tasks[0].to_json()) == tasks[0]
    assert together.from_json(several.to_json()) == several
    assert several.task_id != Together(tasks[1:3]).task_id


def test_outcomes_come_apart(tasks: tuple[Task, ...]) -> None:
    """Each task gets its own files, under their suffixes."""
    several = Together(tasks[:2])
    own = [
        Outcome(
            task_id=task.task_id,
            status="done",
            tables={".parquet": b"%d" % n, ".arrays.parquet": b"a%d" % n},
        )
        for n, task in enumerate(several.tasks)
    ]

    whole = together.joined(several, own)

    assert whole.task_id == several.task_id
    assert together.separated(several, whole) == list(zip(several.tasks, own, strict=True))


def test_a_failure_is_that_of_every_task(tasks: tuple[Task, ...]) -> None:
    """With the same cause."""
    several = Together(tasks[:2])
    failed = Outcome(task_id=several.task_id, status="failed", error="out of luck")

    apart = together.separated(several, failed)

    assert [(task, o.task_id, o.status, o.error) for task, o in apart] == [
        (task, task.task_id, "failed", "out of luck") for task in several.tasks
    ]
