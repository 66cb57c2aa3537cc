"""Bets: factors of mean 1, minorants, bounds of functionals, remainders, and what they certify."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from mfbpi_core.running.stopping import first_check, next_check
from mfbpi_lib_confidence.betting import remainder
from mfbpi_lib_confidence.betting.capital import (
    PRIOR,
    SIZES,
    Seen,
    chords,
    largest_sum,
    log_capital,
    log_mixture,
)
from mfbpi_lib_confidence.betting.epoch import Epoch, opening
from mfbpi_lib_confidence.betting.evaluation import (
    _sufficient,
    bounds,
    continued,
    evaluate,
    thresholds,
)
from mfbpi_lib_confidence.betting.minorants import TANGENTS, polygon, smallest
from mfbpi_lib_confidence.box import Box
from mfbpi_lib_confidence.evidence import Evidence

ONE = np.zeros(1, dtype=np.int64)


def capital(weights, paid, stake, mean, size=1.0) -> float:
    """K of visits in one period."""
    when = np.zeros(len(paid), dtype=np.int64)
    return log_capital(weights, paid, when, np.array([stake]), size, 0.95, mean)


@pytest.mark.parametrize("seed", range(20))
def test_factors_have_mean_one(seed):
    """Over any law of (r, s'), also dependent ones, E exp K of one visit is exactly 1."""
    rng = np.random.default_rng(seed)
    law = rng.dirichlet(np.ones(6))
    u = rng.random(6) + 0.5 * rng.random(6)  # r + y
    stake = rng.uniform(-0.6, 0.6)
    factors = [math.exp(capital(np.ones(1), u[k : k + 1], stake, law @ u)) for k in range(6)]

    assert law @ factors == pytest.approx(1.0, abs=1e-14)
    assert min(factors) > 0.0


def test_sums_of_rewards_make_no_capital():
    """A reward inside the range counts as a mixture of both ends, which is never worth more."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        r, y, stake, mean = rng.random(), rng.random(), rng.uniform(-0.45, 0.45), rng.random() * 2
        exact = capital(np.ones(1), np.array([r + y]), stake, mean)
        split = capital(np.array([1 - r, r]), np.array([y, 1 + y]), stake, mean)

        assert split <= exact + 1e-15


def random_points(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Visits of one pair, relative to about their mean."""
    weights = rng.integers(1, 400, size=4).astype(float)
    paid = rng.uniform(-1.0, 1.0, size=4)
    return weights, paid - weights @ paid / weights.sum()


def mixed(weights, paid, stake, mean) -> float:
    """L, by its definition."""
    terms = [
        math.log(v) + capital(weights, paid, stake, mean, b)
        for b, v in zip(SIZES, PRIOR, strict=True)
    ]
    return float(np.logaddexp.reduce(terms))


@pytest.mark.parametrize("seed", range(30))
def test_polygons_are_below(seed):
    """At 50 random means of a random interval, and not far below where stakes are small."""
    rng = np.random.default_rng(seed)
    weights, paid = random_points(rng)
    stake = rng.uniform(-0.25, 0.25)
    low, high = np.sort(rng.uniform(-0.3, 0.3, size=2))
    seen = Seen(np.array([0, 4]), weights, paid, np.zeros(4, dtype=np.int64), 0.4)
    corners = np.zeros((TANGENTS + 1, 2))
    polygon(chords(seen, 0, np.array([stake]), low, high), low, high, corners)

    assert (np.diff(corners[:, 0]) >= 0.0).all()
    assert (corners[0, 0], corners[-1, 0]) == (low, high)
    for mean in rng.uniform(low, high, size=50):
        exact = mixed(weights, paid, stake, mean)
        assert log_mixture(seen, 0, np.array([stake]), mean) == pytest.approx(exact, abs=1e-9)
        assert np.interp(mean, *corners.T) <= exact + 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_the_multiplier_is_the_best(seed):
    """No multiplier of a fine grid gives a smaller bound."""
    rng = np.random.default_rng(seed)
    n, x = 4, rng.uniform(1, 8)
    corners = np.zeros((n, TANGENTS + 1, 2))
    for j in range(n):
        slopes = rng.normal(size=(3, 1)) * 10
        polygon(np.hstack([rng.uniform(-5, 0, (3, 1)), slopes]), -0.5, 0.5, corners[j])
    c = rng.normal(size=n)
    found, at = smallest(c, corners, x, np.zeros(n, dtype=np.int64))
    tried = np.append(np.linspace(0.0, 5.0, 4_000), at)[:, None, None]
    each = tried[:, 0, 0] * x + (c[:, None] * corners[..., 0] - tried * corners[..., 1]).max(2).sum(
        1
    )

    assert found == pytest.approx(each[-1], abs=1e-12)
    assert found <= each.min() + 1e-9


@pytest.mark.parametrize("seed", range(30))
def test_no_means_exceed_the_bound(seed):
    """Random means in their intervals with a log capital below x have a smaller sum."""
    rng = np.random.default_rng(seed)
    n = 3
    points = [random_points(rng) for _ in range(n)]
    starts = np.arange(0, 4 * n + 1, 4)
    weights, paid = (np.concatenate([p[i] for p in points]) for i in range(2))
    c, x = rng.uniform(-1, 1, size=n), rng.uniform(2, 8)
    stakes = -c * rng.uniform(0.05, 0.3, size=n)
    intervals = np.stack([-rng.uniform(0, 0.3, size=n), rng.uniform(0, 0.3, size=n)], axis=1)
    found = largest_sum(
        c,
        stakes[:, None],
        np.arange(n),
        Seen(starts, weights, paid, np.zeros(4 * n, dtype=np.int64), 0.4),
        intervals,
        x,
    )
    largest = -np.inf
    for _ in range(2_000):
        means = rng.uniform(intervals[:, 0], intervals[:, 1])
        ends = rng.random(n) < 0.3
        means = np.where(ends, intervals[np.arange(n), rng.integers(0, 2, n)], means)
        spent = sum(mixed(*points[j], stakes[j], means[j]) for j in range(n))
        if spent < x:
            largest = max(largest, c @ means)

    assert largest <= found + 1e-9
    assert found <= (c[:, None] * intervals).max(axis=1).sum() + 1e-12


@pytest.mark.parametrize("n_seen", [2, 4, 6])
def test_no_law_exceeds_the_remainder(n_seen):
    """Random laws of the ball, and random values whose differences are within eps."""
    rng = np.random.default_rng(n_seen)
    for _ in range(20):
        row = np.sort(rng.choice(7, size=n_seen, replace=False))
        p = rng.dirichlet(np.ones(n_seen))
        radius = np.array([10 ** rng.uniform(-4, 0)])
        shift, e = rng.normal(size=7) * 0.1, rng.normal(size=7)
        eps = e[:, None] - e[None, :] + 0.1 * rng.random((7, 7))
        starts = np.array([0, n_seen])
        probable = remainder.largest_probabilities(starts, p, radius)
        laws = remainder.Laws(starts, row, p, radius, probable, np.arange(7))
        up, down = remainder.products(ONE, laws, shift, eps)[0]
        centre = np.zeros(7)
        centre[row] = p
        for _ in range(100):
            law = inside(centre, rng.dirichlet(np.full(7, 0.3)), radius[0])
            moved = (law - centre) @ (shift + e)
            assert -down - 1e-12 <= moved <= up + 1e-12


def inside(p: np.ndarray, q: np.ndarray, radius: float) -> np.ndarray:
    """The point of the segment from p to q that is farthest from p and still in the ball."""
    low, high = 0.0, 1.0
    for _ in range(50):
        share = 0.5 * (low + high)
        law = (1 - share) * p + share * q
        seen = p > 0
        with np.errstate(divide="ignore"):
            far = (p[seen] * np.log(p[seen] / law[seen])).sum() > radius
        low, high = (low, share) if far else (share, high)
    return (1 - low) * p + low * q


def test_openings_are_a_fixed_grid():
    """The first check from 100 S A on, then the first from 1.6 times the last."""
    checks = [first_check(5, 2)]
    while checks[-1] < 10_000:
        checks.append(next_check(checks[-1]))
    steps = [t for t in checks if opening(t, 5, 2)]

    assert [opening(t, 5, 2) for t in steps] == list(range(1, len(steps) + 1))
    assert steps[0] == min(t for t in checks if t >= 1_000)
    for one, other in itertools.pairwise(steps):
        assert other == min(t for t in checks if t >= 1.6 * one)


def test_the_risk_is_delta():
    """Box and epochs: .45 + .05 + sum .5 / (j (j + 1)) = 1."""
    evidence = Evidence.from_dense(np.full((2, 2, 2), 100), np.zeros((2, 2, 2)))
    allowed = thresholds(evidence, 0.1)
    boxes = 4 * (math.exp(-allowed.transitions) + math.exp(-allowed.rewards))
    epoch = Epoch(number=1, risk=0.025, discount=0.9, evidence=evidence)
    bets = np.exp(-epoch.functionals.thresholds).sum()

    assert boxes == pytest.approx(0.05)
    assert bets <= 0.025 + 1e-12
    assert sum(0.5 / (j * (j + 1)) for j in range(1, 10_000)) <= 0.5


LAW = np.array(
    [[[0.3, 0.7, 0], [0.9, 0, 0.1]], [[0, 0.3, 0.7], [0.9, 0.1, 0]], [[0.7, 0, 0.3], [0, 0.9, 0.1]]]
)
MEAN = np.array([[0.1, 0.4], [0.3, 0.1], [0.9, 0.2]])


def more(counts, rewards, visits, rng):
    """Further visits of every pair."""
    new = rng.multinomial(visits, LAW)
    counts, rewards = counts + new, rewards + rng.binomial(new, MEAN[:, :, None])
    return Evidence.from_dense(counts, rewards), counts, rewards


@pytest.mark.parametrize("seed", range(5))
def test_true_advantages_are_below_their_bounds(seed):
    """In replicas of a known model, opened early and looked at late; and so are differences."""
    rng = np.random.default_rng(seed)
    evidence, counts, rewards = more(np.zeros((3, 2, 3), int), np.zeros((3, 2, 3)), 400, rng)
    epoch = Epoch(number=1, risk=0.025, discount=0.9, evidence=evidence)
    evidence, counts, rewards = more(counts, rewards, 600, rng)
    epoch = epoch.replanned(evidence)
    evidence, counts, rewards = more(counts, rewards, 2_000, rng)
    box = Box.around(evidence, thresholds(evidence, 0.1))
    later = Epoch(number=2, risk=0.025 / 3, discount=0.9, evidence=epoch.later[0])
    found = bounds([later, epoch], box, complete=True)
    policy = epoch.reference.policy
    at = np.arange(3)
    values = np.linalg.solve(np.eye(3) - 0.9 * LAW[at, policy], MEAN[at, policy])
    true = MEAN + 0.9 * LAW @ values - values[:, None]

    for each in found:
        assert (true <= each.advantages + 1e-9).all()
    empirical = evidence.rewards / evidence.visits
    laws = counts / counts.sum(axis=2, keepdims=True)
    hat = np.linalg.solve(np.eye(3) - 0.9 * laws[at, policy], empirical[at, policy])
    e = values - hat
    assert (e[:, None] - e[None, :] <= found[0].eps + 1e-9).all()
    for each in found:  # both epochs, or the one that is enough
        alone = bounds([each.epoch], box, complete=True)[0]
        assert (each.advantages <= alone.advantages + 1e-12).all()


def test_epochs_that_others_make_needless_are_left_out():
    """For every rival one stays whose bound is the least or nearly so; ties and duplicates too."""
    near, far, none = (np.array(each) for each in ([-1.0, -9.0], [-0.9, -10.0], [-0.1, -1.0]))

    assert _sufficient([none, far, near]) == [2]
    assert _sufficient([none, 0.5 * far, 0.5 * far]) == [1]
    assert _sufficient([np.array([-1.0, -1.0]), np.array([-0.1, -10.0])]) == [0, 1]
    assert _sufficient([np.array([0.5, 0.0]), np.array([0.2, 0.3])]) == [0, 1]


def test_bets_decide_before_the_box():
    """On noise-free counts, the same at every check, epochs certify where the box cannot yet."""
    from mfbpi_lib_confidence.kl_box import evaluate as by_box

    epochs, step, first = (), first_check(3, 2), {}
    while "box" not in first and step < 3_000_000:
        counts = np.floor(LAW * step / 6).astype(int)
        evidence = Evidence.from_dense(counts, MEAN[:, :, None] * counts)
        found, used = evaluate(evidence, epochs, discount=0.9)
        if found.identified and "bets" not in first:
            first["bets"] = step
            assert used
            assert found.margin[~np.eye(2, dtype=bool)[found.policy]].min() > 0
        if by_box(evidence, discount=0.9).identified:
            first["box"] = step
        epochs = continued(epochs, evidence, step, discount=0.9, delta=0.1)
        step = next_check(step)

    assert 1.5 * first["bets"] <= first["box"]
