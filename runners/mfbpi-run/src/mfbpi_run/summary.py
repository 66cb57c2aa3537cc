"""The summary of a run: every metric at the end, over seeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import attrs

from mfbpi_core.registry import Registry
from mfbpi_lib_statistics.intervals import LEVEL, t_interval
from mfbpi_run import table

#: What the numbers of the summary are.
CAPTION = (
    f"Mean over n seeds at the last step, with its {100 * LEVEL:g} % t-interval (n - 1 degrees of "
    "freedom), clipped to the metric's range."
)

#: Added where it applies.
SINGLE = "n = 1: no interval."


@attrs.frozen(kw_only=True)
class Line:
    """One metric of one agent in one environment, over seeds; the interval is None for n = 1."""

    agent: str
    env: str
    metric: str
    step: int
    mean: float
    low: float | None
    high: float | None
    n: int

    @property
    def interval(self) -> str:
        """The interval in short, or nothing."""
        if self.low is None or self.high is None:
            return ""
        return f"[{self.low:.4g}, {self.high:.4g}]"


def ranges(registry: Registry) -> dict[str, tuple[float, float]]:
    """The declared range of each column that an installed metric measures."""
    return {
        column.name: (column.low, column.high)
        for plugin in registry.of_kind("metric")
        for column in plugin.spec.columns
    }


def summarise(
    files: Iterable[Path], bounds: Mapping[str, tuple[float, float]]
) -> tuple[list[Line], list[str]]:
    """Read results and average the last step of each over seeds.

    Args:
        files: one for each task that is done; read one at a time.
        bounds: range of each column.

    Returns:
        The lines, in the order in which agents, environments and metrics appear; and what the
        files say about metrics asked for but not measured.
    """
    values: dict[tuple[str, str, str], list[tuple[int, float]]] = {}
    notes: dict[str, None] = {}
    for file in files:
        content = table.read(file)
        for key, measured in _last_rows(content):
            values.setdefault(key, []).append(measured)
        notes.update(dict.fromkeys(_notes(content)))
    return [_line(key, measured, bounds) for key, measured in values.items()], list(notes)


def _last_rows(content: Any) -> Iterable[tuple[tuple[str, str, str], tuple[int, float]]]:
    columns = content.select(["agent", "env", "metric", "step", "value"]).to_pydict()
    last = max(columns["step"], default=0)
    for agent, env, metric, step, value in zip(*columns.values(), strict=True):
        if step == last:
            yield (agent, env, metric), (step, value)


def _notes(content: Any) -> Iterable[str]:
    """What was part of the task and could not be measured."""
    task = table.task_of(content)
    skipped = table.provenance(content)["skipped_metrics"]
    for metric in task.metrics:
        if metric.name in skipped:
            yield (
                f"{metric.name} was not measured for {task.agent.shown} on "
                f"{task.environment.shown}: {skipped[metric.name]}"
            )


def _line(
    key: tuple[str, str, str],
    measured: list[tuple[int, float]],
    bounds: Mapping[str, tuple[float, float]],
) -> Line:
    agent, env, metric = key
    unbounded = (float("-inf"), float("inf"))
    interval = t_interval([v for _, v in measured], bounds=bounds.get(metric, unbounded))
    last = max(step for step, _ in measured)
    return Line(agent=agent, env=env, metric=metric, step=last, **attrs.asdict(interval))
