"""What the divergences of a true model stay below, at all times, with probability 1 - delta.

With n_j the visits of pair j, KL_j and kl_j how far the true law and the true mean reward are from
the observed ones, m the number of outcomes, and d' = delta / (4 S^3 A):

| name    | says, for all times at once                                                         |
|---------|-------------------------------------------------------------------------------------|
| mixture | sum n_j (KL_j + kl_j) < 2 log(2 / delta) + sum (pen_j + pen of rewards_j)           |
| nas     | sum n_j (KL_j + kl_j) < beta_p(delta / 2) + beta_r(delta / 2)                       |
| klb     | n_j (KL_j + kl_j) < x(n_j, m) + x(n_j, 2), each pair alone                          |

    x(n, m)   = log(1/d') + (m - 1) (1 + log(1 + n / (m - 1))),
    beta_p(d) = log(1/d) + sum (m - 1) (1 + log(1 + n_j / (m - 1))),
    beta_r(d) = S A C(log(1/d) / (S A)) + 3 sum log(1 + log n_j),

C of :func:`calibration`. Sources: x of Jonsson et al. 2020 as in Al Marjani & Proutiere 2021 (klb);
Al Marjani, Garivier & Proutiere 2021, with the function of Kaufmann & Koolen 2021 (nas).
"""

from __future__ import annotations

import math

import numpy as np

from mfbpi_core.data.arrays import FloatArray
from mfbpi_lib_confidence.box import Box, Thresholds
from mfbpi_lib_confidence.evidence import Evidence

#: Kaufmann & Koolen's choice of the free parameter of their function.
_Z = 1.5


def mixture(evidence: Evidence, delta: float) -> tuple[float, float]:
    """The thresholds for laws and for mean rewards."""
    x = math.log(2.0 / delta)
    box = Box.around(evidence, Thresholds(x, x))
    return x + float(box.penalties.sum()), x + float(box.reward_penalties.sum())


def nas(evidence: Evidence, delta: float) -> tuple[float, float]:
    """beta_p and beta_r, each at half of the risk."""
    visits = evidence.visits.reshape(-1)[evidence.live].astype(np.float64)
    x = math.log(2.0 / delta)
    rewards = len(visits) * calibration(x / len(visits))
    rewards += 3.0 * float(np.log1p(np.log(np.maximum(visits, 1.0))).sum())
    return x + float(_codes(visits, evidence.n_outcomes).sum()), rewards


def klb(evidence: Evidence, delta: float) -> tuple[FloatArray, FloatArray]:
    """Those of each pair, float64 [S A]."""
    visits = evidence.visits.reshape(-1).astype(np.float64)
    x = math.log(4.0 * evidence.n_states**3 * evidence.n_actions / delta)
    return x + _codes(visits, evidence.n_outcomes), x + _codes(visits, 2)


def _codes(visits: FloatArray, m: int) -> FloatArray:
    """(m - 1) (1 + log(1 + n / (m - 1))); 0 for one outcome alone."""
    free = m - 1
    return free * (1.0 + np.log1p(visits / free)) if free else np.zeros(len(visits))


def calibration(x: float) -> float:
    """C(x) = 2 h~((h^-1(1 + x) + log(2 zeta(2))) / 2), h(u) = u - log u.

    About x + log x for large x; the simpler x + log(1 + x + sqrt(2 x)), often taken for it, is far
    below where x is small: 1.03 instead of 7.47 at x = 0.3.
    """
    zeta = math.pi**2 / 6.0
    return 2.0 * _h_tilde((_inverse_h(1.0 + x) + math.log(2.0 * zeta)) / 2.0)


def _h_tilde(x: float) -> float:
    if x >= _inverse_h(1.0 / math.log(_Z)):
        u = _inverse_h(x)
        return math.exp(1.0 / u) * u
    return _Z * (x - math.log(math.log(_Z)))


def _inverse_h(y: float) -> float:
    """The u >= 1 with u - log u = y, for y >= 1, by Newton from above."""
    u = y + math.sqrt(2.0 * (y - 1.0)) + 1.0
    for _ in range(100):
        step = (u - math.log(u) - y) / (1.0 - 1.0 / u) if u > 1.0 else 0.0
        u -= step
        if abs(step) <= 1e-15 * u:
            break
    return u
