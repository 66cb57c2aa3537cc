"""What runs share beside agent and seed: those that differ in it are neither averaged nor compared.

A label is what people read, and two directories may use one label for different parameters: labels
are given by hand, and defaults change from version to version.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

import attrs

from mfbpi_core.data.task import Task
from mfbpi_core.text import listed

#: Settings by the names that people know them by.
Settings = Mapping[str, object]

#: What stands for a parameter that one of the runs does not have.
_ABSENT = "none"


def of_place(task: Task) -> Settings:
    """What all runs in an environment share, whatever their agent."""
    return {
        "steps": task.horizon,
        "episodes": task.episodes,
        "discount": task.discount,
        **_keyed("environment", {"name": task.environment.name, **task.environment.config}),
        "stop": None if task.stop is None else attrs.asdict(task.stop),
    }


def of_evaluations(task: Task) -> Settings:
    """What all runs share that are asked at which step something was so."""
    return {"eval_every": task.eval_every}


def of_agent(task: Task) -> Settings:
    """What all runs of an agent share."""
    return _keyed("agent", {"name": task.agent.name, **task.agent.config})


def of_metrics(names: Collection[str]) -> Callable[[Task], Settings]:
    """What all runs share that are compared on what these metrics measure."""

    def settings(task: Task) -> Settings:
        parts = (_keyed(m.name, m.config) for m in task.metrics if m.name in names)
        return {key: value for part in parts for key, value in part.items()}

    return settings


def _keyed(prefix: str, config: Settings) -> dict[str, object]:
    return {f"{prefix}.{key}": value for key, value in config.items()}


def difference(
    tasks: Iterable[Task], of: Callable[[Task], Settings]
) -> tuple[str, dict[str, int]] | None:
    """The first setting that is not the same in all tasks, and in how many it is what.

    None where all are the same.
    """
    found = [of(task) for task in tasks]
    for name in dict.fromkeys(name for each in found for name in each):
        counts = Counter(str(each.get(name, _ABSENT)) for each in found)
        if len(counts) > 1:
            return name, dict(counts)
    return None


def mixed(tasks: Sequence[Task]) -> Iterator[str]:
    """A sentence on each agent in each environment whose runs are of different settings."""
    groups: dict[tuple[str, str], list[Task]] = {}
    for task in tasks:
        groups.setdefault((task.agent.shown, task.environment.shown), []).append(task)
    for (agent, env), own in groups.items():
        found = difference(own, lambda task: {**of_agent(task), **of_place(task)})
        if found is not None:
            name, counts = found
            values = listed([f"{value:.80} in {n}" for value, n in counts.items()])
            yield (
                f"runs of {agent} on {env} differ in `{name}` ({values}): "
                "a mean or median over all of them is one over different things"
            )
