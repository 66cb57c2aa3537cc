"""When rules stopped runs, over seeds: runs that did not stop count, and are never averaged.

A run that reaches its horizon without a stop is censored: all that is known is that it stops
later. The share of runs that have not stopped is estimated as Kaplan & Meier do, see
:mod:`mfbpi_lib_statistics.survival`.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

import attrs

from mfbpi.results.storage.reading import Result
from mfbpi_core.running.stopping import CERTIFIED_GAP, STOPPING_TIME
from mfbpi_lib_statistics.latest import latest
from mfbpi_lib_statistics.survival import kaplan_meier

#: A share of one half is one half, however its factors round.
_ROUNDING = 1e-12


@attrs.frozen
class End:
    """How a run with a rule ended.

    Attributes:
        step: its last step.
        stopped: whether its rule had stopped it there.
        gap: what was certified last; None before the first check.
    """

    step: int
    stopped: bool
    gap: float | None = None

    @classmethod
    def of(cls, result: Result) -> End:
        """That of a run with a rule."""
        columns = result.content.select(["metric", "step", "value"]).to_pydict()
        last = latest(zip(*columns.values(), strict=True))
        _, gap = last.get(CERTIFIED_GAP, (0, None))
        return cls(max(columns["step"], default=0), STOPPING_TIME in last, gap)


@attrs.frozen(kw_only=True)
class Stops:
    """When an agent's runs in an environment were stopped.

    Attributes:
        agent: label of the agent.
        env: label of the environment.
        median: the least step by which half of the runs have stopped; None where it is not
            reached.
        stopped: how many runs have.
        n: number of runs.
        gap: the median of what was certified last in the runs that reached their horizon; None
            where there are none, or none was checked.
    """

    agent: str
    env: str
    median: int | None
    stopped: int
    n: int
    gap: float | None = None

    @classmethod
    def among(cls, agent: str, env: str, ends: Iterable[End]) -> Stops:
        """Those of some runs."""
        listed = list(ends)
        gaps = [end.gap for end in listed if not end.stopped and end.gap is not None]
        return cls(
            agent=agent,
            env=env,
            median=median_step([end.step for end in listed], [end.stopped for end in listed]),
            stopped=sum(end.stopped for end in listed),
            n=len(listed),
            gap=statistics.median(gaps) if gaps else None,
        )

    def __str__(self) -> str:
        """One line for people."""
        median = "not reached" if self.median is None else f"{self.median:,}"
        rest = "" if self.gap is None else f"; certified gap at the horizon {self.gap:.4g}"
        return (
            f"{self.agent} on {self.env}: stopped {self.stopped} of {self.n} runs, "
            f"median stopping time {median}{rest}"
        )


def median_step(steps: Sequence[int], happened: Sequence[bool]) -> int | None:
    """The least step by which something has happened in half of some runs; None for never.

    Args:
        steps: [n], when it happened in each, or the last step at which it had not.
        happened: [n], which of the two.
    """
    times, share = kaplan_meier(steps, happened)
    reached = times[share <= 0.5 + _ROUNDING]
    return int(reached[0]) if reached.size else None
