"""When rules stopped runs, over seeds: runs that did not stop count, and are never averaged.

A run that reaches its horizon without a stop is censored: all that is known is that it stops
later. S(t), the share of runs that have not stopped at step t, is estimated as Kaplan & Meier do:

    S(t) = prod over stopping times u <= t of (1 - d(u) / n(u)),

with d(u) runs that stopped at u and n(u) runs that had neither stopped nor ended before u.

Source: Kaplan & Meier 1958, "Nonparametric Estimation from Incomplete Observations".
"""

from __future__ import annotations

from collections.abc import Iterable

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi.results.storage.reading import Result
from mfbpi_core.running.stopping import STOPPING_TIME

#: A share of one half is one half, however its factors round.
_ROUNDING = 1e-12


@attrs.frozen
class End:
    """The last step of a run, and whether its rule had stopped it there."""

    step: int
    stopped: bool

    @classmethod
    def of(cls, result: Result) -> End:
        """That of a run with a rule."""
        columns = result.content.select(["metric", "step"]).to_pydict()
        return cls(max(columns["step"], default=0), STOPPING_TIME in columns["metric"])


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
    """

    agent: str
    env: str
    median: int | None
    stopped: int
    n: int

    @classmethod
    def among(cls, agent: str, env: str, ends: Iterable[End]) -> Stops:
        """Those of some runs."""
        listed = list(ends)
        steps, share = kaplan_meier(listed)
        reached = steps[share <= 0.5 + _ROUNDING]
        return cls(
            agent=agent,
            env=env,
            median=int(reached[0]) if reached.size else None,
            stopped=sum(end.stopped for end in listed),
            n=len(listed),
        )

    def __str__(self) -> str:
        """One line for people."""
        median = "not reached" if self.median is None else f"{self.median:,}"
        return (
            f"{self.agent} on {self.env}: stopped {self.stopped} of {self.n} runs, "
            f"median stopping time {median}"
        )


def kaplan_meier(ends: Iterable[End]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """The estimate of the module.

    Returns:
        The stopping times, increasing, int64 [m], and the share of runs that have not stopped
        right after each, float64 [m].
    """
    listed = list(ends)
    steps = np.array([end.step for end in listed], dtype=np.int64)
    stopped = np.array([end.stopped for end in listed], dtype=np.bool_)
    times = np.unique(steps[stopped])
    deaths = (steps[stopped] == times[:, None]).sum(axis=1)  # d(u)
    at_risk = (steps >= times[:, None]).sum(axis=1)  # n(u)
    return times, np.cumprod(1.0 - deaths / np.maximum(at_risk, 1))
