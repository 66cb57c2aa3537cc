"""The tests of frequencies: their numbers, their power, and how seldom they are wrong."""

import numpy as np
import pytest
from scipy.stats import binom, chi2

from mfbpi_core import TabularMDP
from mfbpi_core.data.transitions import Transition, Transitions
from mfbpi_core.testing.outcomes import CheckFailure
from mfbpi_core.testing.tools import law
from mfbpi_core.testing.tools.goodness import (
    DELTA,
    LEAST_EXPECTED,
    LEVEL,
    chi_square_tail,
    pearson,
    require_frequencies,
)
from mfbpi_core.testing.worlds.instances import zeros_in_every_place


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 10, 101, 1000, 5001])
@pytest.mark.parametrize("chance", [1e-12, 1e-9, 1e-3, 0.5, 0.999])
def test_chi_square_tail(freedom, chance):
    """As scipy has it, in the tail too."""
    statistic = chi2.isf(chance, freedom)

    assert chi_square_tail(statistic, freedom) == pytest.approx(chance, rel=1e-9)


def test_pearson_by_hand():
    """(60 - 50)^2 / 50 twice, with one degree of freedom; impossible outcomes take no part."""
    assert pearson(np.array([[60.0, 0.0, 40.0]]), np.array([[0.5, 0.0, 0.5]])) == (4.0, 1)


def test_rare_outcomes_are_pooled():
    """Two outcomes expected 12 times each are one of 24; one of 10 joins the likeliest."""
    probabilities = np.array([[0.76, 0.12, 0.12], [0.6, 0.3, 0.1]])
    counts = np.array([[70.0, 20.0, 10.0], [50.0, 40.0, 10.0]])

    statistic, freedom = pearson(counts, probabilities)

    assert freedom == 2
    assert statistic == pytest.approx(36 / 76 + 36 / 24 + 100 / 70 + 100 / 30)


@pytest.mark.parametrize("n", [40, 100, 1_000, 20_000])
def test_level_is_kept(n):
    """Of two outcomes, exactly by the binomial law: wrong less often than stated, any share."""
    worst = 0.0
    for p in np.linspace(LEAST_EXPECTED / n, 0.5, 20):
        critical = np.sqrt(chi2.isf(LEVEL, 1) * n * p * (1.0 - p))
        above = binom.sf(np.ceil(n * p + critical) - 1, n, p)
        below = binom.cdf(np.floor(n * p - critical), n, p)
        worst = max(worst, above + below)

    assert worst <= DELTA


def test_law_is_accepted_for_many_seeds():
    """Frequencies of the law pass 200 times of 200, whatever the places of zeros."""
    probabilities = zeros_in_every_place().transitions
    for seed in range(200):
        counts = np.random.default_rng(seed).multinomial(100, probabilities).astype(float)
        require_frequencies(counts, probabilities, "P({2} | {0}, {1})")


def test_impossible_outcomes_fail_at_once():
    """One of them in a million is one too many."""
    with pytest.raises(CheckFailure, match=r"P\(0 \| 0, 0\) is 0, but it happened 1 of 1000000"):
        require_frequencies(
            np.array([[[1.0, 999_999.0]]]), np.array([[[0.0, 1.0]]]), "P({2} | {0}, {1})"
        )


def test_small_errors_everywhere_are_found():
    """Off by 8 % of themselves in each of 60 rows: none alone, all together."""
    probabilities = np.tile([0.5, 0.0, 0.5], (4, 15, 1))
    counts = np.tile([540.0, 0.0, 460.0], (4, 15, 1))

    with pytest.raises(CheckFailure, match=r"all frequencies together .* with 60 degrees"):
        require_frequencies(counts, probabilities, "P({2} | {0}, {1})")


def test_slots_that_share_a_state():
    """Two slots may lead to one state and pay differently: both are the model's rewards."""
    mdp = TabularMDP.from_successors([[[0, 0]]], [[[0.5, 0.5]]], [[[0.2, 0.7]]])
    paid = [Transition(0, 0, reward, 0) for reward in (0.2, 0.7)]
    law.require_rewards(mdp, Transitions.from_steps(0, paid))

    wrong = Transitions.from_steps(0, [Transition(0, 0, 0.45, 0)])
    with pytest.raises(CheckFailure, match=r"paid 0\.45 .* the model says 0\.2 or 0\.7"):
        law.require_rewards(mdp, wrong)
