"""The flow equations, compared with what sparse matrices of scipy give."""

import numpy as np
import pytest
from scipy import sparse

from mfbpi_lib_bounds.solvers.flow import Flow, arrivals

N_ACTIONS = 2


@pytest.fixture(params=range(4))
def flow(request) -> Flow:
    """A walk among 6 states: some pairs always stay, some never, some have one way out."""
    rng = np.random.default_rng(request.param)
    dense = rng.random((12, 6)) * (rng.random((12, 6)) < 0.4)
    dense[0], dense[1], dense[2] = np.eye(6)[0], np.eye(6)[5], np.eye(6)[1]
    dense[dense.sum(axis=1) == 0.0, 3] = 1.0
    return Flow(sparse.csr_array(dense / dense.sum(axis=1, keepdims=True)), N_ACTIONS)


def test_difference_is_that_of_two_matrices(flow):
    """Every entry is the same number, and entries of zero are left out."""
    ones = np.eye(6)[np.repeat(np.arange(6), N_ACTIONS)]
    expected = sparse.csr_array(ones - flow.walk.toarray())

    for part in ("indptr", "indices", "data"):
        assert np.array_equal(getattr(flow.difference, part), getattr(expected, part))


def test_imbalance_is_that_of_the_moves(flow):
    """The entries of the walk say the same as the matrix without staying."""
    weights = np.random.default_rng(9).random(12)
    out = np.bincount(flow.leaves, weights * flow.leaving, 6)
    missed = np.abs(out - flow.moves.T @ weights)
    expected = (missed / np.where(out > 0.0, out, 1.0)).max()

    assert flow.imbalance(weights) == pytest.approx(expected, rel=1e-13)


def test_arrivals_are_a_product(flow):
    """Weights times rows, in the same order of additions."""
    weights = np.random.default_rng(8).random(12)

    assert np.array_equal(arrivals(flow.walk, weights), flow.walk.T @ weights)
