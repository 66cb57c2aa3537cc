"""The sets hold at all times at once: how often the true law ever leaves them, by simulation."""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest
from scipy import special

from mfbpi_lib_confidence.penalties import penalty

LAWS = {
    "three of five": (0.1, 0.6, 0.3, 0.0, 0.0),
    "two of five": (0.7, 0.3, 0.0, 0.0, 0.0),
    "uniform on five": (0.2,) * 5,
    "nearly sure": (0.98, 0.005, 0.005, 0.005, 0.005),
    "rare reward": (0.05, 0.95),
    "fair reward": (0.5, 0.5),
}
DELTA = 0.1


@numba.njit
def leaves(law, n_steps, x, free, rng):
    """Whether n KL(p_hat, p) >= x + pen(c) ever happens; ``free``: without pen."""
    counts = np.zeros(law.size)
    cdf = np.cumsum(law)
    for n in range(1, n_steps + 1):
        u, k = rng.random(), 0
        while k < law.size - 1 and (u >= cdf[k] or law[k] == 0.0):
            k += 1
        counts[k] += 1.0
        spent = 0.0
        for i in range(law.size):
            if counts[i] > 0.0:
                spent += counts[i] * math.log(counts[i] / (n * law[i]))
        if spent >= x and (free or spent >= x + penalty(counts, law.size)):
            return True
    return False


def left(law, n_replicas: int, n_steps: int, seed: int, *, free: bool = False) -> int:
    """In how many replicas the law ever leaves sets of risk DELTA."""
    rng = np.random.default_rng(seed)
    x = math.log(1.0 / DELTA)
    return sum(leaves(np.array(law), n_steps, x, free, rng) for _ in range(n_replicas))


def clopper_pearson(k: int, n: int, risk: float = 0.05) -> tuple[float, float]:
    """Exact two-sided interval of a probability after k of n."""
    low = special.betaincinv(k, n - k + 1, risk / 2) if k > 0 else 0.0
    high = special.betaincinv(k + 1, n - k, 1 - risk / 2) if k < n else 1.0
    return float(low), float(high)


@pytest.mark.parametrize("name", LAWS)
def test_the_true_law_stays(name):
    """300 replicas of 1,000 samples: nothing speaks against a risk of 0.1."""
    low, _ = clopper_pearson(left(LAWS[name], 300, 1_000, seed=1), 300)

    assert low <= DELTA


@pytest.mark.parametrize("name", LAWS)
def test_thresholds_without_a_penalty_are_found_out(name):
    """n KL >= log(1 / delta) happens far too often, and 300 replicas show it."""
    low, _ = clopper_pearson(left(LAWS[name], 300, 1_000, seed=2, free=True), 300)

    assert low > DELTA


@pytest.mark.slow
@pytest.mark.parametrize("name", LAWS)
def test_the_true_law_stays_at_length(name):
    """4,000 replicas of 20,000 samples: the upper end of the interval is at most 0.1."""
    _, high = clopper_pearson(left(LAWS[name], 4_000, 20_000, seed=100), 4_000)

    assert high <= DELTA


@pytest.mark.slow
@pytest.mark.parametrize("name", LAWS)
def test_thresholds_without_a_penalty_are_found_out_at_length(name):
    """At this length they fail in most replicas."""
    low, _ = clopper_pearson(left(LAWS[name], 4_000, 20_000, seed=101, free=True), 4_000)

    assert low > DELTA


def test_interval_by_hand():
    """0 of 10: [0, 1 - 0.025^(1/10)]."""
    low, high = clopper_pearson(0, 10)

    assert low == 0.0
    assert high == pytest.approx(1 - 0.025**0.1)
