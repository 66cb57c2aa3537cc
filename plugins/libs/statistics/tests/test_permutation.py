"""Permutation tests and their correction, against values counted by hand."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from mfbpi_lib_statistics.intervals import welch_interval
from mfbpi_lib_statistics.permutation import holm, paired, superiority, unpaired


def test_pairs_that_all_agree() -> None:
    """Differences 1, 2, 3: of 8 choices of signs, 2 are as far from zero."""
    found = paired([1.0, 2.0, 3.0], [0.0, 0.0, 0.0])

    assert found.p == 2 / 8
    assert found.least == 2 / 8


def test_samples_that_lie_apart() -> None:
    """1, 2 and 3, 4: of 6 ways to label, 2 are as far apart."""
    found = unpaired([1.0, 2.0], [3.0, 4.0])

    assert found.p == pytest.approx(2 / 6)
    assert found.least == pytest.approx(2 / 6)


def test_equal_samples_do_not_differ() -> None:
    """Where every difference is zero, nothing speaks against equality."""
    assert paired([2.0, 2.0], [2.0, 2.0]).p == 1.0
    assert unpaired([2.0, 2.0], [2.0, 2.0]).p == 1.0


def test_every_arrangement_is_counted() -> None:
    """Against plain enumeration, on random samples with ties."""
    rng = np.random.default_rng(1)
    for _ in range(10):
        x, y = (rng.integers(0, 5, 6).astype(float) for _ in range(2))
        d = x - y
        signs = np.array(list(itertools.product((1, -1), repeat=6)))
        expected = np.mean(np.abs(signs @ d) >= abs(d.sum()) - 1e-9)
        assert paired(x.tolist(), y.tolist()).p == pytest.approx(expected)


def test_more_pairs_than_can_be_counted_are_drawn() -> None:
    """With 40 pairs the p-value is near that of a t-test, and the same each time."""
    rng = np.random.default_rng(2)
    x, y = rng.normal(0.4, 1.0, 40).tolist(), rng.normal(0.0, 1.0, 40).tolist()
    found = paired(x, y)

    assert found == paired(x, y)
    assert found.p == pytest.approx(float(stats.ttest_rel(x, y).pvalue), rel=0.15)
    assert found.least == pytest.approx(2 / 100_001)


def test_level_is_kept() -> None:
    """Of 400 pairs of samples of one skewed law, about 5 % are called different."""
    rng = np.random.default_rng(3)
    p = [unpaired(*rng.exponential(size=(2, 5)).tolist()).p for _ in range(400)]

    assert np.mean(np.array(p) <= 0.05) <= 0.08


def counted(x: list[float], y: list[float], pairs: bool) -> float:
    """The two-sided p-value by plain enumeration, in fractions of the decimals that are read."""
    a, b = ([Fraction(repr(each)) for each in own] for own in (x, y))
    if pairs:
        d = [u - v for u, v in zip(a, b, strict=True)]
        signs = itertools.product((1, -1), repeat=len(d))
        all_of_them = [sum(s * e for s, e in zip(own, d, strict=True)) for own in signs]
        seen = sum(d)
    else:
        z, n, m = a + b, len(a), len(b)
        firsts = [sum(own) for own in itertools.combinations(z, n)]
        all_of_them = [first / n - (sum(z) - first) / m for first in firsts]
        seen = sum(a) / n - sum(b) / m
    below, above = sum(e <= seen for e in all_of_them), sum(e >= seen for e in all_of_them)
    return float(min(Fraction(1), Fraction(2 * min(below, above), len(all_of_them))))


@pytest.mark.parametrize("unit", [1.0, 0.1, 1e-9, 1e9])
@pytest.mark.parametrize("offset", [0.0, 1.0, 1e6])
def test_ties_are_those_of_decimals(unit: float, offset: float) -> None:
    """0.1 + 0.2 and 0.3, or numbers far from zero, tie as on paper, not as they are rounded."""
    if unit / max(offset, 1e-300) < 1e-13:
        return
    rng = np.random.default_rng(4)
    for _ in range(12):
        n, m = rng.integers(1, 7, size=2)
        x, y, z = ([round(offset + unit * int(k), 9) for k in rng.integers(0, 3, size)]
                   for size in (n, n, m))  # fmt: skip

        assert paired(x, y).p == pytest.approx(counted(x, y, True))
        assert unpaired(x, z).p == pytest.approx(counted(x, z, False))


def test_one_number_can_be_compared() -> None:
    """One pair says nothing; one number outside of three others is the outermost of four."""
    assert paired([1.0], [2.0]).p == 1.0
    assert unpaired([1.0], [2.0]).p == 1.0
    assert unpaired([9.0], [1.0, 2.0, 3.0]).p == 2 / 4
    assert unpaired([1.0, 2.0, 3.0], [9.0]).p == 2 / 4
    assert unpaired([2.0], [1.0, 2.0, 3.0]).p == 1.0


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), -float("inf")])
def test_numbers_without_a_mean_are_refused(wrong: float) -> None:
    """Every comparison with NaN is false, which would count as evidence."""
    with pytest.raises(ValueError, match="not finite"):
        paired([wrong, 1.0, 2.0], [0.0, 1.0, 2.0])


def test_superiority_of_many_runs_needs_no_table_of_all_pairs() -> None:
    """200,000 against as many; the chance of an upper uniform number is 3/4."""
    rng = np.random.default_rng(5)
    x, y = rng.random(200_000) / 2 + 0.5, rng.random(200_000)

    assert superiority(x.tolist(), y.tolist()) == pytest.approx(0.75, abs=0.005)


@pytest.mark.parametrize(("x", "y"), [([], [1.0]), ([1.0], [])])
def test_empty_samples_are_refused(x: list[float], y: list[float]) -> None:
    """Nothing can be said of nothing."""
    with pytest.raises(ValueError, match="empty"):
        unpaired(x, y)


def test_unequal_lengths_are_no_pairs() -> None:
    """Three and two numbers have no pairs."""
    with pytest.raises(ValueError, match="3 and 2 numbers"):
        paired([1.0, 2.0, 3.0], [1.0, 2.0])


def test_correction_of_three() -> None:
    """.01 * 3, then .03 * 2, and .04 cannot come before that."""
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []
    assert holm([0.9, 0.8]) == [1.0, 1.0]


def test_superiority_counts_ties_half() -> None:
    """Of 4 pairs of (1, 2) and (1, 3): one above, one equal."""
    assert superiority([1.0, 2.0], [1.0, 3.0]) == (1 + 0.5) / 4


def test_interval_of_independent_samples_is_welchs() -> None:
    """Against scipy's; without spread it has no width, and of one value there is none."""
    x, y = [1.0, 2.0, 4.0, 8.0], [0.5, 0.25, 0.75]
    expected = stats.ttest_ind(x, y, equal_var=False).confidence_interval(0.95)

    assert welch_interval(x, y) == pytest.approx((expected.low, expected.high))
    assert welch_interval([1.0, 1.0], [0.0, 0.0]) == (1.0, 1.0)
    assert welch_interval([1.0], [0.0, 1.0]) is None
