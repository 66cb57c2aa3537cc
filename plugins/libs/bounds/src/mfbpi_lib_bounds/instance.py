"""What the bounds need to know of an instance, and why they may be infinite."""

from __future__ import annotations

import functools

import attrs
import numpy as np
import numpy.typing as npt
from scipy import sparse

from mfbpi_core.data.arrays import FloatArray
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.errors import SolverError
from mfbpi_core.text import NAMED, listed
from mfbpi_lib_tabular.analysis import structure
from mfbpi_lib_tabular.solution import gaps, lumping, planning
from mfbpi_lib_tabular.solution.spread import Spread


@attrs.frozen(kw_only=True, eq=False)
class PlannedInstance:
    """An MDP at a discount, planned.

    Attributes:
        mdp: the instance.
        discount: gamma, in (0, 1).
        epsilon: loss of value that is accepted, 0 or more. A policy is then told from those that
            lose more, and each gap counts as larger by epsilon (1-g).
    """

    mdp: TabularMDP
    discount: float
    epsilon: float = 0.0
    _roots: dict[tuple[int, bool], FloatArray] = attrs.field(factory=dict, init=False)

    @functools.cached_property
    def separation(self) -> gaps.Separation:
        """Optimal policy and values, gaps, ties and unresolved pairs."""
        plan = planning.solve(self.mdp, self.discount, rough=True)  # refined next
        return gaps.separate(self.mdp, plan, self.discount)

    @functools.cached_property
    def walk(self) -> sparse.csr_array:
        """Where a walk is after each pair, [S A, S]; episodes restart."""
        return structure.walk(self.mdp)

    @property
    def policy(self) -> npt.NDArray[np.int64]:
        """Int64 [S], an optimal policy."""
        return self.separation.policy

    @property
    def gaps(self) -> FloatArray:
        """Delta(s, a) + epsilon (1-g), float64 [S, A], 0 or more."""
        return self.separation.gaps + self.epsilon * (1.0 - self.discount)

    @property
    def acting(self) -> npt.NDArray[np.bool_]:
        """Bool [S], states that take decisions."""
        return ~self.mdp.terminal

    @functools.cached_property
    def spread(self) -> Spread:
        """Variances, spans and moments of V* at the next state, with bounds of their errors."""
        return self.separation.spread(self.mdp)

    @property
    def variances(self) -> FloatArray:
        """Var_sa, [S, A]."""
        return self.spread.variances

    @property
    def spans(self) -> FloatArray:
        """MD_sa, [S, A]."""
        return self.spread.spans

    @property
    def value_span(self) -> float:
        """Largest less least V* over all states, terminal ones included."""
        return float(np.ptp(self.separation.values))

    def moment_terms(self, k: int) -> FloatArray:
        """(M^k_sa)^(2^(1-k)), [S, A]."""
        return self.moment_roots(k, largest=False) ** 2

    def largest_moment_terms(self, k_max: int) -> FloatArray:
        """The largest moment terms over k = 1..k_max, [S, A]."""
        return self.moment_roots(k_max, largest=True) ** 2

    def moment_roots(self, k: int, *, largest: bool) -> FloatArray:
        """(M^k_sa)^(2^-k), or its largest value up to k, [S, A]; kept."""
        if (k, largest) not in self._roots:
            roots = self.spread.largest_roots if largest else self.spread.roots
            self._roots[k, largest] = roots(k)
        return self._roots[k, largest]

    def tie_reason(self) -> str:
        """Why every bound is infinite here; empty if it is not.

        Raises:
            SolverError: when some gap is too small to be told from zero.
        """
        if self.epsilon > 0.0:
            return ""
        found = self.separation
        if found.ties:
            return (
                f"optimal policy not unique: tied pairs {_pairs(found.ties)}; an accepted loss "
                "`epsilon` above 0 makes it finite"
            )
        if found.unresolved:
            raise SolverError(_too_small(self.mdp, found))
        return ""

    def navigation_reason(self) -> str:
        """Why no walk can sample every pair for ever; empty if one can."""
        if not (self.mdp.initial[self.acting] > 0.0).any():
            return "every episode begins in a terminal state, so that no decision is ever taken"
        if structure.is_communicating(self.mdp):
            return ""
        classes = structure.closed_classes(self.mdp)
        if len(classes) > 1:
            named = "; ".join(f"{{{listed(states)}}}" for states in classes[:NAMED])
            return f"a walk cannot leave any of {len(classes)} closed classes of states: {named}"
        transient = np.setdiff1d(np.flatnonzero(self.acting), classes[0])
        return f"a walk leaves states {{{listed(transient)}}} for good; it cannot sample them"


def _too_small(mdp: TabularMDP, found: gaps.Separation) -> str:
    """Which gaps cannot be told from zero, and what one can do."""
    n_pairs = len(found.unresolved)
    remedy = "larger gaps (a smaller instance, or a discount further from 1)"
    numbers = lumping.residues(mdp)
    if numbers:
        remedy = (
            f"0, or more than {2.0 * lumping.sameness(mdp):.0e} (a reward: of the largest), for "
            f"{listed(numbers)}, which can be meant or be what rounding left of a sum such as "
            f"1 - .9 - .1; failing that, {remedy}"
        )
    return (
        f"{n_pairs} {'gap is' if n_pairs == 1 else 'gaps are'} below {found.tolerance:.3g}, what "
        f"double precision can tell from zero here: pairs {_pairs(found.unresolved)}; expected "
        f"{remedy}"
    )


def _pairs(pairs: list[tuple[int, int]]) -> str:
    return listed(pairs, lambda pair: f"(s={pair[0]}, a={pair[1]})")
