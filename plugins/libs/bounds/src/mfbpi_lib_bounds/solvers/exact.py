"""The programme of :mod:`mfbpi_lib_bounds.solvers.programme` in decimal arithmetic of many digits.

Where some transitions are rare, the flows of one solution can span 30 orders of magnitude and
more, and what leaves a set of states is the difference of flows a million times larger. Doubles
then lose every digit, in whatever way they are scaled. Here the dual simplex method runs with as
many digits as the instance asks for: each solution is checked with the same digits, and found
again with twice as many if it fails. Entries are the off-diagonal probabilities, exactly as they
are stored; the diagonal is minus their sum, so that the equations never contradict each other,
and one of them, which follows from the others, is left out.

It takes thousands of times as long as HiGHS, and is for small instances that HiGHS fails on.
"""

from __future__ import annotations

import decimal
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from mfbpi_core.data.arrays import Array, FloatArray
from mfbpi_core.errors import SolverError
from mfbpi_lib_bounds.solution import Basis, Vertex
from mfbpi_lib_bounds.solvers.flow import Flow

#: Arrays of Decimal; numpy applies the operators of the entries.
Decimals = Array

#: Digits of the first attempt, each twice those of the last, and the most that are tried.
FIRST_DIGITS = 60
MOST_DIGITS = 480

#: Relative error of a solution, in its own digits: what is left must not show in doubles.
EXACT = Decimal("1e-25")

#: Cap on the pivots of one solve, for each pair.
PIVOTS_PER_PAIR = 50

#: Not typed as what they are: numpy's types know no arrays of objects.
ZERO: Any = Decimal(0)
ONE: Any = Decimal(1)


class ExactProgramme:
    """The programme of one instance, which keeps its basis between solves.

    Args:
        flow: the instance; its states must reach each other.
    """

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self._digits = FIRST_DIGITS
        self._tableau: _Tableau | None = None

    def solve(self, least: FloatArray) -> Vertex:
        """Solve for the lower bounds ``least`` [n], all positive.

        Raises:
            SolverError: when the solution fails its check with any number of digits.
        """
        while self._digits <= MOST_DIGITS:
            with decimal.localcontext(prec=self._digits, Emin=-(10**6), Emax=10**6):
                self._tableau = self._tableau or _Tableau(self.flow)
                found = self._tableau.solve(_decimals(least))
            if found is not None:
                return found
            self._digits, self._tableau = 2 * self._digits, None
        raise SolverError(
            f"a programme of {len(least)} pairs is not solved in arithmetic of {MOST_DIGITS} digits"
        )

    @property
    def name(self) -> str:
        """The method and its digits."""
        return f"the dual simplex method in {self._digits} digits"

    @property
    def matrix(self) -> sparse.csr_array:
        """N, [n, m], in doubles."""
        return self.flow.equations

    @property
    def basis(self) -> Basis | None:
        """Where the last solve ended."""
        return None if self._tableau is None else self._tableau.basis


