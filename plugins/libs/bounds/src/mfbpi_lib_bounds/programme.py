"""The linear programme of the navigation constraints, kept in HiGHS between solves.

    minimise sum(w)  subject to  N'w = 0,  w >= least,

with one row of N for each pair: N[(s, a), s'] = 1{s = s'} - P(s' | s, a), so that N'w = 0 are
the flow equations sum_a w(s, a) = sum_{s', a'} P(s | s', a') w(s', a'). Only the lower bounds
differ from solve to solve, so that the last basis stays dual feasible and a few pivots are
enough.
"""

from __future__ import annotations

from importlib import metadata

import attrs
import highspy
import numpy as np
import numpy.typing as npt
from scipy import sparse

from mfbpi_core.errors import SolverError
from mfbpi_lib_bounds.solution import Basis

FloatArray = npt.NDArray[np.float64]

#: Options of HiGHS: warm starts need the simplex method on the model as it is.
OPTIONS: dict[str, bool | int | float | str] = {
    "output_flag": False,
    "presolve": "off",
    "solver": "simplex",
    "parallel": "off",
    "threads": 1,
    "small_matrix_value": 1e-12,  # rarer transitions would be dropped, and with them states
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
}

#: Relative shortfalls up to this are rounding.
ROUNDING = 1e-14


@attrs.frozen(kw_only=True, eq=False)
class Vertex:
    """The solution of one programme.

    Attributes:
        weights: float64 [n], w.
        costs: float64 [n], reduced costs 1 - N y, 0 or more: for every vector of lower bounds
            the least sum(w) is at least their product with these.
    """

    weights: FloatArray
    costs: FloatArray


class _Quiet(highspy.Highs):
    """HiGHS, which otherwise greets on standard output before its options can be set."""

    def enableCallbacks(self) -> None:  # noqa: N802 - the solver's name for what its set-up does
        """Turn output off instead; callbacks are not used."""
        self.silent()


class Programme:
    """The programme of one instance.

    Args:
        walk: stochastic [n, m], where a walk is after each pair; row (s, a) is s A + a.
        n_actions: A, with n = m A.
        basis: where to start, from an earlier solve of a like instance.
    """

    def __init__(self, walk: sparse.csr_array, n_actions: int, basis: Basis | None = None) -> None:
        self.flow = _flow(walk, n_actions)
        self._highs = _Quiet()  # type: ignore[no-untyped-call] # not annotated there
        for option, setting in OPTIONS.items():
            self._highs.setOptionValue(option, setting)
        _pass_model(self._highs, self.flow)
        if basis is not None and len(basis.columns) == walk.shape[0]:
            self._highs.setBasis(_to_highs(basis))

    def solve(self, least: FloatArray) -> Vertex:
        """Solve for the lower bounds ``least`` [n], all positive.

        Raises:
            SolverError: when HiGHS does not call the result optimal.
        """
        weights, dual = self._solve(least)
        costs = _reduced_costs(self.flow, dual)
        short = np.maximum(least - weights, 0.0)
        if (short > ROUNDING * least).any():
            weights += self._repair(short)
        return Vertex(weights=weights, costs=costs)

    def _repair(self, short: FloatArray) -> FloatArray:
        """Further weights [n] that make up for what is missing, at the least cost.

        HiGHS lets a bound be missed by its tolerance, which is much for the smallest bounds;
        what is missing is a programme of the same kind on its own scale.
        """
        basis = self._highs.getBasis()
        weights, _ = self._solve(short)
        self._highs.setBasis(basis)
        return weights

    def _solve(self, least: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Weights [n] and dual [m] of one programme."""
        scale = float(least.mean())  # tolerances of HiGHS are absolute
        index = np.arange(len(least), dtype=np.int32)
        self._highs.changeColsBounds(
            len(least), index, least / scale, np.full(len(least), highspy.kHighsInf)
        )
        self._highs.run()
        status = self._highs.getModelStatus()
        if status != highspy.HighsModelStatus.kOptimal:
            raise SolverError(
                f"{version()} ends a programme of {len(least)} pairs with status "
                f"{self._highs.modelStatusToString(status)!r}; expected 'Optimal'"
            )
        solution = self._highs.getSolution()
        return np.array(solution.col_value) * scale, np.array(solution.row_dual)

    @property
    def basis(self) -> Basis:
        """Where the last solve ended."""
        basis = self._highs.getBasis()
        return Basis(
            columns=np.array([int(status) for status in basis.col_status], dtype=np.int8),
            rows=np.array([int(status) for status in basis.row_status], dtype=np.int8),
        )

    def residual(self, weights: FloatArray) -> float:
        """Largest violation of a flow equation by weights [n]."""
        return float(np.abs(weights @ self.flow).max())


def version() -> str:
    """Name and version of the solver."""
    return f"HiGHS {metadata.version('highspy')}"


def _flow(walk: sparse.csr_array, n_actions: int) -> sparse.csr_array:
    """N, [n, m]."""
    n_pairs, n_states = walk.shape
    leaves = np.repeat(np.arange(n_states), n_actions)
    ones = sparse.csr_array((np.ones(n_pairs), leaves, np.arange(n_pairs + 1)), shape=walk.shape)
    flow = (ones - walk).tocsr()
    flow.sort_indices()
    return flow


def _pass_model(highs: highspy.Highs, flow: sparse.csr_array) -> None:
    """Hand over the programme with lower bounds 0; a row of N is a column for HiGHS.

    As arrays: a model object would be filled entry by entry, which takes ten times as long.
    """
    n_pairs, n_states = flow.shape
    zeros, infinite = np.zeros(n_pairs), np.full(n_pairs, highspy.kHighsInf)
    balance = np.zeros(n_states)
    highs.passModel(
        n_pairs,
        n_states,
        flow.nnz,
        int(highspy.MatrixFormat.kColwise),
        int(highspy.ObjSense.kMinimize),
        0.0,  # offset of the objective
        np.ones(n_pairs),
        zeros,
        infinite,
        balance,
        balance,
        flow.indptr.astype(np.int32),
        flow.indices.astype(np.int32),
        flow.data,
        np.zeros(n_pairs, dtype=np.int32),  # no integer variables
    )


def _reduced_costs(flow: sparse.csr_array, dual: FloatArray) -> FloatArray:
    """1 - N y for y scaled down until no entry is negative beyond rounding."""
    load = flow @ dual
    costs: FloatArray = np.maximum(1.0 - load / max(1.0, float(load.max())), 0.0)
    return costs


def _to_highs(basis: Basis) -> highspy.HighsBasis:
    """The basis in the solver's own types."""
    kinds = [highspy.HighsBasisStatus(i) for i in range(5)]
    made = highspy.HighsBasis()
    made.col_status = [kinds[i] for i in basis.columns]
    made.row_status = [kinds[i] for i in basis.rows]
    made.valid = True
    made.alien = True  # HiGHS repairs it if the instance has changed too much
    return made
