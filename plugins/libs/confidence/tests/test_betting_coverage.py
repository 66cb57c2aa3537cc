"""How often the true means ever leave what bets allow, by simulation with adaptive sampling."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from scipy import special

from mfbpi_lib_confidence.betting.epoch import Epoch
from mfbpi_lib_confidence.evidence import Evidence

RISK = 0.05
FORWARD = [[0.3, 0.7, 0.0], [0.0, 0.3, 0.7], [0.7, 0.0, 0.3]]
BACK = [[0.1, 0.0, 0.9], [0.9, 0.1, 0.0], [0.0, 0.9, 0.1]]
LAW = np.stack([FORWARD, BACK], axis=1)
MEAN = np.array([[0.1, 0.4], [0.3, 0.1], [0.9, 0.2]])


@numba.njit
def walk(law, mean, state, steps, counts, rewards, rng):
    """A walk that prefers, half of the time, what has paid best so far; rewards know s'."""
    for _ in range(steps):
        totals = rewards[state].sum(axis=1) / np.maximum(counts[state].sum(axis=1), 1)
        action = int(rng.random() < 0.5) if rng.random() < 0.5 else int(totals.argmax())
        u, after = rng.random(), 0
        while u >= law[state, action, after] and after < law.shape[2] - 1:
            u -= law[state, action, after]
            after += 1
        share = min(2.0 * mean[state, action], 1.0) if after == state else mean[state, action]
        counts[state, action, after] += 1
        rewards[state, action, after] += rng.random() < share
        state = after
    return state


def true_means() -> np.ndarray:
    """Mean reward of each pair: it is paid twice as often where the walk stays."""
    at = np.arange(3)
    stay = LAW[at, :, at]
    return MEAN * (1 - stay) + np.minimum(2 * MEAN, 1.0) * stay


def largest_excess(seed: int, n_checks: int = 12) -> float:
    """The largest of log capital less threshold, over functionals and checks, of one walk."""
    rng = np.random.default_rng(seed)
    counts, rewards = np.zeros((3, 2, 3), dtype=np.int64), np.zeros((3, 2, 3))
    state = walk(LAW, MEAN, 0, 600, counts, rewards, rng)
    evidence = Evidence.from_dense(counts, rewards)
    if not evidence.visits.all():
        return -np.inf
    epoch = Epoch(number=1, risk=RISK, discount=0.9, evidence=evidence)
    means = (true_means() + 0.9 * LAW @ epoch.reference.values).reshape(-1)
    worst, step = -np.inf, 150
    for check in range(n_checks):
        state = walk(LAW, MEAN, state, step, counts, rewards, rng)
        evidence = Evidence.from_dense(counts, rewards)
        found = epoch.log_capitals(evidence, means)
        worst = max(worst, float((found - epoch.functionals.thresholds).max()))
        if check % 4 == 3:
            epoch = epoch.replanned(evidence)
        step = int(step * 1.4)
    return worst


def interval(k: int, n: int) -> tuple[float, float]:
    """Clopper and Pearson's, 95 %."""
    low = special.betaincinv(k, n - k + 1, 0.025) if k > 0 else 0.0
    return float(low), float(special.betaincinv(k + 1, n - k, 0.975)) if k < n else 1.0


def test_the_true_means_stay():
    """150 replicas: nothing speaks against the risk; with x lowered by 4, everything does."""
    excess = np.array([largest_excess(seed) for seed in range(150)])

    assert interval(int((excess >= 0.0).sum()), 150)[0] <= RISK
    assert interval(int((excess >= -4.0).sum()), 150)[0] > RISK


@pytest.mark.slow
def test_the_true_means_stay_at_length():
    """10,000 replicas: the upper end of the interval is at most the risk of the bets."""
    excess = np.array([largest_excess(seed) for seed in range(1_000, 11_000)])

    assert interval(int((excess >= 0.0).sum()), 10_000)[1] <= RISK
    assert interval(int((excess >= -4.0).sum()), 10_000)[0] > RISK
