"""The exact interval of a probability (Clopper & Pearson 1934)."""

from __future__ import annotations

from scipy.special import betaincinv


def clopper_pearson(count: int, n: int, *, level: float = 0.95) -> tuple[float, float]:
    """Two-sided interval of the probability of what happened ``count`` times of ``n``.

    Args:
        count: 0 to n.
        n: 1 or more.
        level: confidence level, in (0, 1).
    """
    tail = (1.0 - level) / 2.0
    low = float(betaincinv(count, n - count + 1, tail)) if count > 0 else 0.0
    high = float(betaincinv(count + 1, n - count, 1.0 - tail)) if count < n else 1.0
    return low, high
