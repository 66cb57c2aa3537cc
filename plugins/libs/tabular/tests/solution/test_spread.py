from fractions import Fraction

import numpy as np
import pytest

from mfbpi_lib_tabular.solution import gaps, moments, planning


def _separated(mdp, discount):
    return gaps.separate(mdp, planning.solve(mdp, discount), discount)


def test_equal_to_the_plain_formulas(garnet):
    """Where values are small, refining them changes no more than rounding."""
    mdp = garnet(40)
    found = _separated(mdp, 0.9)
    spread = found.spread(mdp)

    assert spread.variances == pytest.approx(moments.variances(mdp, found.values), rel=1e-11)
    assert spread.spans == pytest.approx(moments.spans(mdp, found.values), rel=1e-11)
    for k in (1, 2, 19):
        assert spread.roots(k) == pytest.approx(moments.moment_roots(mdp, found.values, k))
    assert spread.largest_roots(19) == pytest.approx(
        moments.largest_moment_roots(mdp, found.values)
    )


@pytest.mark.parametrize("discount", [0.9, 0.99999])
def test_errors_cover_the_truth(riverswim, discount):
    """Variances and spans in fractions, at values up to 1e5 too, are within the bounds given."""
    mdp = riverswim(12)
    found = _separated(mdp, discount)
    spread = found.spread(mdp)
    values = [
        Fraction(float(high)) + Fraction(float(low))
        for high, low in zip(found.values, found.rest, strict=True)
    ]
    for s, a in np.ndindex(12, 2):
        weights = [Fraction(float(p)) for p in mdp.probabilities[s, a]]
        law = [
            (p / sum(weights), values[t])
            for p, t in zip(weights, mdp.successors[s, a], strict=True)
        ]
        mean = sum(p * v for p, v in law)
        variance = sum(p * (v - mean) ** 2 for p, v in law)
        span = max(abs(v - mean) for v in values)
        error = spread.root_errors[s, a]
        assert abs(np.sqrt(float(variance)) - np.sqrt(spread.variances[s, a])) <= error
        assert abs(float(span) - spread.spans[s, a]) <= spread.span_errors[s, a]
        assert error <= 1e-13 * np.sqrt(spread.variances).max()


def test_sure_successors_have_no_spread(riverswim):
    """Going left is sure: its variance is 0, exactly and known to be."""
    mdp = riverswim(6)
    spread = _separated(mdp, 0.999).spread(mdp)

    assert (spread.variances[:, 0] == 0.0).all()
    assert (spread.root_errors[:, 0] == 0.0).all()


def test_orders_below_one_are_refused(riverswim):
    """As of the plain moments."""
    mdp = riverswim(3)
    with pytest.raises(ValueError, match="the moment k is 0"):
        _separated(mdp, 0.9).spread(mdp).roots(0)
