"""Timing of alternatives side by side, so that a machine whose speed drifts is fair to both."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def seconds(action: Callable[[], object]) -> float:
    """Duration of one call."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def side_by_side(
    first: Callable[[], object], second: Callable[[], object], rounds: int = 5
) -> tuple[float, float, float]:
    """Run both in turn, after one round that does not count.

    Returns:
        Median seconds of the first, of the second, and the median of the ratios second / first,
        taken round by round.
    """
    first()
    second()
    pairs = [(seconds(first), seconds(second)) for _ in range(rounds)]
    firsts, seconds_ = zip(*pairs, strict=True)
    ratios = [b / a for a, b in pairs]
    return statistics.median(firsts), statistics.median(seconds_), statistics.median(ratios)
