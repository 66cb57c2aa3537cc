"""The one-step bound: valid for every law in the ball, and tight."""

import math
import warnings

import numpy as np
import pytest

from mfbpi_lib_confidence.ball import largest_mean, least_mean, mean_interval, smallest_mean


def conic_largest(p: np.ndarray, y: np.ndarray, radius: float) -> float:
    """The largest mean over the ball, by an interior-point method on exponential cones."""
    cp = pytest.importorskip("cvxpy")

    seen = p > 0
    q = cp.Variable(len(p), nonneg=True)
    constraints = [
        cp.sum(q) == 1,
        cp.sum(cp.kl_div(p[seen], q[seen]) + p[seen] - q[seen]) <= radius,
    ]
    problem = cp.Problem(cp.Maximize(q @ y), constraints)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of "inaccurate" solutions; compared below all the same
        problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
    return float(problem.value)


def largest(p: np.ndarray, y: np.ndarray, radius: float) -> float:
    """The bound, from arrays over all outcomes."""
    seen = p > 0
    return largest_mean(p[seen], y[seen], y.max(), radius)


def smallest(p: np.ndarray, y: np.ndarray, radius: float) -> float:
    """The same from below."""
    seen = p > 0
    return smallest_mean(p[seen], y[seen], y.min(), radius)


def random_row(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, float]:
    """An observed law with some outcomes unseen, values, and a radius of a random order."""
    k = int(rng.integers(2, 8))
    counts = rng.multinomial(int(rng.integers(1, 200)), rng.dirichlet(np.full(k, 0.7)))
    return counts / counts.sum(), rng.random(k), float(10.0 ** rng.uniform(-4.0, 0.7))


@pytest.mark.parametrize("seed", range(12))
def test_agrees_with_a_conic_solver(seed):
    """To 1e-6 of the span, from both sides, with and without unseen outcomes."""
    p, y, radius = random_row(np.random.default_rng(seed))

    assert largest(p, y, radius) == pytest.approx(conic_largest(p, y, radius), abs=1e-6)
    assert smallest(p, y, radius) == pytest.approx(-conic_largest(p, -y, radius), abs=1e-6)


def test_deterministic_row():
    """One outcome seen, of value 0 where 1 is possible: at most 1 - exp(-c) can move there."""
    p, y = np.array([1.0, 0.0]), np.array([0.0, 1.0])

    for radius in (1e-12, 1e-3, 1.0, 50.0):
        assert largest(p, y, radius) == pytest.approx(-math.expm1(-radius), rel=1e-12)
        assert smallest(p, y, radius) == 0.0


def test_bernoulli_row_by_bisection():
    """p_hat = 0.3: the upper end q of KL(0.3, q) = 0.05, found here by bisection."""
    low, high = 0.3, 1.0
    for _ in range(100):
        q = 0.5 * (low + high)
        inside = 0.3 * math.log(0.3 / q) + 0.7 * math.log(0.7 / (1 - q)) <= 0.05
        low, high = (q, high) if inside else (low, q)

    bound = largest(np.array([0.3, 0.7]), np.array([1.0, 0.0]), 0.05)

    assert bound == pytest.approx(low, abs=1e-12)


@pytest.mark.parametrize("n", [1e6, 1e10, 1e14])
def test_keeps_its_digits_at_large_counts(n):
    """For a small radius c the width is sqrt(2 c Var): its first three digits must be right."""
    p, y = np.array([0.2, 0.5, 0.3]), np.array([0.0, 1.0, 3.0])
    radius = 10.0 / n
    mean = p @ y
    deviation = math.sqrt(p @ y**2 - mean**2)

    width = largest(p, y, radius) - mean

    assert width == pytest.approx(
        deviation * math.sqrt(2 * radius), rel=0.5 / math.sqrt(n) * 10 + 1e-3
    )


def law_in_ball(p: np.ndarray, radius: float, rng: np.random.Generator) -> np.ndarray:
    """A law on the boundary of the ball around p, in a random direction, maybe to one outcome."""
    target = rng.dirichlet(np.full(len(p), 0.3)) if rng.random() < 0.7 else np.eye(len(p))[0]
    target = target[rng.permutation(len(p))]
    seen = p > 0
    low, high = 0.0, 1.0
    for _ in range(80):
        share = 0.5 * (low + high)
        q = (1 - share) * p + share * target
        with np.errstate(divide="ignore"):
            inside = (p[seen] * np.log(p[seen] / q[seen])).sum() <= radius
        low, high = (share, high) if inside else (low, share)
    return (1 - low) * p + low * target


