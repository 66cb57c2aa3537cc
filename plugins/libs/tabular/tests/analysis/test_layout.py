"""Places of states: grids as told, chains as found, graphs by their distances."""

import numpy as np
import pytest

from mfbpi_core import TabularMDP
from mfbpi_core.errors import RequirementError
from mfbpi_lib_tabular.analysis.layout import layout, spread, steps_between


def walk(successors) -> TabularMDP:
    """Deterministic: where each action [S, A] leads."""
    rows = np.eye(len(successors))[np.asarray(successors)]
    return TabularMDP.from_dense(rows, np.zeros(np.shape(successors)))


def test_chain_is_a_line():
    """Neighbours, and one state to begin again in."""
    found = layout(walk([[0, 1], [0, 2], [0, 3], [0, 3]]))
    assert found.shape == "chain"
    assert found.places.tolist() == [[0, 0], [1, 0], [2, 0], [3, 0]]


def test_grid_is_as_told():
    """Row and column become down and right; a state without a place is not drawn."""
    found = layout(walk([[1], [2], [0]]), np.array([[0, 2], [1, 0], [-1, -1]]))
    assert found.shape == "grid"
    assert found.places[:2].tolist() == [[2, 0], [0, 1]]
    assert found.drawn.tolist() == [True, True, False]


def star(n: int) -> TabularMDP:
    """State 0 leads to all others, which lead back."""
    return walk([list(range(1, n + 1)), *([[0] * n] * n)])


def test_steps_between_states():
    """One to the middle of a star, two to any other."""
    distances = steps_between(star(5))
    assert distances[0].tolist() == [0, 1, 1, 1, 1, 1]
    assert distances[1].tolist() == [1, 0, 2, 2, 2, 2]


def test_star_is_drawn_as_one():
    """The middle in the middle, and the others around it, apart from each other."""
    found = layout(star(6))
    assert found.shape == "graph"
    apart = np.linalg.norm(found.places[:, None] - found.places[None], axis=2)
    rays = apart[0, 1:]
    assert rays.max() < 1.2 * rays.min()
    np.fill_diagonal(apart, np.inf)
    assert apart.min() > 0.5


def test_distances_of_a_line_are_kept():
    """What fits into the plane comes out as it is."""
    line = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
    places = spread(line)
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.testing.assert_allclose(apart, line, atol=0.02)


def test_large_graphs_are_refused():
    """More than 200 states are a tangle; positions, or a chain, have no limit."""
    with pytest.raises(RequirementError, match="a graph of 252 states"):
        layout(star(251))
    chain = [[max(s - 1, 0), min(s + 1, 299)] for s in range(300)]
    assert layout(walk(chain)).shape == "chain"
