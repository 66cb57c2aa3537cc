"""The mean over seeds with Student's t-interval."""

from __future__ import annotations

import math
from collections.abc import Sequence

import attrs
import numpy as np

#: Confidence level of the intervals that tables and figures show.
LEVEL = 0.95


@attrs.frozen(kw_only=True)
class Interval:
    """A mean and its confidence interval.

    Attributes:
        mean: the mean of the values.
        low: lower end; None for a single value, which has no interval.
        high: upper end, likewise.
        n: number of values.
    """

    mean: float
    low: float | None
    high: float | None
    n: int


def t_interval(
    values: Sequence[float],
    *,
    level: float = LEVEL,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> Interval:
    """Mean and two-sided t-interval, mean +- t(n - 1) sd / sqrt(n), sd with n - 1.

    Args:
        values: at least one number.
        level: confidence level, in (0, 1).
        bounds: lowest and highest possible value; the interval is clipped to them.

    Raises:
        ValueError: when there are no values.
    """
    n = len(values)
    if n == 0:
        raise ValueError("there are no values; expected at least one")
    mean = float(np.mean(values))
    if n == 1:
        return Interval(mean=mean, low=None, high=None, n=1)
    half = _quantile(n - 1, level) * float(np.std(values, ddof=1)) / math.sqrt(n)
    return Interval(
        mean=mean, low=max(mean - half, bounds[0]), high=min(mean + half, bounds[1]), n=n
    )


def welch_interval(
    x: Sequence[float], y: Sequence[float], *, level: float = LEVEL
) -> tuple[float, float] | None:
    """Two-sided t-interval of the difference of the means of two independent samples.

    Args:
        x: numbers.
        y: numbers.
        level: confidence level, in (0, 1).

    Returns:
        Its ends; None where one sample has a single value, and so no spread.

    Source: Welch 1947, Biometrika 34, 28-35.
    """
    if min(len(x), len(y)) < 2:
        return None
    parts = [float(np.var(each, ddof=1)) / len(each) for each in (x, y)]
    difference, total = float(np.mean(x) - np.mean(y)), sum(parts)
    if total == 0.0:
        return difference, difference
    freedom = total**2 / sum(
        part**2 / (len(each) - 1) for part, each in zip(parts, (x, y), strict=True)
    )
    half = _quantile(freedom, level) * math.sqrt(total)
    return difference - half, difference + half


def _quantile(freedom: float, level: float) -> float:
    """What Student's t exceeds in absolute value with probability 1 - level."""
    from scipy.special import stdtrit  # not on top: it is slow, and single values need none

    return float(stdtrit(freedom, 0.5 + level / 2.0))