@pytest.mark.parametrize("seed", range(5))
def test_no_law_of_the_ball_violates_it(seed):
    """30 rows times 10 laws on the boundary of their balls."""
    rng = np.random.default_rng(1000 + seed)
    for _ in range(30):
        p, y, radius = random_row(rng)
        upper, lower = largest(p, y, radius), smallest(p, y, radius)
        for _ in range(10):
            mean = law_in_ball(p, radius, rng) @ y

            assert lower - 1e-9 <= mean <= upper + 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_grows_with_the_radius(seed):
    """A larger ball has a wider interval, down to a single point and up to everything."""
    rng = np.random.default_rng(seed)
    p, y, _ = random_row(rng)
    uppers = [largest(p, y, radius) for radius in np.geomspace(1e-12, 300.0, 60)]

    assert (np.diff(uppers) >= -1e-15).all()
    assert uppers[0] == pytest.approx(p @ y, abs=1e-5)
    assert uppers[-1] == pytest.approx(y.max(), abs=1e-9)


def test_never_visited():
    """An infinite radius allows everything."""
    assert least_mean(np.zeros(0), np.zeros(0), np.inf) == (0.0, 0.0)
    assert largest_mean(np.zeros(0), np.zeros(0), 7.0, np.inf) == 7.0


def test_equal_values():
    """Nothing to move: the mean is exact."""
    assert largest_mean(np.array([0.5, 0.5]), np.array([2.0, 2.0]), 2.0, 0.3) == 2.0


def test_reward_intervals():
    """Nothing seen: [0, 1]; only ones in 10 visits: [exp(-c), 1]; sums beyond n are cut."""
    totals, visits = np.array([0.0, 10.0, 0.0, 10.0 + 1e-9]), np.array([0.0, 10.0, 10.0, 10.0])
    radii = np.array([np.inf, 0.4, 0.4, 0.4])

    low, high = mean_interval(totals, visits, radii)

    np.testing.assert_allclose(low, [0.0, math.exp(-0.4), 0.0, math.exp(-0.4)], atol=1e-15)
    np.testing.assert_allclose(high, [1.0, 1.0, -math.expm1(-0.4), 1.0], atol=1e-15)


@pytest.mark.parametrize("radius", [1e-6, 1e-3, 0.1, 1.0, 8.0, 20.0, 700.0])
@pytest.mark.parametrize("p", [0.3, 1e-2, 1e-3, 1e-4, 1e-6, 1e-9, 1e-12, 1e-300])
def test_frequencies_as_small_as_a_sum_of_rewards(p, radius):
    """The best t is exp(-radius / p): where no float is that small the bound is 0, not infinite."""
    least = smallest_mean(np.array([p, 1.0 - p]), np.array([1.0, 0.0]), 0.0, radius)

    assert 0.0 <= least < p
    left = least_by_bisection(p, radius)
    assert least == pytest.approx(left, rel=1e-6, abs=1e-200)
    most = largest_mean(np.array([1.0 - p, p]), np.array([1.0, 0.0]), 1.0, radius)
    assert 1.0 - p <= most <= 1.0


def least_by_bisection(p: float, radius: float) -> float:
    """The least q with kl(p, q) <= radius, on a scale of log q down to 1e-300."""
    low, high = -690.0, math.log(p)
    for _ in range(200):
        log_q = 0.5 * (low + high)
        rest = (1.0 - p) * (math.log1p(-p) - math.log1p(-math.exp(log_q)))
        if p * (math.log(p) - log_q) + rest <= radius:
            high = log_q
        else:
            low = log_q
    return math.exp(high) if high > -689.0 else 0.0


@pytest.mark.parametrize("scale", [1e-300, 1e-170, 1e-5, 1.0, 1e5, 1e90])
def test_every_scale_of_values(scale):
    """Bounds are finite, in the range of the values, and scale with them."""
    rng = np.random.default_rng(int(-math.log10(scale)) % 97)
    for _ in range(100):
        share = 10.0 ** rng.uniform(-12.0, -0.1)
        p, y = np.array([share, 1.0 - share]), scale * rng.random(2)
        radius = 10.0 ** rng.uniform(-9.0, 2.0)
        low, high = smallest(p, y, radius), largest(p, y, radius)
        mean = float(p @ y)
        room = 1e-12 * scale
        assert y.min() - room <= low <= mean + room
        assert mean - room <= high <= y.max() + room
