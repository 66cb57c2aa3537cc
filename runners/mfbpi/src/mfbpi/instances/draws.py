"""Each quantity of a study, in each environment, averaged over its draws."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence

import pyarrow as pa

from mfbpi_core.data.plain import JsonObject
from mfbpi_lib_statistics.intervals import LEVEL, t_interval

#: What tells one line of the summary from another.
_KEY = ("env", "discount", "quantity", "k", "constraint", "at")

#: What the numbers of the summary are.
CAPTION = (
    f"Mean over n draws with its {100 * LEVEL:g} % t-interval, and median; n = 1: no interval. "
    "left out: draws where the value is infinite or unknown. at: the bound at whose optimal "
    "allocation the value is taken; over random instances a bound has a heavy tail: see the median."
)


def averaged(content: pa.Table) -> Iterator[JsonObject]:
    """One line for each quantity of each environment; without a value where none is finite."""
    groups: dict[tuple[object, ...], list[float | None]] = {}
    for row in content.select([*_KEY, "value"]).to_pylist():
        groups.setdefault(tuple(row[name] for name in _KEY), []).append(row["value"])
    for key, values in groups.items():
        finite = [value for value in values if value is not None]
        yield {
            **dict(zip(_KEY, key, strict=True)),
            **_statistics(finite),
            "n": len(finite),
            "left_out": len(values) - len(finite),
        }


def _statistics(values: Sequence[float]) -> JsonObject:
    if not values:
        return {"mean": None, "interval": None, "median": None}
    interval = t_interval(values, bounds=(0.0, math.inf))  # no quantity is negative
    ends = None if interval.low is None else [interval.low, interval.high]
    return {"mean": interval.mean, "interval": ends, "median": statistics.median(values)}
