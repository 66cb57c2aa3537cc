import numpy as np
import pytest

from mfbpi_lib_bounds import coefficients, generative
from mfbpi_lib_bounds.coefficients import evaluate


@pytest.mark.parametrize(
    ("n_states", "discount", "u0", "u", "u1"),
    [
        (5, 0.95, 2.787802e6, 2.938793e7, 1.064489e7),
        (10, 0.95, 2.713247e7, 1.977750e8, 7.909411e7),
        (20, 0.95, 1.282773e8, 5.855477e8, 3.050070e8),
        (10, 0.99, 7.997679e7, 1.420910e9, 4.014113e8),
    ],
)
def test_riverswim(riverswim, bound, n_states, discount, u0, u, u1):
    """Reference optima to all their digits; u0 is 2 to 18 times below u."""
    mdp = riverswim(n_states)

    found = [generative.minimise(bound(mdp, discount, kind)[0]).value for kind in ("u0", "u", "u1")]

    assert found == pytest.approx([u0, u, u1], rel=1e-6)


@pytest.mark.parametrize("kind", ["u0", "u", "u1", "u_tilde"])
def test_certified_and_attained(garnet, bound, kind):
    """The allocation is a distribution that attains the value, with a gap of rounding."""
    made, _ = bound(garnet(30), 0.99, kind)

    found = generative.minimise(made)

    assert found.allocation.sum() == pytest.approx(1.0)
    assert evaluate(made, found.allocation) == found.value
    assert found.relative_gap < 1e-14
    assert found.residual == 0.0


@pytest.mark.parametrize("kind", ["u0", "u_tilde"])
def test_closed_form(garnet, bound, kind):
    """With one constant H: (sqrt(sum H(s, a)) + sqrt(S H))^2."""
    made, _ = bound(garnet(12), 0.9, kind)
    total = made.h[made.suboptimal].sum()

    found = generative.minimise(made)

    expected = (np.sqrt(total) + np.sqrt(12 * made.c[0])) ** 2
    assert found.value == pytest.approx(expected, rel=1e-13)
    w = found.allocation / found.allocation[made.suboptimal].sum()
    assert w[made.suboptimal] == pytest.approx(made.h[made.suboptimal] / total, rel=1e-12)
    own = w[np.arange(12), made.policy]
    assert own == pytest.approx(np.full(12, np.sqrt(made.c[0] / total / 12)), rel=1e-12)


@pytest.mark.parametrize("kind", ["u0", "u", "u_tilde"])
def test_never_beaten_by_random_allocations(garnet, bound, kind):
    """100 random distributions, some of them near the optimum."""
    made, _ = bound(garnet(4), 0.9, kind)
    found, rng = generative.minimise(made), np.random.default_rng(0)
    for i in range(100):
        noise = rng.dirichlet(np.ones(12)).reshape(4, 3)
        share = 10.0 ** -(i % 10)

        value = evaluate(made, (1 - share) * found.allocation + share * noise)

        assert value >= found.value * (1 - 1e-14)


def test_single_action_has_nothing_to_learn(garnet, bound):
    """Every policy is the same: 0, and an allocation all the same."""
    made, _ = bound(garnet(4, n_actions=1), 0.9, "u")

    found = generative.minimise(made)

    assert (found.value, found.relative_gap) == (0.0, 0.0)
    assert found.allocation.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("scale", [0.5, 0.1])
def test_reward_scaling_law(riverswim, bound, scale):
    """Rewards times c: gaps scale with c, moments with c^2, so only the noise terms grow."""
    full, less = (bound(riverswim(6, c), 0.9, "u")[0] for c in (1.0, scale))
    pairs, spread, factor = full.suboptimal, (1.9 / 0.1) ** 2, scale**-2

    assert less.d[pairs] == pytest.approx(factor * full.d[pairs], rel=1e-9)
    signal = full.h - 2.0 * full.d  # 8 phi^2 m / D^2, free of the scale
    assert less.h[pairs] == pytest.approx((signal + 2.0 * factor * full.d)[pairs], rel=1e-9)
    moments = np.where(full.c > 4.0 * spread, full.c / factor, 0.0)
    assert less.c == pytest.approx(np.maximum(4.0 * spread, moments), rel=1e-9)
    values = [generative.minimise(made).value for made in (full, less)]
    assert values[0] <= values[1] <= factor * values[0]


def test_hundred_thousand_states(garnet, bound):
    """Nothing of size S x S is made, and the value is certified."""
    mdp = garnet(100_000)
    made, _ = bound(mdp, 0.99, "u")

    assert generative.minimise(made).relative_gap < 1e-12


def test_coefficients_may_come_from_estimates():
    """Agents call with arrays of their own, whatever these describe."""
    rng = np.random.default_rng(0)
    gaps, moments = rng.uniform(0.1, 1.0, (3, 2)), rng.random((3, 2))

    made = coefficients.u(gaps, moments, np.array([0, 1, 0]), 0.9)

    assert np.isfinite(generative.minimise(made).value)
