"""The graph of an instance: which states reach which, and long-run state frequencies.

Where episodes end, a walk goes on from the initial distribution: arriving at a terminal state is
followed at once by a draw of the first state of the next episode. Terminal states take no
decision, so they are left out of classes and have frequency zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph
from scipy.sparse import linalg as sparse_linalg

from mfbpi_core.data.arrays import FloatArray, IntArray
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.errors import ModelError
from mfbpi_core.text import NAMED, listed
from mfbpi_lib_tabular.numerics.linear import rows_to_sparse

#: Chains up to this many states are solved by elimination without subtractions, as dense arrays.
ELIMINATED_STATES = 500


def walk(mdp: TabularMDP) -> sparse.csr_array:
    """Where a walk is after each pair, sparse [S A, S], restarting where an episode ends.

    Rows of terminal states are empty, and their columns too.

    Raises:
        ModelError: when an episode ends as it starts, so that no walk exists.
    """
    rows = rows_to_sparse(mdp.successors, mdp.probabilities, mdp.n_states)
    rows.sum_duplicates()
    if mdp.terminal.any():
        rows = _restarted(mdp, rows)
    rows.eliminate_zeros()
    return rows


def closed_classes(mdp: TabularMDP) -> list[IntArray]:
    """Sets of states that communicate and that no action leaves, each sorted."""
    return _closed(_state_graph(walk(mdp), mdp.n_actions), ~mdp.terminal)


def is_communicating(mdp: TabularMDP) -> bool:
    """Whether every state that takes decisions can be reached from every other."""
    rows = walk(mdp) if mdp.terminal.any() else _moves(mdp)
    graph = _state_graph(rows, mdp.n_actions)
    _, labels = csgraph.connected_components(graph, directed=True, connection="strong")
    return len(np.unique(labels[~mdp.terminal])) == 1


def stationary_distribution(mdp: TabularMDP, policy: npt.ArrayLike) -> FloatArray:
    """Long-run frequency of each state under a policy, float64 [S].

    States that the chain leaves for good have frequency zero.

    Args:
        mdp: the instance.
        policy: integers [S] or probabilities [S, A].

    Raises:
        ModelError: when several closed classes make the frequencies depend on the start; the
            message names the states of each.
    """
    chain = _chain(mdp, policy)
    classes = _closed(chain, ~mdp.terminal)
    if len(classes) > 1:
        named = "; ".join(f"{{{listed(states)}}}" for states in classes[:NAMED])
        raise ModelError(
            f"the chain of this policy has {len(classes)} closed classes, of states {named}; "
            "its long-run frequencies depend on the start, expected one class"
        )
    frequencies = np.zeros(mdp.n_states)
    states = classes[0]
    frequencies[states] = chain_distribution(chain[states][:, states])
    return frequencies


def chain_distribution(chain: sparse.csr_array) -> FloatArray:
    """Solve mu P = mu, sum(mu) = 1, for a chain P [n, n] of a single class; float64 [n].

    Up to :data:`ELIMINATED_STATES` states every entry has the precision of the arithmetic, however
    rare some transitions are. Beyond, sets mu_0 = 1, solves for the others, and normalises.
    """
    n_states = chain.shape[0]
    if n_states <= ELIMINATED_STATES:
        return _eliminated(chain.toarray())
    weights = np.ones(n_states)
    system = (sparse.eye_array(n_states, format="csc") - chain).T.tocsc()
    factors = sparse_linalg.splu(system[1:, 1:].tocsc())
    weights[1:] = np.maximum(factors.solve(-system[1:, [0]].toarray()[:, 0]), 0.0)
    weights /= weights.sum()
    return weights


def _eliminated(chain: FloatArray) -> FloatArray:
    """The distribution of a dense chain [n, n], overwritten, without a single subtraction.

    The last state is taken out of the chain, the others going on from it to where it leads, until
    one is left. Source: Grassmann, Taksar & Heyman 1985, "Regenerative analysis and steady state
    distributions for Markov chains", Operations Research 33(5).
    """
    n_states = len(chain)
    for k in range(n_states - 1, 0, -1):
        chain[:k, k] /= chain[k, :k].sum()
        chain[:k, :k] += np.outer(chain[:k, k], chain[k, :k])
    weights = np.ones(n_states)
    for k in range(1, n_states):
        weights[k] = weights[:k] @ chain[:k, k]
        weights[: k + 1] /= max(weights[k], 1.0)  # no overflow, however much larger than the first
    return weights / weights.sum()


def _chain(mdp: TabularMDP, policy: npt.ArrayLike) -> sparse.csr_array:
    """P_pi with restarts, sparse [S, S]."""
    choice = np.asarray(policy)
    rows = walk(mdp)
    states = np.arange(mdp.n_states)
    if choice.ndim == 1:
        return rows[states * mdp.n_actions + choice]
    pairs = np.arange(choice.size)
    mix = sparse.csr_array((choice.reshape(-1), (np.repeat(states, mdp.n_actions), pairs)))
    chain = (mix @ rows).tocsr()
    chain.eliminate_zeros()
    return chain


def _closed(graph: sparse.csr_array, acting: npt.NDArray[np.bool_]) -> list[IntArray]:
    """Strongly connected components without a way out, among the acting states."""
    n_classes, labels = csgraph.connected_components(graph, directed=True, connection="strong")
    edges = graph.tocoo()
    leaves = np.zeros(n_classes, dtype=np.bool_)
    crossing = labels[edges.row] != labels[edges.col]
    leaves[labels[edges.row[crossing]]] = True
    leaves[labels[~acting]] = True
    classes = [np.flatnonzero(labels == label) for label in np.flatnonzero(~leaves)]
    return sorted(classes, key=lambda states: int(states[0]))


def _moves(mdp: TabularMDP) -> sparse.csr_array:
    """The successors of each pair as they are stored, [S A, S], without zeros."""
    rows = rows_to_sparse(mdp.successors, mdp.probabilities, mdp.n_states)
    rows.eliminate_zeros()
    return rows


def _state_graph(rows: sparse.csr_array, n_actions: int) -> sparse.csr_array:
    """Which state can follow which under some action, [S, S]."""
    # The rows of a state's actions follow each other: together they are its own.
    edges = np.ones(rows.nnz), rows.indices.copy(), rows.indptr[::n_actions].copy()
    graph = sparse.csr_array(edges, shape=(rows.shape[1], rows.shape[1]))
    graph.sum_duplicates()  # scipy's search for components does not end where there are any
    return graph


def _restarted(mdp: TabularMDP, rows: sparse.csr_array) -> sparse.csr_array:
    """Send what arrives at terminal states to the initial distribution instead."""
    acting = (~mdp.terminal).astype(np.float64)
    start = mdp.initial * acting
    if start.sum() == 0.0:
        raise ModelError(
            "every first state is terminal, so that no decision is ever taken; "
            "expected an initial distribution with other states"
        )
    decides = sparse.diags_array(np.repeat(acting, mdp.n_actions))
    ending = sparse.csr_array((decides @ (rows @ (1.0 - acting)))[:, None])
    again = sparse.csr_array((start / start.sum())[None, :])
    kept: Any = decides @ rows @ sparse.diags_array(acting)
    return (kept + ending @ again).tocsr()
