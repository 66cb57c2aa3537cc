"""How long the fastest walk to a state takes: a shortest path problem for each target.

T(s -> t) is the least expected number of steps from s to t, h(t) = 0 and
h(s) = 1 + min over a of sum over s' of P(s' | s, a) h(s') elsewhere, by policy iteration from a
policy that comes closer to t with positive probability, so that every evaluated policy reaches t.
The time to *return*, 1 + min over a of sum P(s' | t, a) h(s'), is the inverse of the largest
long-run frequency of t that any policy has.
"""

from __future__ import annotations

import attrs
import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from mfbpi_core.data.arrays import FloatArray, IntArray
from mfbpi_lib_tabular.numerics import linear

#: Chains of at most this many states are solved as dense arrays.
DENSE_STATES = 200

#: Another action must be better by this much, relative to the time, to be taken.
_BETTER = 1e-12

_MAX_POLICIES = 1_000


@attrs.frozen(kw_only=True, eq=False)
class Hitting:
    """The fastest ways to one target.

    Attributes:
        times: float64 [S], T(s -> t); 0 at t, infinite where t cannot be reached.
        back: least expected time from t until the walk is in t again; infinite where t cannot be
            reached from every state.
        error: bound of the relative error of all of these.
    """

    times: FloatArray
    back: float
    error: float


def fastest(rows: sparse.csr_array, n_actions: int, target: int) -> Hitting:
    """Solve for one target, in a walk with these rows [S A, S], each a distribution."""
    n_states = rows.shape[1]
    policy = _closer(rows, n_actions, target)
    if policy is None:
        return Hitting(times=np.full(n_states, np.inf), back=np.inf, error=0.0)
    others = np.delete(np.arange(n_states), target)
    guess = None
    for _ in range(_MAX_POLICIES):
        times = _evaluate(rows, n_actions, policy, others, guess)
        guess = times[others]
        choices = 1.0 + (rows @ times).reshape(n_states, n_actions)
        best = choices.min(axis=1)
        better = best < times * (1.0 - _BETTER)
        better[target] = False
        if not better.any():
            break
        policy[better] = choices.argmin(axis=1)[better]
    return Hitting(times=times, back=float(best[target]), error=_error(best, times, others))


def _error(best: FloatArray, times: FloatArray, others: IntArray) -> float:
    """Relative error of the times, by what one backup changes: h (1 - r) <= h* <= h (1 + r).

    With (I - P) h within r of 1 for each action that matters, h is within the factor 1 +- r of
    the solution, for (I - P)^-1 1 is h itself and has no negative entry.
    """
    if not others.size:
        return 0.0
    rounding = 8.0 * np.finfo(np.float64).eps * float(times.max())
    r = float(np.abs(best - times)[others].max()) + rounding
    return r / (1.0 - r) if r < 1.0 else np.inf


def _evaluate(
    rows: sparse.csr_array,
    n_actions: int,
    policy: IntArray,
    others: IntArray,
    guess: FloatArray | None,
) -> FloatArray:
    """Expected times to the target under a policy, [S]; every state must reach it."""
    chain = rows[others * n_actions + policy[others]][:, others].tocsr()
    times = np.zeros(rows.shape[1])
    if others.size <= DENSE_STATES:
        system = np.eye(others.size) - chain.toarray()
        times[others] = np.linalg.solve(system, np.ones(others.size))
    else:
        times[others] = linear.solve_discounted(chain, np.ones(others.size), 1.0, guess=guess)
    return times


def _closer(rows: sparse.csr_array, n_actions: int, target: int) -> IntArray | None:
    """A policy that may come a step closer to the target from everywhere, or None."""
    n_states = rows.shape[1]
    edges = rows.tocoo()
    graph = sparse.csr_array(
        (np.ones(edges.nnz), (edges.col, edges.row // n_actions)), shape=(n_states, n_states)
    )
    steps = csgraph.shortest_path(graph, method="D", indices=target, unweighted=True)
    if not np.isfinite(steps).all():
        return None
    nearest = np.minimum.reduceat(steps[rows.indices], rows.indptr[:-1])  # of each pair's rows
    policy: IntArray = nearest.reshape(n_states, n_actions).argmin(axis=1)
    return policy
