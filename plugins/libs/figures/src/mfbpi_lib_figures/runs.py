"""The rows of runs by agent and environment: what curves and scores are drawn from."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

import attrs
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from mfbpi_lib_statistics.latest import latest

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]


@attrs.frozen(kw_only=True)
class Quantity:
    """A metric as figures call it.

    Attributes:
        name: its column in the results.
        label: what stands at an axis.
        low: its lowest possible value; ``high``: its highest.
        high: see ``low``.
    """

    name: str
    label: str = ""
    low: float = -math.inf
    high: float = math.inf

    @property
    def axis(self) -> str:
        """What stands at an axis: the label, or the name in words."""
        return self.label or self.name.replace("_", " ")

    @property
    def bounds(self) -> tuple[float, float]:
        """The range."""
        return self.low, self.high


@attrs.frozen(eq=False)
class Curve:
    """One run's measurements of one metric.

    Attributes:
        steps: int64 [n], increasing.
        values: float64 [n].
    """

    steps: IntArray
    values: FloatArray

    def at(self, steps: IntArray) -> FloatArray:
        """The latest measurement at each step; NaN before the first and after the run's last."""
        index = np.searchsorted(self.steps, steps, side="right") - 1
        known = (index >= 0) & (steps <= self.steps[-1])
        return np.where(known, self.values[np.maximum(index, 0)], np.nan)


#: Curve of each seed, by agent and environment.
Curves: TypeAlias = dict[tuple[str, str], dict[int, Curve]]

#: Last value of each seed, in the order of the seeds, by agent and environment.
Finals: TypeAlias = dict[tuple[str, str], list[float]]

#: Agent, environment and seed: what tells one run from another, and the columns.
Run: TypeAlias = tuple[str, str, int]
RUN = ("agent", "env", "seed")


def curves(table: pa.Table, metric: str) -> Curves:
    """The curves of one metric, in the order in which agents and environments appear.

    Args:
        table: rows of results.
        metric: its name.

    Raises:
        ValueError: when it was not measured, listing what was.
    """
    grouped: dict[Run, list[tuple[int, float]]] = {}
    for run, step, value in _measured(table, metric):
        grouped.setdefault(run, []).append((step, value))
    found: Curves = {}
    for (agent, env, seed), measured in grouped.items():
        steps, values = zip(*sorted(measured), strict=True)
        curve = Curve(np.array(steps, dtype=np.int64), np.array(values, dtype=np.float64))
        found.setdefault((agent, env), {})[seed] = curve
    return found


def finals(table: pa.Table, metric: str) -> Finals:
    """The last value of one metric in each run; arguments and errors as :func:`curves`."""
    ends: dict[tuple[str, str], dict[int, float]] = {}
    for (agent, env, seed), (_, value) in latest(_measured(table, metric)).items():
        ends.setdefault((agent, env), {})[seed] = value
    return {place: [found[seed] for seed in sorted(found)] for place, found in ends.items()}


def _measured(table: pa.Table, metric: str) -> Iterator[tuple[Run, int, float]]:
    """The measurements of one metric: run, step and value."""
    rows = table.filter(pc.equal(table["metric"], metric))
    if not rows.num_rows:
        measured = ", ".join(sorted(set(table["metric"].to_pylist()))) or "nothing"
        raise ValueError(f"there is no {metric!r} in these results; measured were: {measured}")
    agents, envs, seeds, steps, values = (
        rows[name].to_pylist() for name in (*RUN, "step", "value")
    )
    yield from zip(zip(agents, envs, seeds, strict=True), steps, values, strict=True)


def common_steps(found: Mapping[int, Curve], most: int) -> IntArray:
    """At most so many steps at which some run measured, the first and last among them."""
    steps = np.unique(np.concatenate([curve.steps for curve in found.values()]))
    return steps[np.unique(np.linspace(0, len(steps) - 1, most).astype(int))]


def counted(counts: Iterable[int]) -> str:
    """Numbers of seeds in words: ``"n = 3"``, ``"n = 2 or 3"``, ``"n = 2 to 9"``."""
    numbers = sorted(set(counts))
    if len(numbers) <= 2:
        return f"n = {' or '.join(map(str, numbers))}"
    return f"n = {numbers[0]} to {numbers[-1]}"
