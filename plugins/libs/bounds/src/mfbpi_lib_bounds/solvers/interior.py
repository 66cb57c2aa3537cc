"""An interior point method for the navigation bound of large instances, its search included.

The bases of the simplex method fill in on random graphs, and thousands of pivots lie between the
optimum without flow equations and the one with them. Here the value rho = top + x is a variable
like the flows: with l(x) = rho times the least weights of :mod:`mfbpi_lib_bounds.scalar`, which is
convex in x, the bound is the convex programme

    minimise sum(l(x) + v)  subject to  N'(l(x) + v) = 0,  v >= 0.

With z = 1 - N y the reduced costs, its optimum is where N'(l + v) = 0, z l'(x) = 0 and v z = 0.
Newton's method follows the solutions for v z = mu as mu falls to 0 (Mehrotra 1992, "On the
implementation of a primal-dual interior point method", SIAM J. Optim. 2(4)), with several
corrections for each factorisation (Gondzio 1996, "Multiple centrality corrections in a primal-dual
method for linear programming", Comput. Optim. Appl. 6). Any y with z >= 0 certifies a lower bound
of the value, and any v >= 0 in balance an upper one, so that no vertex is needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from mfbpi_core.data.arrays import FloatArray
from mfbpi_core.errors import SolverError
from mfbpi_lib_bounds.coefficients import Coefficients
from mfbpi_lib_bounds.solution import Vertex
from mfbpi_lib_bounds.solvers.certificate import blur, reduced_costs
from mfbpi_lib_bounds.solvers.flow import Flow
from mfbpi_lib_bounds.solvers.newton import BOLD, FINE, Least, Newton, Point
from mfbpi_lib_bounds.solvers.normal import CROWDED, Normal

#: Cap on the steps; two or three dozen are usual.
MAX_STEPS = 100

#: Steps that may pass without the gap falling.
PATIENCE = 4

#: Powers of the walk that the first flows are made of.
POWERS = 200

#: Rounds that bring flows into balance, the imbalance that is as good as none, and what will do.
REPAIRS = 4
BALANCED = 1e-13
EVEN = 1e-10

#: A graph is entangled when a numbering of its states that keeps neighbours close (reverse Cuthill-
#: McKee) still leaves some as far apart as this share of all states.
FAR = 0.2


class Interior:
    """The bound of one instance.

    Args:
        coefficients: the bound, with a sub-optimal pair.
        flow: the walks among the states that act.
        gap: relative gap to reach.
    """

    def __init__(self, coefficients: Coefficients, flow: Flow, gap: float) -> None:
        self.matrix, self.flow, self.gap = flow.equations, flow, gap
        self._normal = Normal(self.matrix)
        self._out_of, self._into = self._normal.rows, self._normal.columns
        self._least = Least(coefficients)
        self.point = Point(np.zeros(0), np.zeros(flow.shape[1]), np.ones(flow.shape[0]), 0.0)

    @property
    def name(self) -> str:
        """For the reader of a solution."""
        return "interior point method"

    @property
    def basis(self) -> None:
        """There is none."""

    @property
    def x(self) -> float:
        """The minimiser."""
        return self.point.x

    def solve(self, least: FloatArray) -> Vertex:
        """The solution at the lower bounds ``least`` [n], which must be those at the minimiser.

        Raises:
            SolverError: for other lower bounds: the certificate did not suffice.
        """
        point = self.point
        lowest = self._least.at(point.x)[0] * self._least.scale / (self._least.top + point.x)
        if not np.allclose(lowest, least, rtol=1e-12, atol=0.0):
            raise SolverError("the interior point method did not reach the gap asked for")
        weights = least + point.v * self._least.scale / (self._least.top + point.x)
        return Vertex(
            weights=weights,
            costs=reduced_costs(self.matrix, point.y),
            blur=blur(self.matrix, point.y, least, weights),
        )

    def run(self) -> None:
        """Go to the optimum, then bring the flows into exact balance.

        Raises:
            SolverError: when the method stalls before the gap is reached.
        """
        self.point.x = self._least.x
        self.point.v = self._first_flows()
        best, since = np.inf, 0
        for _ in range(MAX_STEPS):
            newton = Newton(self.point, self._least, self._into, self._normal, self._out_of)
            left = newton.left(self.point.v)
            if left <= self.gap:
                flows = self._balanced()
                weights = newton.least + flows
                even = self._imbalance(weights, self._into @ weights) <= EVEN
                if even and newton.left(flows) <= 2.0 * self.gap:
                    self.point.v = flows
                    return
                newton.prepare()
            best, since = (left, 0) if left < best else (best, since + 1)
            if not np.isfinite(left) or since == PATIENCE:
                break
            self._move(newton)
        raise SolverError(
            f"the interior point method stalls at a relative gap of {best:.1e}; "
            f"expected {self.gap:g}"
        )

    def _first_flows(self) -> FloatArray:
        """Positive flows v [n], about in balance, of the policy that takes all actions alike."""
        least = self._least.at(self.point.x)[0]
        n_pairs, n_states = self.flow.shape
        n_actions = n_pairs // n_states
        missing = -(self._into @ least)
        into = self._walk_of_all_actions()
        flows, frequencies = np.zeros(n_states), np.full(n_states, 1.0 / n_states)
        for _ in range(POWERS):
            flows = into @ flows + missing
            frequencies = into @ frequencies
        floor = np.maximum(frequencies, 1e-3 / n_states)
        flows += (0.1 + 1.1 * max(0.0, float((-flows / floor).max()))) * floor
        return np.repeat(flows / n_actions, n_actions)

    def _walk_of_all_actions(self) -> Any:
        """Chances [m, m] of arriving in a state (row) from another when all actions are alike."""
        n_pairs, n_states = self.flow.shape
        alike = np.full(n_pairs, n_states / n_pairs)
        mix = sparse.csr_array((alike, (np.arange(n_pairs), self.flow.leaves)))
        into = (self.flow.walk.T.tocsr() @ mix).tocsr()
        return into.toarray() if into.nnz > CROWDED * n_states**2 else into

    def _move(self, newton: Newton) -> None:
        """One step of the method."""
        point, step = self.point, newton.step()
        share = max(BOLD, 1.0 - newton.left(point.v))
        primal, dual = (min(1.0, share * far) if far < 1.0 else 1.0 for far in step.reach(point))
        point.v = np.maximum(point.v + primal * step.v, np.finfo(np.float64).tiny)
        point.x += primal * step.x
        point.y = point.y + dual * step.y
        point.z = 1.0 - self._out_of @ point.y
        if point.z.min() <= 0.0:  # by rounding: back into the interior
            point.y /= 1.0 + 2.0 * max(float(-point.z.min()), 1e-16)
            point.z = 1.0 - self._out_of @ point.y

    def _balanced(self) -> FloatArray:
        """The flows [n], in balance by small changes, the smaller the less a flow is.

        Where flows are so far apart that the equations are all but singular, their roots help.
        """
        flows, least = self.point.v, self._least.at(self.point.x)[0]
        for power in (1.0, 0.5):
            sizes = self.point.v**power
            self._normal.update(sizes, np.zeros(self.flow.shape[1]))
            for _ in range(REPAIRS):
                missing = self._into @ (least + flows)
                if self._imbalance(least + flows, missing) <= BALANCED:
                    return flows
                change = sizes * (self._out_of @ self._normal.solve(-missing, FINE))
                flows = np.maximum(flows + change, 0.0)
        return flows

    def _imbalance(self, weights: FloatArray, missing: FloatArray) -> float:
        """As :meth:`Flow.imbalance`, from what is missing in each state, N'w, without the walk."""
        out = np.bincount(self.flow.leaves, self.flow.leaving * weights, self.flow.shape[1])
        return float((np.abs(missing) / np.where(out > 0.0, out, 1.0)).max())


def is_entangled(flow: Flow) -> bool:
    """Whether bases fill in, as they do on random graphs and not on lines, grids and trees.

    States that one pair leads to are neighbours of each other: no numbering keeps many of them
    close, as after smoothing, where each pair leads to every state.
    """
    if np.diff(flow.equations.indptr).max() - 1 > FAR * flow.shape[1]:
        return True
    graph = sparse.csr_matrix(abs(flow.equations).T @ abs(flow.equations))
    order = csgraph.reverse_cuthill_mckee(graph, symmetric_mode=True)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    entries = graph.tocoo()
    return bool(np.abs(place[entries.row] - place[entries.col]).max() > FAR * len(order))
