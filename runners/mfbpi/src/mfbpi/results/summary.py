"""The summary of a run: every metric at the end, over seeds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs
import pyarrow as pa

from mfbpi.results import alike, frames
from mfbpi.results.stops import End, Stops
from mfbpi.results.storage import reading as results
from mfbpi.results.storage.places import Place
from mfbpi.results.storage.reading import Result
from mfbpi.results.summary_text import Shown
from mfbpi_core.plugins.registry import Registry
from mfbpi_core.running import stopping
from mfbpi_lib_statistics.intervals import LEVEL, t_interval
from mfbpi_lib_statistics.latest import latest

#: What the numbers of the summary are.
CAPTION = (
    f"Mean over n seeds at the end of each run, with its {100 * LEVEL:g} % t-interval (n - 1 "
    "degrees of freedom), clipped to the metric's range."
)

#: The headings of :attr:`Line.cells`.
COLUMNS = ("agent", "env", "metric", "step", "mean", f"{100 * LEVEL:g} % interval", "n")

#: Added where they apply.
SINGLE = "n = 1: no interval."
RANGE = "A range of steps: the runs ended, or were last measured, at different steps."
EARLIER = "Lines with * are last measurements before the end of a run."


@attrs.frozen(kw_only=True)
class Line:
    """One metric of one agent in one environment, over seeds; the interval is None for n = 1.

    Attributes:
        agent: label of the agent.
        env: label of the environment.
        metric: the column.
        first_step: the least step of the values.
        step: the largest.
        at_end: whether the values are those at the end of each run, or the last ones before it.
        mean: over seeds.
        low: end of the interval.
        high: its other end.
        n: number of seeds.
    """

    agent: str
    env: str
    metric: str
    first_step: int
    step: int
    at_end: bool
    mean: float
    low: float | None
    high: float | None
    n: int

    @property
    def cells(self) -> tuple[object, ...]:
        """What a table shows, see :data:`COLUMNS`."""
        mark = "" if self.at_end else "*"
        mean = f"{self.mean:.4g}"
        return (self.agent, self.env, self.metric, self.steps + mark, mean, self.interval, self.n)

    @property
    def interval(self) -> str:
        """The interval in short, or nothing."""
        if self.low is None or self.high is None:
            return ""
        return f"[{self.low:.4g}, {self.high:.4g}]"

    @property
    def steps(self) -> str:
        """The step, or the range of steps."""
        if self.first_step == self.step:
            return str(self.step)
        return f"{self.first_step}-{self.step}"


@attrs.frozen(kw_only=True)
class Summary(Shown):
    """What to say about results.

    Attributes:
        lines: in the order in which agents, environments and metrics appear.
        skipped: what the files say about metrics that did not apply.
        notes: what else a reader of the lines should know.
        stops: when runs were stopped by a rule, where they had one.
    """

    lines: list[Line]
    skipped: list[str]
    notes: list[str]
    stops: list[Stops] = attrs.field(factory=list)

    @property
    def caption(self) -> str:
        """What the numbers are."""
        said = {
            RANGE: any(line.first_step != line.step for line in self.lines),
            EARLIER: not all(line.at_end for line in self.lines),
            SINGLE: any(line.n == 1 for line in self.lines),
        }
        return " ".join([CAPTION, *(text for text, applies in said.items() if applies)])

    def to_pandas(self) -> Any:
        """A row for each line, numbers unrounded; raises :class:`UsageError` without pandas."""
        return frames.frame(pa.Table.from_pylist([attrs.asdict(line) for line in self.lines]))

    @property
    def shown(self) -> tuple[tuple[str, ...], list[tuple[object, ...]], list[str]]:
        """Headings, rows, and the lines below them."""
        below = [self.caption, *map(str, self.stops), *self.notes]
        return COLUMNS, [line.cells for line in self.lines], below


@attrs.frozen
class _Last:
    """The last value of a metric in one run, at its step, and whether the run ended there."""

    step: int
    value: float
    at_end: bool


def ranges(registry: Registry) -> dict[str, tuple[float, float]]:
    """The declared range of each column that an installed metric measures."""
    measured = [c for plugin in registry.of_kind("metric") for c in plugin.spec.columns]
    return {column.name: (column.low, column.high) for column in (*stopping.COLUMNS, *measured)}


def measuring(registry: Registry, column: str) -> list[str]:
    """The installed metrics that measure a column."""
    return [
        plugin.spec.name
        for plugin in registry.of_kind("metric")
        if any(each.name == column for each in plugin.spec.columns)
    ]


def summarise(files: Iterable[Place], bounds: Mapping[str, tuple[float, float]]) -> Summary:
    """Read results and average what each run measured last, over seeds.

    Values at the end of a run, and values that were last measured before, are averaged apart:
    they say different things.

    Args:
        files: one for each task that is done; read one at a time.
        bounds: range of each column.
    """
    values: dict[tuple[str, str, str], list[_Last]] = {}
    runs: Counter[tuple[str, str]] = Counter()
    ends: dict[tuple[str, str], list[End]] = {}
    skipped: dict[str, None] = {}
    notes: list[str] = []
    versions = []
    tasks = []
    for result in results.read_all(files, notes):
        place = (result.task.agent.shown, result.task.environment.shown)
        runs[place] += 1
        if result.task.stop is not None:
            ends.setdefault(place, []).append(End.of(result))
        for metric, last in _last_values(result):
            values.setdefault((*place, metric), []).append(last)
        skipped.update(dict.fromkeys(_skipped(result)))
        tasks.append(result.task)
        versions.append(results.versions_of(result.origin))
    notes += [*alike.mixed(tasks), *_unmeasured(runs, values), results.mixed_versions(versions)]
    return Summary(
        lines=[line for key, found in values.items() for line in _lines(key, found, bounds)],
        skipped=list(skipped),
        notes=[note for note in notes if note],
        stops=[Stops.among(*place, found) for place, found in ends.items()],
    )


def _last_values(result: Result) -> Iterator[tuple[str, _Last]]:
    """The last value of each metric of a run, in the order of their first."""
    columns = result.content.select(["metric", "step", "value"]).to_pydict()
    end = max(columns["step"], default=0)
    last = latest(zip(*columns.values(), strict=True))
    # The mean over the runs that stopped would say that the others never took longer.
    last.pop(stopping.STOPPING_TIME, None)
    for metric, (step, value) in last.items():
        yield metric, _Last(step, value, step == end)


def _skipped(result: Result) -> Iterator[str]:
    """What was part of the task and could not be measured."""
    task, skipped = result.task, result.origin.get("skipped_metrics", {})
    for metric in task.metrics:
        if metric.name in skipped:
            yield (
                f"{metric.name} was not measured for {task.agent.shown} on "
                f"{task.environment.shown}: {skipped[metric.name]}"
            )


def _unmeasured(
    runs: Counter[tuple[str, str]], values: Mapping[tuple[str, str, str], list[_Last]]
) -> Iterator[str]:
    """Metrics that some runs of an agent in an environment measured, and others never."""
    for (agent, env, metric), found in values.items():
        if len(found) < runs[agent, env]:
            yield (
                f"{metric} was measured in {len(found)} of {runs[agent, env]} runs of {agent} "
                f"on {env}"
            )
    for agent, env in runs:
        if not any(key[:2] == (agent, env) for key in values):
            yield f"nothing was measured for {agent} on {env}"


def _lines(
    key: tuple[str, str, str], found: list[_Last], bounds: Mapping[str, tuple[float, float]]
) -> Iterator[Line]:
    """A line for the values at the ends of runs, and one for those that are older."""
    agent, env, metric = key
    unbounded = (float("-inf"), float("inf"))
    for at_end in (True, False):
        own = [last for last in found if last.at_end == at_end]
        if not own:
            continue
        interval: Any = t_interval(
            [last.value for last in own], bounds=bounds.get(metric, unbounded)
        )
        yield Line(
            agent=agent,
            env=env,
            metric=metric,
            first_step=min(last.step for last in own),
            step=max(last.step for last in own),
            at_end=at_end,
            **attrs.asdict(interval),
        )
