"""Penalties: what a confidence set pays so that it holds at all times, however data were collected.

For one pair with counts c over K outcomes, n = sum c, let m(c) be the likelihood of the sequence
of outcomes under a prior over laws, and L(p) = prod p_k^c_k under the true law p. Along the visits
of the pair m(c) / L(p) is a non-negative martingale that starts at 1, whenever and for whatever
reason the pair is visited, so that (Ville 1939)

    P(there is an n with  log m(c) - log L(p) >= x) <= exp(-x).

Since -log L(p) = n KL(p_hat, p) + n H(p_hat), with probability 1 - exp(-x), for all n at once,

    n KL(p_hat, p) < x + pen(c),    pen(c) = -log m(c) - n H(p_hat).

The prior: the size k of the support is uniform on 1..K, the support uniform among those of its
size, and the law on it Dirichlet(1/2):

    m(c) = sum_{k >= K_obs} C(K - K_obs, k - K_obs) / (K C(K, k)) DM_k(c)
    DM_k(c) = Gamma(k/2) / Gamma(n + k/2) prod_{j: c_j > 0} Gamma(c_j + 1/2) / Gamma(1/2)

K_obs is the number of outcomes seen. The penalty of a deterministic pair does not grow with n.

Rewards in [0, 1] of any law with mean mu use K = 2 and c = (R, n - R), R their sum: each factor
q^r (1 - q)^(1 - r) / (mu^r (1 - mu)^(1 - r)) is convex in r, hence at most its chord, whose mean
is 1, so that m / L is a supermartingale.

Counts reach 2^53. With c log c taken out of each lgamma by its asymptotic series nothing large is
ever subtracted: in the plain form every digit is lost at n = 1e16.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from mfbpi_core.data.arrays import FloatArray
from mfbpi_lib_compiled import compiled

LOG_SQRT_PI = 0.5 * math.log(math.pi)  # log Gamma(1/2)
LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)

#: From here on the asymptotic series are exact to the last digit.
LARGE = 64.0

#: Terms of the mixture below exp(-NEGLIGIBLE) of the largest are left out, which can only
#: increase the penalty.
NEGLIGIBLE = 40.0


@compiled
def log_gamma_half(c: float) -> float:
    """log Gamma(c + 1/2) - (c log c - c), for c > 0."""
    if c < LARGE:
        return math.lgamma(c + 0.5) - (c * math.log(c) - c)
    i = 1.0 / c
    square = i * i
    return LOG_SQRT_2PI - i * (1.0 / 24.0 - square * (7.0 / 2880.0 - square * (31.0 / 40320.0)))


@compiled
def log_gamma_shifted(n: float, b: float) -> float:
    """log Gamma(n + b) - (n log n - n), for n > 0 and b >= 0."""
    y = n + b
    if y < LARGE:
        return math.lgamma(y) - (n * math.log(n) - n)
    i = 1.0 / y
    square = i * i
    series = i * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0)))
    return n * math.log1p(b / n) - b + (b - 0.5) * math.log(y) + LOG_SQRT_2PI + series


@compiled
def log_mixture(n: float, n_seen: int, n_outcomes: int) -> float:
    """Logarithm of m(c) exp(n log n - n), without the product over the outcomes seen.

    Args:
        n: number of visits, more than 0.
        n_seen: K_obs, 1 to K.
        n_outcomes: K.
    """
    k = n_seen
    shared = math.lgamma(n_outcomes - n_seen + 1.0) - math.lgamma(n_outcomes + 1.0)
    shared -= math.log(n_outcomes)
    supports = math.lgamma(k + 1.0)  # log k! / (k - K_obs)!
    # log Gamma(k/2) / Gamma(n + k/2), of this k and of the next: each leads to the next but one.
    here = math.lgamma(0.5 * k) - log_gamma_shifted(n, 0.5 * k)
    after = math.lgamma(0.5 * (k + 1)) - log_gamma_shifted(n, 0.5 * (k + 1))
    largest, total = supports + here, 1.0
    last = largest
    while k < n_outcomes:
        supports += math.log((k + 1.0) / (k + 1.0 - n_seen))
        here, after = after, here + math.log(k / (2.0 * n + k))
        k += 1
        term = supports + here
        if term > largest:
            total = total * math.exp(largest - term) + 1.0
            largest = term
        else:
            total += math.exp(term - largest)
            if term < last and term < largest - NEGLIGIBLE:
                break
        last = term
    return shared + largest + math.log(total)


@compiled
def penalty(counts: FloatArray, n_outcomes: int) -> float:
    """pen(c) of the counts of one pair.

    Args:
        counts: float64, 0 or more: outcomes never seen may be left out, so that a sparse row
            costs what it holds.
        n_outcomes: K, how many outcomes there may be, declared before the data were seen.
    """
    n = 0.0
    seen = 0
    shape = 0.0
    for c in counts:
        if c > 0.0:
            n += c
            seen += 1
            shape += log_gamma_half(c) - LOG_SQRT_PI
    if seen == 0:
        return 0.0
    return -(shape + log_mixture(n, seen, n_outcomes))


@compiled
def reward_penalty(total: float, visits: float) -> float:
    """pen(R, n - R) of a sum of rewards in [0, 1].

    Args:
        total: R; sums that rounding has pushed out of [0, n] are cut.
        visits: n.
    """
    paid = np.zeros(2)
    paid[0] = min(max(total, 0.0), visits)
    paid[1] = visits - paid[0]
    return penalty(paid, 2)


@compiled
def row_penalties(starts: npt.NDArray[np.int64], counts: FloatArray, n_outcomes: int) -> FloatArray:
    """pen(c) of each of P sparse rows, float64 [P].

    Args:
        starts: int64 [P + 1]; row j holds the entries ``starts[j]`` to ``starts[j + 1]``.
        counts: float64, one for each entry.
        n_outcomes: K.
    """
    found = np.zeros(starts.size - 1)
    for j in range(found.size):
        found[j] = penalty(counts[starts[j] : starts[j + 1]], n_outcomes)
    return found


@compiled
def reward_penalties(totals: FloatArray, visits: FloatArray) -> FloatArray:
    """pen(R, n - R) of each of P pairs; float64 [P] both, and the result."""
    found = np.zeros(totals.size)
    for j in range(found.size):
        found[j] = reward_penalty(totals[j], visits[j])
    return found
