"""Balance of what enters and leaves each state, by hand and against the library's walks."""

from __future__ import annotations

import numpy as np
import pytest

from mfbpi_core import TabularMDP
from mfbpi_core.data.flow import flow_residual
from mfbpi_lib_tabular.analysis import structure


def test_an_even_allocation_by_hand() -> None:
    """0.2 (1 + 0 + 0 + 0.3) enters state 0 of 0.4 that leave it, and so on."""
    mdp = TabularMDP.from_dense([[[1, 0], [0, 1]], [[0, 1], [0.3, 0.7]]], np.zeros((2, 2)))

    assert flow_residual(mdp, np.full((2, 2), 0.25)) == pytest.approx(0.5 - 0.25 * 1.3)


def test_an_episode_that_ends_begins_anew() -> None:
    """From the first state; what is spent where it ended is out of balance."""
    rows = [[[0, 0.5, 0.5]], [[0, 0, 1]], [[0, 0, 1]]]
    mdp = TabularMDP.from_dense(rows, np.zeros((3, 1)), terminal=[0, 0, 1])

    assert flow_residual(mdp, np.array([[2 / 3], [1 / 3], [0.0]])) == pytest.approx(0.0, abs=1e-16)
    assert flow_residual(mdp, np.array([[0.5], [0.25], [0.25]])) == 0.25


def test_it_is_what_the_walk_misses() -> None:
    """On random instances, with endings and several first states, repeated successors too."""
    rng = np.random.default_rng(0)
    for ending in (False, True):
        mdp = TabularMDP.from_successors(
            rng.integers(0, 6, (6, 3, 4)),
            rng.dirichlet(np.ones(4), (6, 3)),
            np.zeros((6, 3)),
            initial=[0.5, 0.25, 0.25, 0, 0, 0],
            terminal=[0, 0, 0, 0, ending, ending],
        )
        weights = rng.dirichlet(np.ones(18)).reshape(6, 3)
        missed = structure.walk(mdp).T @ weights.reshape(-1) - weights.sum(axis=1)

        assert flow_residual(mdp, weights) == pytest.approx(np.abs(missed).max(), abs=1e-15)
