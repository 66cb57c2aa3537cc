"""What runs have measured in one column, and what to say of those that have not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import attrs
import numpy as np
import pyarrow.compute as pc

from mfbpi.results.storage.reading import Result
from mfbpi_core.data.arrays import FloatArray, IntArray
from mfbpi_core.errors import UsageError
from mfbpi_core.text import did_you_mean, listed


@attrs.frozen(kw_only=True, eq=False)
class Course:
    """A column over a run that has measured it at its end.

    Attributes:
        steps: int64 [n], increasing; the last one is the end of the run.
        values: float64 [n]; of one step the row that came later.
    """

    steps: IntArray
    values: FloatArray

    @classmethod
    def of(cls, result: Result, metric: str) -> Course | None:
        """That of a run; None where the column was not measured at its end.

        Raises:
            UsageError: where a value is NaN, naming the run and the step.
        """
        own = result.content.filter(pc.equal(result.content["metric"], metric))
        steps, values = own["step"].to_numpy(), own["value"].to_numpy()
        if not len(steps) or steps.max() < result.content["step"].to_numpy().max():
            return None
        if np.isnan(values).any():
            raise UsageError(
                f"{metric} of {result.task.label} is NaN at step {steps[np.isnan(values)][0]}; "
                "expected numbers"
            )
        order = np.argsort(steps, kind="stable")
        steps, values = steps[order], values[order]
        latest = np.append(steps[1:] != steps[:-1], True)
        return cls(steps=steps[latest], values=values[latest])


def unknown(found: Sequence[Result], metric: str) -> str:
    """What to say of a column that no run has at its end, with one that was perhaps meant."""
    names = list(dict.fromkeys(name for each in found for name in _columns(each)))
    if metric in names:
        return (
            f"no run has measured {metric!r} at its end; expected a column that is measured there"
        )
    near = did_you_mean(metric, names)
    return f"no run has measured {metric!r}; {near}there are: {listed(names, most=20) or 'none'}"


def _columns(result: Result) -> list[str]:
    names: list[str] = result.content["metric"].unique().to_pylist()
    return names


def left_out(
    env: str, missing: Mapping[str, Sequence[int]], measured: Mapping[str, object], metric: str
) -> Iterator[str]:
    """A sentence for each agent some of whose runs have no value at their end.

    Args:
        env: label of the environment.
        missing: by label of the agent, the seeds of those runs.
        measured: the agents that have other runs.
        metric: the column.
    """
    for agent, seeds in missing.items():
        if agent in measured:
            yield (
                f"{len(seeds)} runs of {agent} on {env} have no {metric} at their end and are left "
                f"out (seeds {listed(sorted(seeds))})"
            )
        else:
            yield f"{agent} on {env} has no {metric} at the end of its runs and is left out"
