"""What every run of an agent gave in the end, seed by seed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import attrs

from mfbpi.results import alike
from mfbpi.results.comparing import columns, reaching
from mfbpi.results.comparing.levels import Level
from mfbpi.results.comparing.reaching import Arrival
from mfbpi.results.storage.reading import Result
from mfbpi_core.data.task import Task
from mfbpi_core.errors import UsageError
from mfbpi_core.running.stopping import STOPPING_TIME
from mfbpi_lib_statistics.latest import latest

#: Numbers whose squares can be added up.
_LARGEST = 1e150

#: Values of one agent.
BySeed = dict[int, float]


@attrs.frozen(kw_only=True)
class Samples:
    """The runs in one environment.

    Attributes:
        env: label of the environment.
        values: by label of the agent, by seed; times that never came are infinite.
        ranked: whether they are times, of which only the order counts.
        notes: how many runs reached a level, if one was given, and which are left out.
    """

    env: str
    values: dict[str, BySeed]
    ranked: bool
    notes: list[str]


def read(
    found: Sequence[Result],
    metric: str,
    measuring: Collection[str] = (),
    level: Level | None = None,
) -> list[Samples]:
    """The value of a metric at the end of each run, or when it reached a level, by environment.

    A stopping time is infinite where the run was not stopped, and so is the step from which on a
    metric is at a level, see :mod:`mfbpi.results.comparing.reaching`, where it was not reached.

    Args:
        found: the runs.
        metric: a column.
        measuring: the metrics that measure it.
        level: what it is to reach; None for its value at the end.

    Raises:
        UsageError: when no run has the metric, or runs of an environment differ in more than agent
            and seed; for the time to a level, also in how often they are evaluated.
    """
    by_env: dict[str, list[Result]] = {}
    for each in found:
        by_env.setdefault(each.task.environment.shown, []).append(each)
    if level is not None:
        reaching.check(metric)
    asked = _Asked(metric, measuring, level)
    samples = [_samples(env, results, asked) for env, results in by_env.items()]
    measured = [each for each in samples if each.values]
    if not measured:
        raise UsageError(columns.unknown(found, metric))
    return measured


@attrs.frozen
class _Asked:
    """What is read of the runs: a column, which metrics measure it, and what it is to reach."""

    metric: str
    measuring: Collection[str]
    level: Level | None

    def of(self, result: Result) -> float | Arrival | None:
        """What a run gives; None where it gives nothing."""
        if self.level is None:
            return _at_end(result, self.metric)
        return Arrival.of(result, self.metric, self.level)


def _samples(env: str, results: Sequence[Result], asked: _Asked) -> Samples:
    values: dict[str, BySeed] = {}
    missing: dict[str, list[int]] = {}
    kept, arrivals = [], []
    for each in results:
        given, agent, seed = asked.of(each), each.task.agent.shown, each.task.seed
        if given is None:
            missing.setdefault(agent, []).append(seed)
            continue
        kept.append(each.task)
        values.setdefault(agent, {})[seed] = float(given)
        if isinstance(given, Arrival):
            arrivals.append(given)
    _check_alike(env, kept, asked)
    notes = list(columns.left_out(env, missing, values, asked.metric))
    if asked.level is not None:
        notes = [*reaching.noted(arrivals, asked.metric, asked.level), *notes]
    ranked = asked.level is not None or asked.metric == STOPPING_TIME
    return Samples(env=env, values=values, ranked=ranked, notes=notes)


def _at_end(result: Result, metric: str) -> float | None:
    """The value at the last step of a run; None where it was not measured there."""
    rows = result.content.select(["metric", "step", "value"]).to_pydict()
    last = latest(zip(*rows.values(), strict=True)).get(metric)
    if last is not None and last[0] == max(rows["step"]):
        return _checked(result, metric, float(last[1]))
    if metric == STOPPING_TIME and result.task.stop is not None:
        return float("inf")
    return None


def _checked(result: Result, metric: str, value: float) -> float:
    if not abs(value) <= _LARGEST:
        raise UsageError(
            f"{metric} of {result.task.label} is {value:g} at its end; expected numbers of at most "
            f"{_LARGEST:g}, of which there is a mean"
        )
    return value


def _check_alike(env: str, tasks: Sequence[Task], asked: _Asked) -> None:
    """Refuse runs whose difference may come from something else than their agents."""
    _refuse(f"runs on {env} differ in more than the agent", tasks, alike.of_place)
    _refuse(f"runs on {env} are not measured alike", tasks, alike.of_metrics(asked.measuring))
    if asked.level is not None:
        _refuse(f"runs on {env} are not evaluated alike", tasks, alike.of_evaluations)
    seen: dict[tuple[str, int], Task] = {}
    for task in tasks:
        other = seen.setdefault((task.agent.shown, task.seed), task)
        if other is not task:
            raise UsageError(
                f"seed {task.seed} of {task.agent.shown} on {env} is there twice, as "
                f"{other.task_id} and {task.task_id}; leave out one of the directories"
            )
    for agent in dict.fromkeys(task.agent.shown for task in tasks):
        own = [task for task in tasks if task.agent.shown == agent]
        _refuse(f"runs of {agent} on {env} are of different agents", own, alike.of_agent)


def _refuse(what: str, tasks: Sequence[Task], of: Callable[[Task], alike.Settings]) -> None:
    found = alike.difference(tasks, of)
    if found is not None:
        name, counts = found
        first, second, *_ = counts
        raise UsageError(
            f"{what}: `{name}` is {first} in some and {second} in others; compare directories "
            "whose runs share it"
        )
