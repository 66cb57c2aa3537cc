"""The t-interval, against values worked out by hand."""

from __future__ import annotations

import math

import pytest

from mfbpi_lib_statistics.intervals import t_interval


def test_three_values_use_t_with_two_degrees_of_freedom() -> None:
    """1, 2, 3: sd 1 with n - 1, t(2) = 4.303, half width 4.303 / sqrt 3."""
    interval = t_interval([1.0, 2.0, 3.0])

    assert interval.mean == 2.0
    assert interval.n == 3
    assert interval.low is not None
    assert interval.high is not None
    assert interval.high - 2.0 == pytest.approx(4.302653 / math.sqrt(3.0), rel=1e-6)
    assert 2.0 - interval.low == pytest.approx(4.302653 / math.sqrt(3.0), rel=1e-6)


def test_one_value_has_no_interval() -> None:
    """n = 1 gives the value alone, and no NaN."""
    interval = t_interval([0.25])

    assert (interval.mean, interval.low, interval.high, interval.n) == (0.25, None, None, 1)


def test_equal_values_have_an_interval_of_no_width() -> None:
    """Without spread the interval is the mean itself."""
    interval = t_interval([0.5, 0.5, 0.5, 0.5])

    assert (interval.low, interval.high) == (0.5, 0.5)


def test_interval_is_clipped_to_the_range() -> None:
    """A bounded quantity never shows impossible values."""
    interval = t_interval([0.0, 1.0], bounds=(0.0, 1.0))

    assert (interval.low, interval.high) == (0.0, 1.0)


def test_level_widens_the_interval() -> None:
    """t(1) is 12.706 at 95 % and 63.657 at 99 %."""
    wide = t_interval([0.0, 2.0], level=0.99)
    narrow = t_interval([0.0, 2.0], level=0.95)

    assert wide.high == pytest.approx(1.0 + 63.656741, rel=1e-6)
    assert narrow.high == pytest.approx(1.0 + 12.706205, rel=1e-6)


def test_no_values_are_refused() -> None:
    """An empty set has no mean."""
    with pytest.raises(ValueError, match="no values"):
        t_interval([])
