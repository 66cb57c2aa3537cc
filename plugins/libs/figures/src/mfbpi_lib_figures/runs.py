"""The rows of runs by agent and environment: what curves and scores are drawn from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import attrs
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

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

    @property
    def final(self) -> float:
        """The last measurement."""
        return float(self.values[-1])


#: Curve of each seed, by agent and environment.
Curves: TypeAlias = dict[tuple[str, str], dict[int, Curve]]


def curves(table: pa.Table, metric: str) -> Curves:
    """The curves of one metric, in the order in which agents and environments appear.

    Args:
        table: rows of results.
        metric: its name.

    Raises:
        ValueError: when it was not measured, listing what was.
    """
    rows = table.filter(pc.equal(table["metric"], metric))
    if not rows.num_rows:
        measured = ", ".join(sorted(set(table["metric"].to_pylist()))) or "nothing"
        raise ValueError(f"there is no {metric!r} in these results; measured were: {measured}")
    found: Curves = {}
    for (agent, env, seed), steps, values in _groups(rows):
        found.setdefault((agent, env), {})[seed] = Curve(steps, values)
    return found


def _groups(rows: pa.Table) -> Iterator[tuple[tuple[str, str, int], IntArray, FloatArray]]:
    """Steps, in order, and values of each run."""
    grouped: dict[tuple[str, str, int], list[tuple[int, float]]] = {}
    columns = [rows[name].to_pylist() for name in ("agent", "env", "seed", "step", "value")]
    for agent, env, seed, step, value in zip(*columns, strict=True):
        grouped.setdefault((agent, env, seed), []).append((step, value))
    for key, measured in grouped.items():
        steps, values = zip(*sorted(measured), strict=True)
        yield key, np.array(steps, dtype=np.int64), np.array(values, dtype=np.float64)


def finals(found: Mapping[int, Curve]) -> list[float]:
    """The last value of each seed, in the order of the seeds."""
    return [found[seed].final for seed in sorted(found)]


def common_steps(found: Mapping[int, Curve], most: int) -> IntArray:
    """At most so many steps at which some run measured, the first and last among them."""
    steps = np.unique(np.concatenate([curve.steps for curve in found.values()]))
    return steps[np.unique(np.linspace(0, len(steps) - 1, most).astype(int))]


def counted(counts: Any) -> str:
    """Numbers of seeds in words: ``"n = 3"``, ``"n = 2 or 3"``, ``"n = 2 to 9"``."""
    numbers = sorted(set(counts))
    if len(numbers) <= 2:
        return f"n = {' or '.join(map(str, numbers))}"
    return f"n = {numbers[0]} to {numbers[-1]}"
