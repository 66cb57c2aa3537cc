"""A level as people write it, and since when values are at it."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from mfbpi.results.comparing.levels import Level
from mfbpi.results.stops import median_step
from mfbpi_core.errors import UsageError

STEPS = [0, 10, 20, 30, 40]


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (">=0.99", ">= 0.99"),
        (" <= 5e-2 ", "<= 0.05"),
        ("0.99", ">= 0.99"),
        ("-1", ">= -1"),
        (0.99, ">= 0.99"),
        (1, ">= 1"),
        (np.float64(0.1), ">= 0.1"),
        (Fraction(1, 4), ">= 0.25"),
        ("<=1e-320", "<= 1e-320"),
    ],
)
def test_levels_are_read(given: Any, shown: str) -> None:
    """Texts with a side, and numbers, which are to be reached from below."""
    assert str(Level.of(given)) == shown


@pytest.mark.parametrize(
    "given",
    [
        *("", "good", ">=", ">0.9", "==0.9", "=0.9", "0.9>=", ">=0.9 <=1", ">=nan", "nan", "inf"),
        *(math.nan, -math.inf, True, None, [0.9], b">=0.9"),
    ],
)
def test_what_is_no_level_is_refused(given: Any) -> None:
    """What was given, and two examples."""
    with pytest.raises(UsageError, match=r"`reaches` is .*; expected a finite number .*'>=0.99'"):
        Level.of(given)


@pytest.mark.parametrize(
    ("level", "values", "step"),
    [
        (">=1", [0, 1, 1, 1, 1], 10),
        (">=1", [1, 1, 1, 1, 1], 0),
        (">=1", [1, 0, 1, 0, 1], 40),
        (">=1", [1, 1, 1, 1, 0], None),
        (">=1", [0, 0, 0, 0, 0], None),
        (">=1", [0, 2, 1, 0.999999999999, 5], 40),
        ("<=0.05", [1, 0.05, 0.04, 0.0, 0.05], 10),
        ("<=0.05", [0, 0, 0, 0, 0.06], None),
        ("<=-1", [0, -1, -2, -1, -3], 10),
    ],
)
def test_reached_and_kept_by_hand(level: str, values: list[float], step: int | None) -> None:
    """The last time that counts, on either side; nothing is rounded."""
    steps = np.array(STEPS)

    assert Level.of(level).kept_from(steps, np.array(values, dtype=np.float64)) == step


def test_it_is_the_definition() -> None:
    """For any walk: the least step such that no later value falls short."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        n = int(rng.integers(1, 9))
        steps, values = np.cumsum(rng.integers(1, 5, size=n)), rng.integers(3, size=n) * 1.0
        level = Level(1.0, at_least=bool(rng.integers(2)))
        kept = [int(steps[i]) for i in range(n) if level.holds(values[i:]).all()]

        assert level.kept_from(steps, values) == min(kept, default=None)


def test_median_counts_runs_that_never_got_there() -> None:
    """Two of four by step 30; one of three by no step; a run that was lost early is censored."""
    assert median_step([10, 30, 40, 40], [True, True, False, False]) == 30
    assert median_step([10, 40, 40], [True, False, False]) is None
    assert median_step([5, 10, 20], [False, True, True]) == 10
