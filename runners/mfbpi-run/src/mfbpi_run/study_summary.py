"""The summary of a study: each quantity of each environment, over its draws."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from mfbpi_lib_statistics.intervals import LEVEL, t_interval
from mfbpi_run.output import show_table

#: What tells one line of the summary from another.
_KEY = ("env", "discount", "quantity", "k", "constraint", "at")

#: Longer summaries are left to the table.
_SHOWN_LINES = 200

_CAPTION = (
    f"Mean over n draws with its {100 * LEVEL:g} % t-interval, and median; n = 1: no interval. "
    "left out: draws where the value is infinite or unknown. at: the bound at whose optimal "
    "allocation the value is taken; over random instances a bound has a heavy tail: see the median."
)


def summarise(content: pa.Table) -> Iterator[dict[str, Any]]:
    """One line for each quantity of each environment; without a value where none is finite."""
    groups: dict[tuple[Any, ...], list[float | None]] = {}
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


def _statistics(values: Sequence[float]) -> dict[str, Any]:
    if not values:
        return {"mean": None, "interval": None, "median": None}
    interval = t_interval(values, bounds=(0.0, math.inf))  # no quantity is negative
    ends = None if interval.low is None else [interval.low, interval.high]
    return {"mean": interval.mean, "interval": ends, "median": statistics.median(values)}


def show_summary(lines: Sequence[dict[str, Any]]) -> None:
    """Print the lines as a table, unless they are too many; columns that say nothing are left out.

    Args:
        lines: what :func:`summarise` yields, at least one.
    """
    if len(lines) > _SHOWN_LINES:
        return
    empty = (None, 0)
    columns = [name for name in lines[0] if any(line[name] not in empty for line in lines)]
    rows = [tuple(_cell(line[name]) for name in columns) for line in lines]
    headings = [name.replace("_", " ") for name in columns]
    show_table(headings, rows, caption=_CAPTION, right=("mean", "median", "n", "left out"))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return f"[{value[0]:.6g}, {value[1]:.6g}]"
    return f"{value:.7g}" if isinstance(value, float) else str(value)
