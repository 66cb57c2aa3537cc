"""Which agent is better: agents compared on one metric, and what their seeds allow to say."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Collection, Iterable, Iterator, Sequence

import attrs

from mfbpi.results.comparing import samples
from mfbpi.results.comparing.contrasts import BY_SEED, INDEPENDENT, Comparison, Contrast, counted
from mfbpi.results.comparing.levels import Level
from mfbpi.results.comparing.samples import BySeed, Samples
from mfbpi.results.storage.reading import Result
from mfbpi_core.errors import UsageError
from mfbpi_core.text import did_you_mean
from mfbpi_lib_statistics import permutation
from mfbpi_lib_statistics.intervals import t_interval, welch_interval
from mfbpi_lib_statistics.permutation import Significance
from mfbpi_lib_statistics.ranks import ranked

#: Two agents, the second of which the first is compared against.
Couple = tuple[str, str]

#: Seeds beyond which more are not asked for.
_MOST = 64


def compare(
    found: Sequence[Result],
    metric: str,
    *,
    measuring: Collection[str] = (),
    reaches: str | float | None = None,
    baseline: str | None = None,
    contrasts: Sequence[Couple] = (),
    pairs: str | None = None,
    level: float = 0.05,
) -> Comparison:
    """Compare the agents of some results on one metric; see :meth:`Results.compare`.

    Args:
        found: the runs.
        metric: the column.
        measuring: the metrics that measure it, which are to be the same in all runs.
        reaches: see there, as the others.
        baseline: likewise.
        contrasts: likewise.
        pairs: likewise.
        level: likewise.
    """
    _check(level, pairs)
    if baseline is not None and contrasts:
        raise UsageError("`baseline` and `contrasts` are both given; give one of them")
    _check_couples(contrasts)
    goal = None if reaches is None else Level.of(reaches)
    environments = samples.read(found, metric, measuring, goal)
    agents = list(dict.fromkeys(agent for each in environments for agent in each.values))
    named = itertools.chain.from_iterable(contrasts) if baseline is None else (baseline,)
    _check_known(named, agents)
    alone = [
        _contrast(of_env, *two, pairs, level)
        for of_env in environments
        for two in _couples(of_env, baseline, contrasts)
    ]
    if not alone:
        raise UsageError(
            f"there is nothing to compare: results of {', '.join(agents)}; expected two agents in "
            "the same environment (give several directories, or run another agent)"
        )
    corrected = permutation.holm([each.p for each in alone])
    together = [attrs.evolve(each, p_corrected=p) for each, p in zip(alone, corrected, strict=True)]
    said = [note for of_env in environments for note in of_env.notes]
    return Comparison(
        metric=metric,
        contrasts=together,
        notes=[*said, *_too_few(together, level)],
        reaches=None if goal is None else str(goal),
    )


def _check(level: float, pairs: str | None) -> None:
    if not 0.0 < level < 1.0:
        raise UsageError(f"`level` is {level!r}; expected a number between 0 and 1, such as 0.05")
    if pairs not in (None, BY_SEED, INDEPENDENT):
        raise UsageError(f"`pairs` is {pairs!r}; expected {BY_SEED!r} or {INDEPENDENT!r}")


def _check_couples(contrasts: Sequence[Couple]) -> None:
    """Each couple once and of two: a repeated one would count twice in the correction."""
    seen: set[frozenset[str]] = set()
    for couple in contrasts:
        if isinstance(couple, str) or len(couple) != 2 or couple[0] == couple[1]:
            raise UsageError(f"`contrasts` has {couple!r}; expected pairs of two different agents")
        if frozenset(couple) in seen:
            raise UsageError(
                f"`contrasts` has {couple[0]} and {couple[1]} twice; the second asks nothing more"
            )
        seen.add(frozenset(couple))


def _check_known(named: Iterable[str], agents: Sequence[str]) -> None:
    for agent in named:
        if agent not in agents:
            near = did_you_mean(agent, agents)
            raise UsageError(
                f"no results of the agent {agent!r}; {near}there are: {', '.join(agents)}"
            )


def _couples(
    of_env: Samples, baseline: str | None, contrasts: Sequence[Couple]
) -> Iterator[Couple]:
    """The agents to compare: those that are named, all with the baseline, or each with each."""
    agents = list(of_env.values)
    if contrasts:
        yield from ((a, b) for a, b in contrasts if a in agents and b in agents)
    elif baseline is None:
        yield from itertools.combinations(agents, 2)
    elif baseline in agents:
        yield from ((agent, baseline) for agent in agents if agent != baseline)


def _contrast(
    of_env: Samples, agent: str, against: str, pairs: str | None, level: float
) -> Contrast:
    """Two agents, as if nothing else were compared."""
    pairs = pairs or _belonging(of_env.values[agent], of_env.values[against])
    x, y = _chosen(of_env, agent, against, pairs)
    if of_env.ranked:
        x, y = _ranked(x, y)
    tested, (low, high) = _test(x, y, pairs)
    return Contrast(
        env=of_env.env,
        agent=agent,
        against=against,
        n=len(x),
        n_against=len(y),
        pairs=pairs,
        difference=statistics.fmean(x) - statistics.fmean(y),
        low=low,
        high=high,
        superiority=permutation.superiority(x, y),
        p=tested.p,
        least=tested.least,
        p_corrected=tested.p,
        level=level,
    )


def _belonging(x: BySeed, y: BySeed) -> str:
    return BY_SEED if x.keys() == y.keys() else INDEPENDENT


def _chosen(
    of_env: Samples, agent: str, against: str, pairs: str
) -> tuple[list[float], list[float]]:
    """The values to compare; in pairs, those of the seeds that both agents have."""
    x, y = of_env.values[agent], of_env.values[against]
    if pairs == INDEPENDENT:
        return list(x.values()), list(y.values())
    seeds = [seed for seed in x if seed in y]
    if not seeds:
        raise UsageError(
            f"{agent} and {against} have no seed in common on {of_env.env}; run the same seeds, "
            "or leave out `pairs`"
        )
    return [x[seed] for seed in seeds], [y[seed] for seed in seeds]


def _ranked(x: Sequence[float], y: Sequence[float]) -> tuple[list[float], list[float]]:
    """Ranks among the runs of both agents: a mean of times says nothing of those that never came.

    Among no others: how far two runs are apart must not depend on who else is compared.
    """
    ranks = ranked([*x, *y]).tolist()
    return ranks[: len(x)], ranks[len(x) :]


def _test(
    x: Sequence[float], y: Sequence[float], pairs: str
) -> tuple[Significance, tuple[float | None, float | None]]:
    if pairs == BY_SEED:
        interval = t_interval([a - b for a, b in zip(x, y, strict=True)])
        return permutation.paired(x, y), (interval.low, interval.high)
    return permutation.unpaired(x, y), welch_interval(x, y) or (None, None)


def _too_few(contrasts: Sequence[Contrast], level: float) -> Iterator[str]:
    """What more seeds would be needed for, once for each number of them."""
    family = len(contrasts)
    short = [each for each in contrasts if family * each.least > level]
    for pairs, n in dict.fromkeys((each.pairs, min(each.n, each.n_against)) for each in short):
        more = _enough(pairs, level / family)
        advice = f"; run at least {more}" if more else ""
        yield (
            f"{n} seeds cannot show a difference at level {level:g} ({pairs}, "
            f"{counted(family)}){advice}"
        )


def _enough(pairs: str, level: float) -> int | None:
    """The least number of seeds at which a test can reach that level."""
    tested = permutation.least_paired if pairs == BY_SEED else permutation.least_unpaired
    return next((n for n in range(1, _MOST) if tested(n) <= level), None)
