"""Whether frequencies agree with probabilities: each of them, and all of them together.

Each: by Bernstein's inequality the mean of n draws in a range of width w with variance v is within
sqrt(2 v L / n) + w L / (3 n) of its expectation, L = log(2 m / delta), for all of m means at the
same time with probability 1 - delta. What is impossible may not happen once.

Together: Pearson's statistic, sum (N - E)^2 / E over the outcomes of every row, is chi-square
distributed with sum (outcomes - 1) degrees of freedom, for the transitions of a walk as for
independent draws (Billingsley 1961, "Statistical Methods in Markov Chains"). It finds what is a
little wrong everywhere. That law holds in the limit; outcomes expected less than 20 times are
pooled, and the level, 1e-9, is low enough for errors of the limit to stay below delta.
"""

from __future__ import annotations

import math

import numpy as np

from mfbpi_core.data.arrays import FloatArray
from mfbpi_core.testing.outcomes import require

#: Probability that frequencies which obey their law are refused, for each of the two tests.
DELTA = 1e-6

#: Nominal level of the test of all together, and the least count that an outcome of it expects.
LEVEL = 1e-9
LEAST_EXPECTED = 20.0

#: Allowance for what never or always happens.
ROUNDING = 1e-12


def require_frequencies(counts: FloatArray, probabilities: FloatArray, what: str) -> None:
    """Compare counts [S, A, X] with probabilities of the same shape.

    Args:
        counts: how often each outcome happened.
        probabilities: rows that sum to one, zeros anywhere.
        what: what an entry is, a format of its three indices, such as ``"P({2} | {0}, {1})"``.

    Raises:
        CheckFailure: naming the entry, or the statistic of all.
    """
    _require_each(counts, probabilities, what)
    statistic, freedom = pearson(counts, probabilities)
    chance = chi_square_tail(statistic, freedom)
    message = (
        f"all frequencies together do not fit {what.format('...', '...', '...')}: chi-square is "
        f"{statistic:.6g} with {freedom} degrees of freedom, which has a chance of {chance:.2g} "
        f"(allowed: {LEVEL:g})"
    )
    require(chance >= LEVEL, message)


def _require_each(counts: FloatArray, probabilities: FloatArray, what: str) -> None:
    visits = counts.sum(axis=2, keepdims=True)  # N[s, a, 1]
    visited = np.broadcast_to(visits > 0.0, counts.shape)
    n = np.maximum(visits, 1.0)
    level = np.log(2.0 * max(1, int(visited.sum())) / DELTA)
    variance = probabilities * (1.0 - probabilities)
    slack = np.sqrt(2.0 * np.maximum(variance, 0.0) * level / n) + level / (3.0 * n)
    slack[variance <= 0.0] = ROUNDING  # what never or always happens needs no allowance
    wrong = np.argwhere(visited & (np.abs(counts / n - probabilities) > slack))
    for i in wrong[:1]:
        place = tuple(int(k) for k in i)
        seen, said = counts[place], probabilities[place]
        trials = int(n[place[:2]].item())
        saying = (
            f"{what.format(*place)} is {said:.6g}, but it happened {int(seen)} of {trials} times"
        )
        require(False, f"{saying} (allowed: {slack[place]:.3g}, wrong with chance {DELTA:g})")


def pearson(counts: FloatArray, probabilities: FloatArray) -> tuple[float, int]:
    """Pearson's statistic of the rows of counts [..., X], and its degrees of freedom.

    The outcomes of a row that are expected too seldom are judged as one, joined by the likeliest
    where they are too few even so.
    """
    expected = counts.sum(axis=-1, keepdims=True) * probabilities
    alone = expected >= LEAST_EXPECTED  # [..., X], outcomes judged by themselves
    few = np.where(alone, 0.0, expected).sum(axis=-1) < LEAST_EXPECTED  # [...]
    likeliest = np.arange(counts.shape[-1]) == expected.argmax(axis=-1)[..., None]
    alone &= ~(likeliest & few[..., None])
    surplus = counts - expected
    rest = np.where(alone, 0.0, surplus).sum(axis=-1)  # [...], of the others together
    of_rest = np.where(alone, 0.0, expected).sum(axis=-1)
    judged = of_rest >= LEAST_EXPECTED
    terms = np.divide(surplus**2, expected, out=np.zeros_like(expected), where=alone)
    rows = terms.sum(axis=-1) + np.where(judged, rest**2 / np.maximum(of_rest, 1.0), 0.0)
    groups = alone.sum(axis=-1) + judged
    compared = groups >= 2
    return float(rows[compared].sum()), int((groups[compared] - 1).sum())


def chi_square_tail(statistic: float, freedom: int) -> float:
    """Probability that a chi-square variable of d degrees of freedom is ``statistic`` or more.

    With h = statistic / 2: the sum of h^j exp(-h) / Gamma(j + 1) over j = d/2 - 1, d/2 - 2, ... as
    long as j >= 0, and for odd d erfc(sqrt(h)) besides.
    """
    if freedom < 1 or statistic <= 0.0:
        return 1.0
    half = statistic / 2.0
    powers = np.arange(freedom / 2.0 - 1.0, -0.25, -1.0)
    logs = [j * math.log(half) - half - math.lgamma(j + 1.0) for j in powers]
    tail = float(np.exp(logs).sum())
    return min(1.0, tail + (math.erfc(math.sqrt(half)) if freedom % 2 else 0.0))
