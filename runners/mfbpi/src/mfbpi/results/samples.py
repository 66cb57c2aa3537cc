"""What every run of an agent gave in the end, seed by seed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

import attrs

from mfbpi.results import alike
from mfbpi.results.storage.reading import Result
from mfbpi_core.data.task import Task
from mfbpi_core.errors import UsageError
from mfbpi_core.running.stopping import STOPPING_TIME
from mfbpi_core.text import did_you_mean, listed
from mfbpi_lib_statistics.latest import latest
from mfbpi_lib_statistics.ranks import ranked

#: Numbers whose squares can be added up.
_LARGEST = 1e150

#: Values of one agent.
BySeed = dict[int, float]


@attrs.frozen(kw_only=True)
class Samples:
    """The runs in one environment.

    Attributes:
        env: label of the environment.
        values: by label of the agent, by seed.
        notes: which runs are left out.
    """

    env: str
    values: dict[str, BySeed]
    notes: list[str]


def read(found: Sequence[Result], metric: str, measuring: Collection[str] = ()) -> list[Samples]:
    """The value of a metric at the end of each run, by environment.

    A stopping time is replaced by its rank among all runs in the environment, those that were not
    stopped being last: a mean of times says nothing of them.

    Args:
        found: the runs.
        metric: a column.
        measuring: the metrics that measure it.

    Raises:
        UsageError: when no run has the metric, or runs of an environment differ in more than agent
            and seed.
    """
    by_env: dict[str, list[Result]] = {}
    for each in found:
        by_env.setdefault(each.task.environment.shown, []).append(each)
    samples = [_samples(env, results, metric, measuring) for env, results in by_env.items()]
    measured = [each for each in samples if each.values]
    if not measured:
        raise UsageError(_unknown(found, metric))
    return measured


def _unknown(found: Sequence[Result], metric: str) -> str:
    names = list(dict.fromkeys(name for each in found for name in _columns(each)))
    near = did_you_mean(metric, names)
    return f"no run has measured {metric!r}; {near}there are: {listed(names, most=20) or 'none'}"


def _columns(result: Result) -> list[str]:
    names: list[str] = result.content["metric"].unique().to_pylist()
    return names


def _samples(
    env: str, results: Sequence[Result], metric: str, measuring: Collection[str]
) -> Samples:
    values: dict[str, BySeed] = {}
    missing: dict[str, list[int]] = {}
    kept = []
    for each in results:
        value = _at_end(each, metric)
        agent, seed = each.task.agent.shown, each.task.seed
        if value is None:
            missing.setdefault(agent, []).append(seed)
            continue
        kept.append(each.task)
        values.setdefault(agent, {})[seed] = value
    _check_alike(env, kept, measuring)
    notes = list(_left_out(env, values, missing, metric))
    if metric == STOPPING_TIME:
        values = _ranked(values)
    return Samples(env=env, values=values, notes=notes)


def _at_end(result: Result, metric: str) -> float | None:
    """The value at the last step of a run; None where it was not measured there."""
    columns = result.content.select(["metric", "step", "value"]).to_pydict()
    last = latest(zip(*columns.values(), strict=True)).get(metric)
    if last is not None and last[0] == max(columns["step"]):
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


def _ranked(values: dict[str, BySeed]) -> dict[str, BySeed]:
    """Ranks from 1, those of equal times their mean."""
    places = [(agent, seed) for agent, own in values.items() for seed in own]
    ranks = ranked([values[agent][seed] for agent, seed in places])
    by_agent: dict[str, BySeed] = {agent: {} for agent in values}
    for (agent, seed), rank in zip(places, ranks, strict=True):
        by_agent[agent][seed] = float(rank)
    return by_agent


def _check_alike(env: str, tasks: Sequence[Task], measuring: Collection[str]) -> None:
    """Refuse runs whose difference may come from something else than their agents."""
    _refuse(f"runs on {env} differ in more than the agent", tasks, alike.of_place)
    _refuse(f"runs on {env} are not measured alike", tasks, alike.of_metrics(measuring))
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


def _left_out(
    env: str, values: dict[str, BySeed], missing: dict[str, list[int]], metric: str
) -> Iterator[str]:
    for agent, seeds in missing.items():
        if agent in values:
            yield (
                f"{len(seeds)} runs of {agent} on {env} have no {metric} at their end and are left "
                f"out (seeds {listed(sorted(seeds))})"
            )
        else:
            yield f"{agent} on {env} has no {metric} at the end of its runs and is left out"
