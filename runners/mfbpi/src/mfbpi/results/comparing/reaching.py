"""When runs reached a level: after how many steps what they recommend was good enough.

A run has *reached* a level at the first evaluation from which on a column stays at the level or
beyond it until the end of the run: reached and kept. Where a recommendation is good once and bad
again, the last time counts. A run that ends short of the level is censored: all that is known is
that it takes longer. It is treated as one that a stopping rule did not stop: it comes last, and is
never averaged.

The step is known as closely as the run was evaluated, ``eval_every`` steps; a column that is
measured less often is taken to have stayed where it was in between.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import pyarrow as pa

from mfbpi.results import alike, frames
from mfbpi.results.comparing import columns
from mfbpi.results.comparing.columns import Course
from mfbpi.results.comparing.levels import Level
from mfbpi.results.stops import median_step
from mfbpi.results.storage.reading import Result
from mfbpi.results.summary_text import Shown
from mfbpi_core.data.task import Task
from mfbpi_core.errors import UsageError
from mfbpi_core.running.stopping import STOPPING_TIME

#: The headings of :attr:`Arrival.cells`.
COLUMNS = ("agent", "env", "seed", "step", "end", "horizon", "eval_every")


@attrs.frozen(kw_only=True)
class Arrival:
    """When a run reached a level.

    Attributes:
        agent: label of the agent.
        env: label of the environment.
        seed: of the run.
        step: the first evaluation from which on the level was kept; None where it was not.
        end: last step of the run.
        horizon: the most steps that it could have taken; more than ``end`` where a rule stopped it
            or its episodes were over.
        eval_every: steps between evaluations, as closely as ``step`` is known.
    """

    agent: str
    env: str
    seed: int
    step: int | None
    end: int
    horizon: int
    eval_every: int

    @classmethod
    def of(cls, result: Result, metric: str, level: Level) -> Arrival | None:
        """That of a run; None where the column was not measured at its end."""
        course = Course.of(result, metric)
        if course is None:
            return None
        return cls(
            agent=result.task.agent.shown,
            env=result.task.environment.shown,
            seed=result.task.seed,
            step=level.kept_from(course.steps, course.values),
            end=int(course.steps[-1]),
            horizon=result.task.horizon,
            eval_every=result.task.eval_every,
        )

    @property
    def last_known(self) -> int:
        """The step, or the one after which it must be."""
        return self.end if self.step is None else self.step

    def __float__(self) -> float:
        """The step; infinite where the level was not reached."""
        return float("inf") if self.step is None else float(self.step)

    @property
    def cells(self) -> tuple[object, ...]:
        """What a table shows, see :data:`COLUMNS`."""
        step = "not reached" if self.step is None else self.step
        return (self.agent, self.env, self.seed, step, self.end, self.horizon, self.eval_every)


@attrs.frozen(kw_only=True)
class Reached(Shown):
    """When runs reached a level, a line for each of them.

    Attributes:
        metric: the column.
        level: what it was to reach, such as ``">= 0.99"``.
        runs: by agent, environment and seed.
        notes: how many of each agent's runs have reached it, and what else a reader should know.
    """

    metric: str
    level: str
    runs: list[Arrival]
    notes: list[str]

    @property
    def caption(self) -> str:
        """What the numbers are."""
        return (
            f"step: the first evaluation from which on {self.metric} {self.level} until the end of "
            "the run."
        )

    @property
    def shown(self) -> tuple[tuple[str, ...], list[tuple[object, ...]], list[str]]:
        """Headings, rows, and the lines below them."""
        return COLUMNS, [each.cells for each in self.runs], [self.caption, *self.notes]

    def to_pandas(self) -> Any:
        """A row for each run; raises :class:`UsageError` without pandas.

        ``step`` is float64, NaN where the level was not reached.
        """
        whole = {name: pa.int64() for name in COLUMNS[2:]}
        schema = pa.schema([*((name, pa.string()) for name in COLUMNS[:2]), *whole.items()])
        table = pa.Table.from_pylist([attrs.asdict(each) for each in self.runs], schema=schema)
        at = table.schema.get_field_index("step")
        steps = table["step"].cast(pa.float64())  # of the same type whether or not all reached it
        return frames.frame(table.set_column(at, "step", steps))


def check(metric: str) -> None:
    """Refuse a column that is itself a step."""
    if metric == STOPPING_TIME:
        raise UsageError(
            f"{STOPPING_TIME} is a step itself, and reaches no level; leave out `reaches`, or give "
            "a column that is measured all along, such as value_ratio"
        )


def reached(found: Sequence[Result], metric: str, level: Level) -> Reached:
    """When some runs reached a level; see :meth:`Results.reached`.

    Raises:
        UsageError: when no run has the column at its end, or it is no column that reaches a level.
    """
    check(metric)
    runs: list[Arrival] = []
    counted: list[Task] = []
    missing: dict[str, dict[str, list[int]]] = {}  # seeds by environment and agent
    for each in found:
        arrival, task = Arrival.of(each, metric, level), each.task
        if arrival is not None:
            runs.append(arrival)
            counted.append(task)
        else:
            of_env = missing.setdefault(task.environment.shown, {})
            of_env.setdefault(task.agent.shown, []).append(task.seed)
    if not runs:
        raise UsageError(columns.unknown(found, metric))
    notes = [*noted(runs, metric, level), *alike.mixed(counted)]
    for env, seeds in missing.items():
        measured = dict.fromkeys(each.agent for each in runs if each.env == env)
        notes += columns.left_out(env, seeds, measured, metric)
    return Reached(metric=metric, level=str(level), runs=runs, notes=notes)


def noted(runs: Sequence[Arrival], metric: str, level: Level) -> Iterator[str]:
    """How many runs of each agent in each environment reached the level, and which ended early."""
    for agent, env in dict.fromkeys((each.agent, each.env) for each in runs):
        own = [each for each in runs if (each.agent, each.env) == (agent, env)]
        times = [each.step for each in own if each.step is not None]
        median = median_step([e.last_known for e in own], [e.step is not None for e in own])
        step = "not reached" if median is None else f"step {median:,}"
        yield (
            f"{agent} on {env}: {metric} {level} reached and kept in {len(times)} of {len(own)} "
            f"runs, median {step}"
        )
    for env in dict.fromkeys(each.env for each in runs):
        yield from _ended_early([each for each in runs if each.env == env], env)


def _ended_early(runs: Sequence[Arrival], env: str) -> Iterator[str]:
    """Runs that ended short of the level while others were still on their way."""
    latest = max(each.last_known for each in runs)
    early = [each for each in runs if each.step is None and each.end < latest]
    if early:
        yield (
            f"runs on {env} are of unequal length: {len(early)} ended short of the level before "
            f"step {latest:,}, the first at step {min(each.end for each in early):,}; they count "
            "as later than all that reached it"
        )
