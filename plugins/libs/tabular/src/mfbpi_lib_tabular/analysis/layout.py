"""Where the states of an instance are in a picture: a grid, a chain, or a graph.

Grids are told by whoever made them (``Environment.positions``). A chain is found: every transition
leads to a neighbour, stays, or begins again in one and the same state. All others are graphs, whose
distances in the picture follow the numbers of steps between states: classical scaling, improved by
majorisation.

Source: Kamada & Kawai 1989, "An algorithm for drawing general undirected graphs", for the weights;
Gansner, Koren & North 2005, "Graph drawing by stress majorization", for the method.
"""

from __future__ import annotations

from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core.data.arrays import FloatArray
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.errors import RequirementError

#: Most states of a graph: more are a tangle.
LARGEST_GRAPH = 200

#: Steps of the majorisation.
ROUNDS = 200

Shape = Literal["grid", "chain", "graph"]


@attrs.frozen(kw_only=True, eq=False)
class Layout:
    """Places of states.

    Attributes:
        shape: what the places are of.
        places: float64 [S, 2], right and down; NaN for states that are not drawn.
    """

    shape: Shape
    places: FloatArray

    @property
    def drawn(self) -> npt.NDArray[np.bool_]:
        """Bool [S], the states that have a place."""
        return np.asarray(np.isfinite(self.places).all(axis=1))


def layout(mdp: TabularMDP, positions: npt.NDArray[np.int64] | None = None) -> Layout:
    """Where states are drawn.

    Args:
        mdp: the instance.
        positions: int64 [S, 2], row and column of each state, -1 for none, where that is known.

    Raises:
        RequirementError: for a graph of more than :data:`LARGEST_GRAPH` states.
    """
    if positions is not None and len(positions) == mdp.n_states:
        places = np.where(positions < 0, np.nan, positions.astype(np.float64))[:, ::-1]
        return Layout(shape="grid", places=places)
    states = np.arange(mdp.n_states, dtype=np.float64)
    if is_chain(mdp):
        return Layout(shape="chain", places=np.stack([states, np.zeros_like(states)], axis=1))
    if mdp.n_states > LARGEST_GRAPH:
        raise RequirementError(
            f"a graph of {mdp.n_states} states cannot be read; expected {LARGEST_GRAPH} at most, a "
            "chain, or an environment that says where its states are (Environment.positions)"
        )
    return Layout(shape="graph", places=spread(steps_between(mdp)))


def is_chain(mdp: TabularMDP) -> bool:
    """Whether every transition leads to a neighbour, stays, or leads to one and the same state."""
    here = np.arange(mdp.n_states)[:, None, None]
    far = (np.abs(mdp.successors - here) > 1) & (mdp.probabilities > 0.0)
    return len(np.unique(mdp.successors[far])) <= 1


def steps_between(mdp: TabularMDP) -> FloatArray:
    """Fewest steps between states, either way, float64 [S, S]; one more than all where none."""
    from scipy.sparse import coo_array, csgraph  # not on top: only pictures of graphs need it

    shape = mdp.successors.shape
    here = np.broadcast_to(np.arange(mdp.n_states)[:, None, None], shape)
    used = mdp.probabilities > 0.0
    ends = (here[used], mdp.successors[used])
    links = coo_array((np.ones(len(ends[0])), ends), shape=(mdp.n_states, mdp.n_states))
    found: FloatArray = csgraph.shortest_path(links.tocsr(), directed=False, unweighted=True)
    finite = np.isfinite(found)
    return np.where(finite, found, found[finite].max(initial=0.0) + 1.0)


def spread(distances: FloatArray) -> FloatArray:
    """Places [S, 2] whose distances are as near as may be to these [S, S]."""
    n = len(distances)
    if n == 1:
        return np.zeros((1, 2))
    places = _scaled(distances)
    weights = np.where(distances > 0.0, 1.0 / np.maximum(distances, 1.0) ** 2, 0.0)
    laplacian = np.diag(weights.sum(axis=1)) - weights
    inverse = np.linalg.pinv(laplacian)
    for _ in range(ROUNDS):
        apart = np.linalg.norm(places[:, None] - places[None], axis=2)
        pull = np.where(apart > 0.0, -weights * distances / np.maximum(apart, 1e-12), 0.0)
        np.fill_diagonal(pull, -pull.sum(axis=1))
        places = inverse @ (pull @ places)
    return places


def _scaled(distances: FloatArray) -> FloatArray:
    """Classical scaling, with a ring added so that no two states begin in the same place."""
    n = len(distances)
    centred = distances**2
    centred = centred - centred.mean(axis=0)
    centred = centred - centred.mean(axis=1)[:, None]
    values, vectors = np.linalg.eigh(-centred / 2.0)
    places = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0.0))
    angles = 2.0 * np.pi * np.arange(n) / n
    ring: FloatArray = places + 1e-2 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return ring
