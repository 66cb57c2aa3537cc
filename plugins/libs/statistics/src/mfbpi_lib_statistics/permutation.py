"""Permutation tests of two samples, and what the p-values of several of them may say together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
from scipy import stats

#: Arrangements tried: all of them where there are no more, or else as many at random.
ARRANGEMENTS = 100_000

#: Arrangements in memory at once.
_BATCH = 5_000

#: Numbers in memory at once, where samples are large.
_LARGEST = 20_000_000

#: Differences that are a rounding of the largest number are ties.
_ROUNDING = 64 * float(np.finfo(float).eps)


@attrs.frozen(kw_only=True)
class Significance:
    """The outcome of a two-sided test.

    Attributes:
        p: probability, if nothing differs, of a difference at least as large as the one seen.
        least: the smallest p that samples of these sizes can have.
    """

    p: float
    least: float


def paired(x: Sequence[float], y: Sequence[float]) -> Significance:
    """Whether the mean of differences x_i - y_i is zero, by exchanging x_i and y_i.

    Valid whatever the pairs share, such as the noise of a seed, and for any distribution: if the
    two are exchangeable within each pair, each of the 2^n exchanges is as likely as the others.
    Exact up to 16 pairs; beyond, 100,000 exchanges are drawn, and counted with the one seen.

    Args:
        x: n numbers.
        y: n numbers.

    Raises:
        ValueError: when the lengths differ or are zero.

    Source: Fisher 1935, "The Design of Experiments", section 21.
    """
    if len(x) != len(y):
        raise ValueError(f"{len(x)} and {len(y)} numbers are no pairs; expected as many of each")
    return _tested(x, y, "samples", least_paired(len(x)))


def unpaired(x: Sequence[float], y: Sequence[float]) -> Significance:
    """Whether the means of two independent samples are equal, by exchanging their labels.

    Args:
        x: at least one number.
        y: at least one number.

    Raises:
        ValueError: when one has none.

    Source: Pitman 1937, Supplement to the Journal of the Royal Statistical Society 4, 119-130.
    """
    return _tested(x, y, "independent", least_unpaired(len(x), len(y)))


def least_paired(n: int) -> float:
    """The smallest p that n pairs can have."""
    return _least(2**n)


def least_unpaired(n: int, m: int | None = None) -> float:
    """The smallest p that samples of n and m numbers can have; m is n where it is not given."""
    return _least(math.comb(n + (n if m is None else m), n))


def _least(arrangements: int) -> float:
    return min(1.0, 2.0 / min(arrangements, ARRANGEMENTS + 1))


def _tested(
    x: Sequence[float], y: Sequence[float], arrangements: str, least: float
) -> Significance:
    if not len(x) or not len(y):
        raise ValueError("a sample is empty; expected at least one number in each")
    first, second = (np.asarray(each, dtype=float) for each in (x, y))
    if not np.isfinite([*first, *second]).all():
        raise ValueError("a sample has numbers that are not finite; they have no mean")
    seen = float(_difference(first, second, 0))
    differences, drawn = _differences(first, second, arrangements)
    # What equal sums differ by, added up in another order.
    rounding = _ROUNDING * max(abs(first).max(), abs(second).max())
    below = np.count_nonzero(differences <= seen + rounding)
    above = np.count_nonzero(differences >= seen - rounding)
    p = 2.0 * float(min(below, above) + drawn) / (len(differences) + drawn)
    return Significance(p=min(1.0, p), least=least)


def _differences(
    x: npt.NDArray[np.float64], y: npt.NDArray[np.float64], arrangements: str
) -> tuple[npt.NDArray[np.float64], bool]:
    """The difference of each arrangement, and whether these are drawn."""
    n, m = len(x), len(y)
    if arrangements == "samples":
        total = 2**n
        if n == 1:
            return np.array([x[0] - y[0], y[0] - x[0]]), False
    else:
        total = math.comb(n + m, n)
        if min(n, m) == 1:
            return _one_against_others(np.concatenate([x, y]), 1.0 if n == 1 else -1.0), False
    found = stats.permutation_test(
        (x, y),
        _difference,
        permutation_type=arrangements,
        vectorized=True,
        n_resamples=ARRANGEMENTS,
        batch=max(1, min(_BATCH, _LARGEST // (n + m))),
        rng=np.random.default_rng(0),
    )
    return found.null_distribution, total > ARRANGEMENTS


def _one_against_others(z: npt.NDArray[np.float64], sign: float) -> npt.NDArray[np.float64]:
    """Each number less the mean of all others, times a sign."""
    shifted = z - z[0]  # so that numbers far from zero lose nothing
    return sign * (shifted - (shifted.sum() - shifted) / (len(z) - 1))


def _difference(x: npt.NDArray[Any], y: npt.NDArray[Any], axis: int) -> npt.NDArray[Any]:
    difference: npt.NDArray[Any] = x.mean(axis=axis) - y.mean(axis=axis)
    return difference


def holm(p: Sequence[float]) -> list[float]:
    """p-values corrected for being several.

    Rejecting those at most alpha rejects any true hypothesis with probability alpha at most,
    however the tests depend on each other.

    >>> [round(each, 3) for each in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]

    Source: Holm 1979, Scandinavian Journal of Statistics 6, 65-70.
    """
    corrected, highest = [0.0] * len(p), 0.0
    for rank, i in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        highest = max(highest, min(1.0, (len(p) - rank) * p[i]))
        corrected[i] = highest
    return corrected


def superiority(x: Sequence[float], y: Sequence[float]) -> float:
    """Estimate of P(X > Y) + P(X = Y) / 2 for independent draws of each.

    Source: Vargha & Delaney 2000, Journal of Educational and Behavioral Statistics 25, 101-132.
    """
    first, second = np.asarray(x, dtype=float), np.sort(np.asarray(y, dtype=float))
    below = np.searchsorted(second, first, side="left")  # [n], how many of y are less
    least = np.searchsorted(second, first, side="right")  # [n], less or equal
    return float((below.sum() + 0.5 * (least - below).sum()) / (first.size * second.size))
