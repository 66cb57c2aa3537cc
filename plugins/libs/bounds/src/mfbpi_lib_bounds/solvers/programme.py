"""The linear programme of the navigation constraints, kept in HiGHS between solves.

    minimise sum(w)  subject to  N'w = 0,  w >= least,

with one row of N for each pair: N[(s, a), s'] = 1{s = s'} - P(s' | s, a), so that N'w = 0 are
the flow equations sum_a w(s, a) = sum_{s', a'} P(s | s', a') w(s', a'). Only the lower bounds
differ from solve to solve, so that the last basis stays dual feasible and a few pivots are
enough.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib import metadata

import attrs
import highspy
import numpy as np
from scipy import sparse

from mfbpi_core.data.arrays import FloatArray
from mfbpi_core.errors import SolverError
from mfbpi_lib_bounds.solution import Basis, Vertex
from mfbpi_lib_bounds.solvers.certificate import blur, reduced_costs
from mfbpi_lib_bounds.solvers.flow import Flow

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

#: Relative shortfalls up to this are rounding, and up to this share of the gap asked for they are
#: not worth another programme: a value is always that of the weights as they are.
ROUNDING = 1e-14
NEGLIGIBLE = 1e-6


@attrs.frozen(kw_only=True)
class Tactic:
    """One way to solve the programme.

    Attributes:
        options: of HiGHS, in place of some of :data:`OPTIONS`.
        careful: with the equations of :mod:`mfbpi_lib_bounds.solvers.flow`, and without the last,
            which follows from the others and would contradict them where a rounded sum of numbers
            of many sizes decides.
    """

    options: Mapping[str, bool | int | float | str] = attrs.field(factory=dict)
    careful: bool = True


#: What to try, one after the other, until a solution passes its checks. The first is the fastest
#: and can start from an earlier basis; each later one starts from scratch. The interior point
#: method of HiGHS 1.16 is not among them: on badly scaled programmes it writes out of bounds.
TACTICS = (
    Tactic(careful=False),
    Tactic(options={"simplex_scale_strategy": 0}),
    Tactic(options={"presolve": "on"}),
    Tactic(options={"simplex_scale_strategy": 0, "simplex_strategy": 4}),  # primal simplex
)


class _Quiet(highspy.Highs):
    """HiGHS, which otherwise greets on standard output before its options can be set."""

    def enableCallbacks(self) -> None:  # noqa: N802 - the solver's name for what its set-up does
        """Turn output off instead; callbacks are not used."""
        self.silent()


class Programme:
    """The programme of one instance.

    Args:
        flow: the instance.
        basis: where to start, from an earlier solve of a like instance.
        tactic: how to solve it.
        gap: relative gap of the bound that is asked for.
    """

    def __init__(
        self,
        flow: Flow,
        basis: Basis | None = None,
        tactic: Tactic = TACTICS[0],
        gap: float = 0.0,
    ) -> None:
        self._shortfall = max(ROUNDING, NEGLIGIBLE * gap)
        self.matrix = flow.equations if tactic.careful else flow.difference
        self._highs = _Quiet()  # type: ignore[no-untyped-call] # not annotated there
        for option, setting in {**OPTIONS, **tactic.options}.items():
            self._highs.setOptionValue(option, setting)
        _pass_model(self._highs, self.matrix)
        if tactic.careful:
            last = flow.shape[1] - 1
            self._highs.changeRowBounds(last, -highspy.kHighsInf, highspy.kHighsInf)
        if basis is not None and len(basis.columns) == flow.shape[0]:
            self._highs.setBasis(_to_highs(basis))

    def solve(self, least: FloatArray) -> Vertex:
        """Solve for the lower bounds ``least`` [n], all positive.

        Raises:
            SolverError: when HiGHS does not call the result optimal.
        """
        weights, dual = self._solve(least)
        costs = reduced_costs(self.matrix, dual)
        short = np.maximum(least - weights, 0.0)
        if (short > self._shortfall * least).any():
            weights += self._repair(short)
        return Vertex(weights=weights, costs=costs, blur=blur(self.matrix, dual, least, weights))

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
    def name(self) -> str:
        """Name and version of HiGHS."""
        return version()

    @property
    def basis(self) -> Basis:
        """Where the last solve ended."""
        basis = self._highs.getBasis()
        return Basis(
            columns=np.array([int(status) for status in basis.col_status], dtype=np.int8),
            rows=np.array([int(status) for status in basis.row_status], dtype=np.int8),
        )


@functools.cache
def version() -> str:
    """Name and version of the solver; reading it takes as long as a small programme."""
    return f"HiGHS {metadata.version('highspy')}"


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


def _to_highs(basis: Basis) -> highspy.HighsBasis:
    """The basis in the solver's own types."""
    kinds = [highspy.HighsBasisStatus(i) for i in range(5)]
    made = highspy.HighsBasis()
    made.col_status = [kinds[i] for i in basis.columns]
    made.row_status = [kinds[i] for i in basis.rows]
    made.valid = True
    made.alien = True  # HiGHS repairs it if the instance has changed too much
    return made
