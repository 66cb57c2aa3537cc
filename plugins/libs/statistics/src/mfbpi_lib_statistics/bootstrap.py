"""The median with its bootstrap interval, for values whose mean says little."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np
from scipy import stats

from mfbpi_lib_statistics.intervals import LEVEL

#: Resamples: the ends of the interval are then off by about a tenth of a percent of the level.
RESAMPLES = 10_000


@attrs.frozen(kw_only=True)
class MedianInterval:
    """A median and its confidence interval.

    Attributes:
        median: the median of the values.
        low: lower end; None for a single value, which has no interval.
        high: upper end, likewise.
        n: number of values.
    """

    median: float
    low: float | None
    high: float | None
    n: int


def median_interval(
    values: Sequence[float], *, level: float = LEVEL, seed: int = 0
) -> MedianInterval:
    """Median and percentile bootstrap interval; it never leaves the range of the values.

    Args:
        values: at least one number.
        level: confidence level, in (0, 1).
        seed: of the resampling; equal seeds give equal intervals.

    Raises:
        ValueError: when there are no values.

    Source: Efron & Tibshirani 1993, "An Introduction to the Bootstrap", chapter 13.
    """
    if not values:
        raise ValueError("there are no values; expected at least one")
    median = float(np.median(values))
    if len(values) == 1:
        return MedianInterval(median=median, low=None, high=None, n=1)
    found = stats.bootstrap(
        (values,),
        np.median,
        n_resamples=RESAMPLES,
        confidence_level=level,
        method="percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return MedianInterval(
        median=median, low=float(found.low), high=float(found.high), n=len(values)
    )
