"""Ranks of numbers."""

import numpy as np
from scipy.stats import rankdata

from mfbpi_lib_statistics.ranks import ranked


def test_ties_share_their_mean_rank():
    """Of 1, 3, 7, 7 the last two are third and fourth."""
    assert ranked([7.0, 3.0, 7.0, 1.0]).tolist() == [3.5, 2.0, 3.5, 1.0]


def test_against_scipy():
    """The very ranks of scipy, infinite values among them."""
    values = np.random.default_rng(0).integers(0, 9, size=50).astype(float)
    values[::10] = np.inf

    assert ranked(values).tolist() == rankdata(values).tolist()
