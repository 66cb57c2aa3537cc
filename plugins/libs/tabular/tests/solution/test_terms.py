"""The terms of the bound, on numbers worked out by hand."""

import numpy as np
import pytest

from mfbpi_lib_tabular.compiled import leaf
from mfbpi_lib_tabular.solution import terms


def test_golden_ratio():
    """The square of the golden ratio is the golden ratio plus one."""
    assert pytest.approx(2.618033988749895) == terms.PHI_2


def test_terms_by_hand():
    """2 + 8 phi^2 m, and 16 gamma^2 phi^2 m where that is more than 4."""
    moments = np.array([0.0, 0.25, 3.0])

    assert terms.suboptimal(moments) == pytest.approx(2 + 8 * terms.PHI_2 * moments)
    assert terms.optimal(moments, 0.5) == pytest.approx([4.0, 4.0, 12 * terms.PHI_2])


def test_compiled_terms_are_the_same():
    """What a rule makes a leaf of gives the very numbers that the bounds get."""
    suboptimal, optimal = leaf(terms.suboptimal), leaf(terms.optimal)
    for moment in np.random.default_rng(0).exponential(2.0, size=100).tolist():
        assert suboptimal(moment) == terms.suboptimal(moment)
        assert optimal(moment, 0.99) == terms.optimal(moment, 0.99)
