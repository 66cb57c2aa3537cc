"""pen(c) = -log m(c) - n H(p_hat), from its definition, exact for counts up to 2^53.

m(c) = sum_{k = K_obs}^{K} C(K - K_obs, k - K_obs) / (K C(K, k)) Gamma(k/2) / Gamma(n + k/2)
       prod_{c_j > 0} Gamma(c_j + 1/2) / Gamma(1/2).

With log Gamma(y + b) = y log y - y + rest(y, b), the large terms of -log m and of
n H = n log n - sum c log c cancel in the formula, not in the computer:

    pen(c) = -sum_{c_j > 0} [rest(c_j, 1/2) - log sqrt pi]
             - log sum_k w_k Gamma(k/2) exp(-rest(n, k/2)).
"""

from __future__ import annotations

import math

import numpy as np

from mfbpi_lib_certificates.certificate import FloatArray, IntArray

_log_gamma = np.vectorize(math.lgamma, otypes=[np.float64])

#: From here on five terms of Stirling's series are exact to the last digit.
_LARGE = 40.0

#: Bernoulli numbers B_{2i} / (2 i (2 i - 1)) of Stirling's series.
_SERIES = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)


def rest(y: FloatArray, b: FloatArray) -> FloatArray:
    """log Gamma(y + b) - (y log y - y), for y > 0 and b > 0, of the same shape."""
    y, b = np.broadcast_arrays(y, b)
    z = y + b
    series = sum(term * z ** (1 - 2 * i) for i, term in enumerate(_SERIES, start=1))
    log_z = np.log(z)
    found = np.asarray(
        y * np.log1p(b / y) + (b - 0.5) * log_z - b + 0.5 * math.log(2 * math.pi) + series
    )
    small = z < _LARGE
    if small.any():
        found[small] = _log_gamma(z[small]) - (y[small] * np.log(y[small]) - y[small])
    return found


def penalties(rows: IntArray, counts: FloatArray, n_pairs: int, n_outcomes: int) -> FloatArray:
    """pen(c) of each pair, float64 [P]; 0 where nothing was seen.

    Args:
        rows: int64 [E], the pair of each entry.
        counts: float64 [E], more than 0.
        n_pairs: P.
        n_outcomes: K.
    """
    seen, shape, n = np.zeros(n_pairs, dtype=np.int64), np.zeros(n_pairs), np.zeros(n_pairs)
    np.add.at(seen, rows, 1)
    np.add.at(n, rows, counts)
    halves = np.full(len(counts), 0.5)
    np.add.at(shape, rows, rest(counts, halves) - 0.5 * math.log(math.pi))
    found = np.zeros(n_pairs)
    for j in np.flatnonzero(seen):
        found[j] = -shape[j] - _log_mixture(n[j], int(seen[j]), n_outcomes)
    return found


def _log_mixture(n: float, seen: int, n_outcomes: int) -> float:
    """log sum_k w_k Gamma(k/2) exp(-rest(n, k/2)), k from K_obs to K."""
    k = np.arange(seen, n_outcomes + 1, dtype=np.float64)
    left = n_outcomes - k  # C(K - K_obs, k - K_obs) / C(K, k) = k! (K - K_obs)! / ((k - K_obs)! K!)
    log_w = (
        _log_gamma(k + 1)
        + math.lgamma(n_outcomes - seen + 1)
        - _log_gamma(k - seen + 1)
        - math.lgamma(n_outcomes + 1)
        - math.log(n_outcomes)
    )
    terms = log_w + _log_gamma(k / 2) - rest(np.full(len(left), n), k / 2)
    top = terms.max()
    return float(top + np.log(np.exp(terms - top).sum()))
