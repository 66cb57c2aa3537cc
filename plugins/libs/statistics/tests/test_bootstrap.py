"""The bootstrap interval of the median, against every resample there is."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from mfbpi_lib_statistics.bootstrap import median_interval

SPREAD = [1.0, 2.0, 40.0, 300.0, 5000.0]


def brute_force(values: list[float], level: float) -> tuple[float, float]:
    """Quantiles of the median over all n^n resamples, which are equally likely."""
    medians = [np.median(resample) for resample in itertools.product(values, repeat=len(values))]
    tail = 0.5 - level / 2.0
    low, high = np.quantile(medians, [tail, 1.0 - tail])
    return float(low), float(high)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_five_values_with_a_large_spread_equal_brute_force(level: float) -> None:
    """The interval has width, and is that of all 3,125 resamples."""
    interval = median_interval(SPREAD, level=level)

    assert (interval.median, interval.n) == (40.0, 5)
    assert (interval.low, interval.high) == brute_force(SPREAD, level)
    assert interval.low < interval.high


def test_interval_ignores_the_global_generator() -> None:
    """Whatever state it is in, the interval is the same, and the state stays as it was."""
    values = np.geomspace(1.0, 1e6, 40).tolist()
    intervals = []
    for seed in (0, 1):
        np.random.seed(seed)  # noqa: NPY002 - the global generator is what is tested
        before = np.random.get_state()[1]  # noqa: NPY002
        intervals.append(median_interval(values))
        assert (np.random.get_state()[1] == before).all()  # noqa: NPY002

    assert intervals[0] == intervals[1]


def test_one_value_has_no_interval() -> None:
    """n = 1 gives the value alone."""
    interval = median_interval([0.25])

    assert (interval.median, interval.low, interval.high, interval.n) == (0.25, None, None, 1)


def test_equal_values_have_an_interval_of_no_width() -> None:
    """Without spread the interval is the median itself."""
    interval = median_interval([3.0, 3.0, 3.0])

    assert (interval.low, interval.high) == (3.0, 3.0)


def test_interval_stays_within_the_values() -> None:
    """No end is a value that was never seen."""
    interval = median_interval([0.0, 1.0])

    assert interval.low == 0.0
    assert interval.high == 1.0


def test_no_values_are_refused() -> None:
    """An empty set has no median."""
    with pytest.raises(ValueError, match="no values"):
        median_interval([])