class _Tableau:
    """The state of the dual simplex method: minimise sum(v) with A v = b, v >= 0, v = w - least.

    A [m - 1, n] has a row for each state but the last, and one column for each pair. The first
    basis is made of m - 1 further columns, of the identity, which leave it and never come back;
    it is dual feasible, and so is every later one, whatever b is.
    """

    def __init__(self, flow: Flow) -> None:
        n_pairs, n_states = flow.shape
        self.n_pairs, self.size = n_pairs, n_states - 1
        self.columns = [_column(flow, pair) for pair in range(n_pairs)]
        self.filled = np.array([i for i, (rows, _) in enumerate(self.columns) if len(rows)])
        parts = [self.columns[i] for i in self.filled]
        self.rows = np.concatenate([rows for rows, _ in parts])
        self.entries = np.concatenate([entries for _, entries in parts])
        self.starts = np.cumsum([0] + [len(rows) for rows, _ in parts[:-1]])
        self.basic = np.arange(n_pairs, n_pairs + self.size)  # >= n_pairs: of the identity
        self.inverse = np.where(np.eye(self.size, dtype=bool), ONE, ZERO)  # of the basic columns
        self.costs = np.full(n_pairs, ONE)  # reduced costs, 0 or more
        self.noise = ONE.scaleb(-2 * decimal.getcontext().prec // 3)

    def solve(self, least: Decimals) -> Vertex | None:
        """The optimum for other lower bounds [n]; None where more digits are needed."""
        goal = -self._times(least)
        scale = np.append(least, self._sizes(least))
        values = self.inverse @ goal
        for _ in range(PIVOTS_PER_PAIR * self.n_pairs):
            row = self._leaving(values, scale)
            if row is None:
                return self._checked(values, least, goal)
            entering, step = self._entering(row, values[row] < 0)
            if entering is None:
                return None
            values = self._pivot(row, entering, step, values)
        return None

    @property
    def basis(self) -> Basis:
        """The basis as HiGHS writes it: 1 for basic, 0 for at its bound; the last row is basic."""
        columns = np.zeros(self.n_pairs, dtype=np.int8)
        columns[self.basic[self.basic < self.n_pairs]] = 1
        rows = np.zeros(self.size + 1, dtype=np.int8)
        rows[self.basic[self.basic >= self.n_pairs] - self.n_pairs] = 1
        rows[self.size] = 1
        return Basis(columns=columns, rows=rows)

    def _leaving(self, values: Decimals, scale: Decimals) -> int | None:
        """The basic variable that is outside its bounds most, relative to its scale."""
        excess = values / scale[self.basic]
        outside = np.where(self.basic >= self.n_pairs, abs(excess), -excess)
        row = int(np.argmax(outside)) if self.size else 0
        return row if self.size and outside[row] > EXACT else None

    def _entering(self, row: int, below: bool) -> tuple[int | None, Decimals]:
        """The pair that enters for a basic variable, so that no cost turns negative."""
        along = self._row(self.inverse[row])  # [n], row of the tableau
        reach = -along if below else along
        allowed = np.flatnonzero(reach > self.noise * max(abs(self.inverse[row])))
        allowed = allowed[~np.isin(allowed, self.basic)]
        if not len(allowed):
            return None, along
        ratios = self.costs[allowed] / reach[allowed]
        tied = allowed[ratios <= min(ratios)]
        return int(tied[np.argmax(reach[tied])]), along

    def _pivot(self, row: int, entering: int, along: Decimals, values: Decimals) -> Decimals:
        """Exchange the basic variable of a row; the new values of the basic variables."""
        rows, entries = self.columns[entering]
        column = self.inverse[:, rows] @ entries
        share = self.costs[entering] / along[entering]
        self.costs = np.maximum(self.costs - share * along, ZERO)
        self.costs[entering] = ZERO
        self.inverse[row] = self.inverse[row] / column[row]
        value = values[row] / column[row]
        others = np.flatnonzero((column != 0) & (np.arange(self.size) != row))
        support = np.flatnonzero(self.inverse[row] != 0)
        update = np.outer(column[others], self.inverse[row, support])
        self.inverse[np.ix_(others, support)] -= update
        values[others] -= column[others] * value
        values[row] = value
        self.basic[row] = entering
        return values

    def _checked(self, values: Decimals, least: Decimals, goal: Decimals) -> Vertex | None:
        """The solution, if its flows balance and its reduced costs are those of its dual."""
        own = self.basic < self.n_pairs
        extra = np.full(self.n_pairs, ZERO)
        extra[self.basic[own]] = np.maximum(values[own], ZERO)
        dual = np.where(own, ONE, ZERO) @ self.inverse if self.size else np.full(0, ZERO)
        costs = ONE - self._row(dual)
        weights = least + extra
        missed = abs(self._times(extra) - goal) - EXACT * self._sizes(weights)
        nonbasic = np.setdiff1d(np.arange(self.n_pairs), self.basic)
        wrong = [*abs(costs[self.basic[own]]), *(-costs[nonbasic])]
        if any(entry > 0 for entry in missed) or any(entry > EXACT for entry in wrong):
            return None
        costs[self.basic[own]] = ZERO
        return Vertex(
            weights=weights.astype(np.float64),
            costs=np.maximum(costs, ZERO).astype(np.float64),
        )

    def _row(self, multipliers: Decimals) -> Decimals:
        """Multipliers [m - 1] times A, [n]."""
        product = np.full(self.n_pairs, ZERO)
        if self.size:
            product[self.filled] = np.add.reduceat(
                multipliers[self.rows] * self.entries, self.starts
            )
        return product

    def _times(self, weights: Decimals) -> Decimals:
        """A times weights [n], [m - 1]."""
        return self._sum(weights, self.entries)

    def _sizes(self, weights: Decimals) -> Decimals:
        """Half of |A| times weights [n], [m - 1]: what leaves each state, if flows balance."""
        return self._sum(weights, abs(self.entries)) / 2

    def _sum(self, weights: Decimals, entries: Decimals) -> Decimals:
        lengths = np.diff(np.append(self.starts, len(entries)))
        total = np.full(self.size, ZERO)
        np.add.at(total, self.rows, np.repeat(weights[self.filled], lengths) * entries)
        return total


def _column(flow: Flow, pair: int) -> tuple[npt.NDArray[np.int64], Decimals]:
    """Rows and entries of the column of a pair: what leaves its state, what arrives elsewhere."""
    moves: sparse.csr_array = flow.moves
    span = slice(moves.indptr[pair], moves.indptr[pair + 1])
    others, entries = moves.indices[span].astype(np.int64), _decimals(moves.data[span])
    if not len(others):
        return others, entries
    rows = np.append(others, flow.leaves[pair])
    column = np.append(-entries, entries.sum())
    kept = rows < flow.shape[1] - 1  # the equation of the last state follows from the others
    return rows[kept], column[kept]


def _decimals(numbers: FloatArray) -> Decimals:
    """The same numbers, exactly."""
    made = np.empty(len(numbers), dtype=object)
    made[:] = [Decimal(float(number)) for number in numbers]
    return made
