"""What the bounds need to know of an instance, and why they may be infinite."""

from __future__ import annotations

import functools

import attrs
import numpy as np
import numpy.typing as npt
from scipy import sparse

from mfbpi_core.errors import SolverError
from mfbpi_core.mdp import TabularMDP
from mfbpi_lib_tabular import gaps, moments, planning, structure

FloatArray = npt.NDArray[np.float64]

#: How many pairs or states a message names before it only counts them.
NAMED = 10


@attrs.frozen(kw_only=True, eq=False)
class Instance:
    """An MDP at a discount, planned.

    Attributes:
        mdp: the instance.
        discount: gamma, in (0, 1).
    """

    mdp: TabularMDP
    discount: float

    @functools.cached_property
    def plan(self) -> planning.Plan:
        """Optimal values and policy."""
        return planning.solve(self.mdp, self.discount)

    @functools.cached_property
    def separation(self) -> gaps.Separation:
        """Gaps, ties and unresolved pairs."""
        return gaps.separate(self.mdp, self.plan, self.discount)

    @functools.cached_property
    def walk(self) -> sparse.csr_array:
        """Where a walk is after each pair, [S A, S]; episodes restart."""
        return structure.walk(self.mdp)

    @property
    def acting(self) -> npt.NDArray[np.bool_]:
        """Bool [S], states that take decisions."""
        return ~self.mdp.terminal

    def moment_terms(self, k: int) -> FloatArray:
        """(M^k_sa)^(2^(1-k)), [S, A]."""
        return moments.moment_terms(self.mdp, self.plan.values, k)

    def largest_moment_terms(self, k_max: int) -> FloatArray:
        """The largest moment terms over k = 1..k_max, [S, A]."""
        return moments.largest_moment_terms(self.mdp, self.plan.values, k_max)

    def tie_reason(self) -> str:
        """Why every bound is infinite here; empty if it is not.

        Raises:
            SolverError: when some gap is too small to be told from zero.
        """
        found = self.separation
        if found.ties:
            return f"optimal policy not unique: tied pairs {_pairs(found.ties)}"
        if found.unresolved:
            raise SolverError(
                f"{len(found.unresolved)} gaps are below {found.tolerance:.3g}, what double "
                f"precision can tell from zero here: pairs {_pairs(found.unresolved)}; expected "
                "larger gaps (a smaller instance, or a discount further from 1)"
            )
        return ""

    def navigation_reason(self) -> str:
        """Why no walk can sample every pair for ever; empty if one can."""
        if structure.is_communicating(self.mdp):
            return ""
        classes = structure.closed_classes(self.mdp)
        if len(classes) > 1:
            named = "; ".join(f"{{{_names(states)}}}" for states in classes[:NAMED])
            return f"a walk cannot leave any of {len(classes)} closed classes of states: {named}"
        transient = np.setdiff1d(np.flatnonzero(self.acting), classes[0])
        return f"a walk leaves states {{{_names(transient)}}} for good; it cannot sample them"


def _pairs(pairs: list[tuple[int, int]]) -> str:
    shown = ", ".join(f"(s={s}, a={a})" for s, a in pairs[:NAMED])
    return shown + (f", ... ({len(pairs)} in all)" if len(pairs) > NAMED else "")


def _names(states: npt.NDArray[np.int64]) -> str:
    shown = ", ".join(str(s) for s in states[:NAMED])
    return shown + (f", ... ({len(states)} in all)" if len(states) > NAMED else "")
