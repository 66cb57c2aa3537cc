"""Penalties: exact values, the martingale behind them, and digits at large counts."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from mfbpi_lib_confidence.penalties import penalty, reward_penalty


def rising(start: Fraction, n: int) -> Fraction:
    """start (start + 1) ... (start + n - 1)."""
    return math.prod((start + i for i in range(n)), start=Fraction(1))


def mixture(counts: tuple[int, ...], n_outcomes: int) -> Fraction:
    """m(c) in exact arithmetic, from its definition."""
    seen = [c for c in counts if c > 0]
    shape = math.prod((rising(Fraction(1, 2), c) for c in seen), start=Fraction(1))
    total = Fraction(0)
    for k in range(max(len(seen), 1), n_outcomes + 1):
        supports = math.comb(n_outcomes - len(seen), k - len(seen))
        share = Fraction(supports, n_outcomes * math.comb(n_outcomes, k))
        total += share * shape / rising(Fraction(k, 2), sum(counts))
    return total


def exact(counts: tuple[int, ...], n_outcomes: int) -> float:
    """pen(c) from the exact mixture."""
    n = sum(counts)
    entropy = -sum(c * math.log(c / n) for c in counts if c)
    value = mixture(counts, n_outcomes)
    return math.log(value.denominator) - math.log(value.numerator) - entropy


def found(counts, n_outcomes: int) -> float:
    """The library's value."""
    return penalty(np.array(counts, dtype=float), n_outcomes)


@pytest.mark.parametrize(
    ("counts", "n_outcomes"),
    [
        ((1,), 5),
        ((3, 2), 2),
        ((7, 0, 1, 4), 4),
        ((100, 63, 65), 3),
        ((300,), 9),
        ((5, 1, 1, 30), 40),
        ((1,) * 30, 50),
        ((64, 63, 128, 1), 200),
    ],
)
def test_is_exact(counts, n_outcomes):
    """Against rational arithmetic, on both sides of where the series take over."""
    assert found(counts, n_outcomes) == pytest.approx(exact(counts, n_outcomes), abs=1e-10)


def test_first_visit_by_hand():
    """One visit of K outcomes: every outcome is as likely, m = 1 / K; no visit: nothing."""
    assert found([1], 5) == pytest.approx(math.log(5), abs=1e-12)
    assert found([1], 1) == pytest.approx(0.0, abs=1e-12)
    assert found([0, 0], 5) == 0.0


def test_known_sizes():
    """n = 1e5, K = 5: 3.2 for a deterministic pair, 15.4 for three of five outcomes."""
    assert found([100_000], 5) == pytest.approx(3.2153, abs=1e-4)
    assert found([60_000, 30_000, 10_000], 5) == pytest.approx(15.4106, abs=1e-4)


@pytest.mark.parametrize("n_outcomes", [1, 2, 3, 4])
def test_is_a_martingale(n_outcomes):
    """sum_k m(c + e_k) = m(c), which makes m(c) / L(p) a supermartingale under every p."""
    for counts in itertools.product(range(5), repeat=n_outcomes):
        following = [tuple(c + (i == k) for i, c in enumerate(counts)) for k in range(n_outcomes)]

        assert sum(mixture(c, n_outcomes) for c in following) == mixture(counts, n_outcomes)


@pytest.mark.parametrize("law", [(0.5, 0.5), (0.9, 0.1), (1.0, 0.0), (0.6, 0.3, 0.1)])
@pytest.mark.parametrize("x", [0.5, 1.0, 2.0])
def test_crossing_is_rare(law, x):
    """P(n KL(p_hat, p) >= x + pen at some n <= 9) <= exp(-x), over all sequences."""
    alive = {(0,) * len(law): 1.0}  # paths that have not crossed, by their counts
    total = 0.0
    for _ in range(9):
        following: dict[tuple[int, ...], float] = {}
        for counts, mass in alive.items():
            for k, p in enumerate(law):
                if p > 0:
                    key = tuple(c + (i == k) for i, c in enumerate(counts))
                    following[key] = following.get(key, 0.0) + mass * p
        alive = {}
        for counts, mass in following.items():
            n = sum(counts)
            spent = sum(c * math.log(c / n / p) for c, p in zip(counts, law, strict=True) if c)
            if spent >= x + found(counts, len(law)):
                total += mass
            else:
                alive[counts] = mass

    assert total <= math.exp(-x)


@pytest.mark.parametrize(
    ("rewards", "chances"),
    [((0.25, 0.8), (0.3, 0.7)), ((0.0, 0.5, 1.0), (0.2, 0.6, 0.2)), ((0.4,), (1.0,))],
)
def test_rewards_of_any_law(rewards, chances):
    """E[m(R + r, n + 1 - R - r) / L(mu)] <= m(R, n - R) for rewards in [0, 1]."""
    mean = sum(r * p for r, p in zip(rewards, chances, strict=True))
    for total, visits in ((0.0, 0.0), (0.25, 1.0), (2.4, 6.0), (0.0, 5.0), (30.5, 40.0)):
        expected = 0.0
        for r, chance in zip(rewards, chances, strict=True):
            likelihood = mean**r * (1 - mean) ** (1 - r)
            expected += chance * math.exp(log_m(total + r, visits + 1)) / likelihood

        assert expected <= math.exp(log_m(total, visits)) * (1 + 1e-9)


def log_m(total: float, visits: float) -> float:
    """log m(R, n - R), from the penalty."""
    parts = [c for c in (total, visits - total) if c > 0]
    return -reward_penalty(total, visits) + sum(c * math.log(c / visits) for c in parts)


def test_rewards_that_are_all_one():
    """n - R is exactly 0, never NaN; sums that rounding pushes beyond n are cut."""
    assert reward_penalty(1e6, 1e6) == pytest.approx(found([1e6], 2))
    assert reward_penalty(1e6 + 1e-9, 1e6) == reward_penalty(1e6, 1e6)
    assert reward_penalty(-1e-9, 1e6) == reward_penalty(0.0, 1e6)
    assert math.isfinite(reward_penalty(1e6 - 1e-10, 1e6))


@pytest.mark.parametrize("n", [1e8, 1e12, 2.0**46])
def test_keeps_its_digits_at_large_counts(n):
    """100 times the visits cost (K_obs - 1) / 2 log 100 more, nothing for a deterministic pair."""
    law = np.array([0.6, 0.3, 0.1])

    assert found(100 * n * law, 3) - found(n * law, 3) == pytest.approx(math.log(100), abs=1e-6)
    assert found([100 * n], 7) - found([n], 7) == pytest.approx(0.0, abs=1e-3)
    assert found([2.0**53], 1000) == pytest.approx(2 * math.log(1000), abs=1e-3)


def test_is_never_negative():
    """A mixture is never likelier than the best law."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        counts = rng.integers(0, 10 ** rng.integers(1, 9), size=rng.integers(1, 8))

        assert found(counts, len(counts) + int(rng.integers(0, 300))) >= -1e-9
