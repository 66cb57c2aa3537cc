"""What the exact solver returns."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt


@attrs.frozen(kw_only=True, eq=False)
class Basis:
    """Where the simplex method ended, so that it can start there again.

    Attributes:
        columns: int8 [n], status of each pair in a state that acts.
        rows: int8 [m], status of the flow equation of each such state.
    """

    columns: npt.NDArray[np.int8]
    rows: npt.NDArray[np.int8]


@attrs.frozen(kw_only=True, eq=False)
class WarmStart:
    """Where a search ended, from which that of a like problem can begin.

    Attributes:
        x: rho - max d at the optimum, see :mod:`mfbpi_lib_bounds.scalar`.
        basis: of the last programme; None without navigation constraints.
    """

    x: float
    basis: Basis | None


@attrs.frozen(kw_only=True, eq=False)
class Vertex:
    """The solution of one linear programme.

    Attributes:
        weights: float64 [n], w.
        costs: float64 [n], reduced costs 1 - N y, 0 or more: for every vector of lower bounds
            the least sum(w) is at least their product with these.
        blur: how much of that least sum, as a share of it, rounding may have added.
    """

    weights: npt.NDArray[np.float64]
    costs: npt.NDArray[np.float64]
    blur: float = 0.0


@attrs.frozen(kw_only=True, eq=False)
class Solution:
    """A bound minimised over allocations.

    Attributes:
        value: U at ``allocation``, recomputed from the definition.
        allocation: float64 [S, A], a distribution.
        lower: certified lower bound on the least value.
        residual: largest violation of a flow equation; 0 without navigation constraints.
        n_programmes: number of linear programmes solved.
        x: rho - max d at the optimum, see :mod:`mfbpi_lib_bounds.scalar`.
        basis: of the last programme; None without navigation constraints.
        solver: of the programmes, name and version; empty where there are none.
    """

    value: float
    allocation: npt.NDArray[np.float64]
    lower: float
    residual: float
    n_programmes: int
    x: float
    basis: Basis | None
    solver: str = ""

    @property
    def end(self) -> WarmStart:
        """Where the search ended."""
        return WarmStart(x=self.x, basis=self.basis)

    @property
    def relative_gap(self) -> float:
        """Certified (value - lower) / value, 0 or more."""
        return max(self.value - self.lower, 0.0) / self.value if self.value > 0.0 else 0.0
