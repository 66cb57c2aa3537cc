import numpy as np
import pytest

from mfbpi_core.data.mdp import TabularMDP
from mfbpi_lib_tabular.solution import moments, planning


@pytest.fixture
def coin() -> TabularMDP:
    """From state 0 action 0 leads to 0 or 1 with probability 1/2, action 1 surely to 1."""
    transitions = np.zeros((3, 2, 3))  # P[s, a, s']
    transitions[0, 0, :2] = 0.5
    transitions[0, 1, 1] = 1.0
    transitions[1:, :, 2] = 1.0
    return TabularMDP.from_dense(transitions, np.zeros((3, 2)))


VALUES = np.array([0.0, 2.0, 7.0])


def test_variance_by_hand(coin):
    """Values 0 and 2 with equal chance: variance 1; a sure outcome: 0."""
    assert moments.variances(coin, VALUES)[0] == pytest.approx([1.0, 0.0])


def test_span_counts_states_out_of_reach(coin):
    """State 2, worth 7, cannot follow, yet its distance from the means 1 and 2 counts."""
    assert moments.spans(coin, VALUES)[0] == pytest.approx([6.0, 5.0])


@pytest.mark.parametrize("k", [1, 2, 10, 19])
def test_moments_of_a_fair_coin(coin, k):
    """Deviations are always 1, so every moment is 1."""
    assert moments.moment_roots(coin, VALUES, k)[0] == pytest.approx([1.0, 0.0], rel=1e-12)
    assert moments.moment_terms(coin, VALUES, k)[0] == pytest.approx([1.0, 0.0], rel=1e-12)


def test_second_moment_by_definition(riverswim):
    """For k = 2 it is the fourth central moment to the power 1/4."""
    mdp = riverswim(6)
    values = planning.solve(mdp, 0.9).values
    mean = mdp.transitions @ values
    fourth = np.einsum("sat,sat->sa", mdp.transitions, (values - mean[:, :, None]) ** 4)

    assert moments.moment_roots(mdp, values, 2) == pytest.approx(fourth**0.25, rel=1e-10)
    assert moments.moment_terms(mdp, values, 2) == pytest.approx(fourth**0.5, rel=1e-10)


def test_first_moment_is_the_variance(riverswim):
    """For k = 1 it gives the standard deviation, and its square the variance."""
    mdp = riverswim(6)
    values = planning.solve(mdp, 0.9).values

    assert moments.moment_terms(mdp, values, 1) == pytest.approx(moments.variances(mdp, values))


def test_roots_grow_with_k_up_to_the_span(riverswim):
    """(M^k)^(2^-k) does not decrease in k and stays below MD."""
    mdp = riverswim(20)
    values = planning.solve(mdp, 0.95).values
    roots = np.array([moments.moment_roots(mdp, values, k) for k in range(1, 20)])

    assert (np.diff(roots, axis=0) >= -1e-12).all()
    assert (roots <= moments.spans(mdp, values) + 1e-12).all()
    assert moments.largest_moment_roots(mdp, values) == pytest.approx(roots.max(axis=0), rel=1e-12)


def test_moment_below_one_is_refused(coin):
    """Moments are numbered from 1."""
    with pytest.raises(ValueError, match="k is 0"):
        moments.moment_roots(coin, VALUES, 0)


@pytest.mark.parametrize(
    ("n_states", "span_min", "span_max", "variance"),
    [(5, 17, 30, 36), (10, 25, 45, 37), (25, 25, 50, 37), (50, 27, 54, 37), (100, 29, 55, 37)],
)
def test_published_instances_of_riverswim(riverswim, n_states, span_min, span_max, variance):
    """Russo & Proutiere (2023), table of instances at gamma 0.95, digits truncated."""
    mdp = riverswim(n_states)
    values = planning.solve(mdp, 0.95).values
    spans = moments.spans(mdp, values)

    assert (int(spans.min() * 10), int(spans.max() * 10)) == (span_min, span_max)
    assert int(moments.variances(mdp, values).max() * 100) == variance
    assert int(moments.largest_moment_roots(mdp, values).max() * 10) == 11


def test_memory_is_linear_in_the_successors(garnet):
    """100,000 states: nothing of size S x A x S is ever made."""
    mdp = garnet(100_000)

    terms = moments.largest_moment_terms(mdp, np.linspace(0.0, 1.0, 100_000))

    assert terms.shape == (100_000, 3)
    assert np.isfinite(terms).all()
