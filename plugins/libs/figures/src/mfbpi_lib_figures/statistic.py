"""The statistic over seeds that a figure shows, with its interval and the words for its caption."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from mfbpi_lib_figures.runs import counted
from mfbpi_lib_statistics.bootstrap import median_interval
from mfbpi_lib_statistics.intervals import LEVEL, t_interval

Statistic: TypeAlias = Literal["mean", "median"]

#: Centre, and the ends of its interval; None for a single value.
Summary: TypeAlias = tuple[float, float | None, float | None]


def summary(values: Sequence[float], bounds: tuple[float, float], statistic: Statistic) -> Summary:
    """The statistic of the seeds' values.

    Args:
        values: one number for each seed.
        bounds: range of the quantity; the interval of a mean is clipped to it.
        statistic: ``"mean"`` with a t-interval, or ``"median"`` with a bootstrap interval.
    """
    if statistic == "mean":
        mean = t_interval(values, bounds=bounds)
        return mean.mean, mean.low, mean.high
    median = median_interval(values)
    return median.median, median.low, median.high


def caption(statistic: Statistic, counts: Iterable[int], *, bounded: bool) -> str:
    """What a figure says about its numbers: statistic, interval, level and number of seeds."""
    numbers = set(counts)
    how = (
        f"{100 * LEVEL:g} % t-interval"
        if statistic == "mean"
        else (f"{100 * LEVEL:g} % bootstrap interval")
    )
    if statistic == "mean" and bounded:
        how += " within the range of the quantity"
    if numbers == {1}:
        how = "no interval"
    elif 1 in numbers:
        how += ", none where n = 1"
    return f"{statistic} over {counted(numbers)} seeds, {how}"
