"""The base of the bound plugins: coefficients in, certified minimum out.

Terminal states take no decision: they get no samples and enter no maximum, although their value
(zero) counts in the spans. With navigation constraints, a walk that ends an episode goes on from
the initial distribution.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import ClassVar, TypeVar

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core.contracts.bound import Bound, BoundSolution, Constraint
from mfbpi_core.contracts.parameters import parameter
from mfbpi_core.data.arrays import FloatArray
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.errors import UsageError
from mfbpi_lib_bounds import generative, navigation, units
from mfbpi_lib_bounds.coefficients import (
    Coefficients,
    discrepancy,
    evaluate,
    out_of_range,
    within_range,
)
from mfbpi_lib_bounds.instance import PlannedInstance
from mfbpi_lib_bounds.leaning import Leaning
from mfbpi_lib_bounds.navigation import OPTIMAL_GAP, OPTIMAL_RESIDUAL
from mfbpi_lib_bounds.planned import Quantities
from mfbpi_lib_bounds.solution import Solution
from mfbpi_lib_bounds.solvers import programme
from mfbpi_lib_tabular.solution import moments

#: An allocation may miss the simplex by this much.
SIMPLEX_TOLERANCE = 1e-6


@attrs.frozen(kw_only=True)
class SolverConfig:
    """How a bound is minimised; the ``Config`` of each bound extends it."""

    method: str = parameter(
        "exact",
        "exact: certified scalar search and linear programmes; conic: a convex solver, as a check",
        choices=("exact", "conic"),
    )
    solver: str = parameter("CLARABEL", "convex solver of method=conic, as cvxpy calls it")
    epsilon: float = parameter(
        0.0, "loss of value that is accepted; above 0 the bound is finite with ties, too", ge=0.0
    )


@attrs.frozen(kw_only=True)
class MomentsConfig(SolverConfig):
    """The ``Config`` of a bound by the largest of several moments extends this one."""

    k_max: int = parameter(
        moments.K_MAX,
        "largest k of the supremum over moments; 1: the variance alone",
        ge=1,
        le=40,
        source="Russo & Proutiere 2023, numerical experiments",
    )


S = TypeVar("S", bound=SolverConfig)


class TabularBound(Bound[S]):
    """A bound of the form of :mod:`mfbpi_lib_bounds.coefficients`."""

    #: The confusing models for which the bound holds, in words.
    covers: ClassVar[str] = ""

    #: Whether each coefficient is a convex function of how far an instance leans to the hardest
    #: (:mod:`.leaning`), as sums, products and maxima of powers of gaps and moments are; a minimum
    #: is not. What is unknown then shows at the hardest end alone.
    convex: ClassVar[bool] = False

    def __init__(self, discount: float, config: S) -> None:
        super().__init__(discount, config)
        self._asked: TabularMDP | None = None
        self._instance: PlannedInstance | None = None
        self._coefficients: Coefficients | None = None

    @abstractmethod
    def coefficients(self, of: PlannedInstance) -> Coefficients:
        """The coefficients of this bound for an instance without ties."""

    def evaluate(self, mdp: TabularMDP, allocation: npt.NDArray[np.float64]) -> float:
        """Value of the bound at ``allocation`` [S, A]; ``inf`` with ties or pairs left out.

        Raises:
            UsageError: when the allocation is not a distribution over the pairs.
            SolverError: when a gap is too small to be told from zero, or numbers leave the range of
                double precision.
        """
        weights = _check_allocation(mdp, allocation)
        instance = self._planned(mdp)
        if instance.tie_reason():
            return math.inf
        return evaluate(self._prepared(instance), weights)

    def solve(self, mdp: TabularMDP, constraint: Constraint = "generative") -> BoundSolution:
        """Minimise over allocations; see :class:`mfbpi_core.contracts.bound.Bound`.

        Raises:
            UsageError: when the constraint is unknown.
            SolverError: when a gap is too small to be told from zero, when numbers leave the range
                of double precision, or when a solver fails.
        """
        if constraint not in ("generative", "navigation"):
            raise UsageError(
                f"the constraint is {constraint!r}; expected 'generative' or 'navigation'"
            )
        instance = self._planned(mdp)
        tie = instance.tie_reason()
        if tie:
            return _infinite(tie, ties=[list(pair) for pair in instance.separation.ties])
        obstacle = instance.navigation_reason() if constraint == "navigation" else ""
        if obstacle:
            return _infinite(obstacle)
        solve = self._solve_conic if self.config.method == "conic" else self._solve_exact
        with np.errstate(over="ignore", invalid="ignore"):
            try:
                found = solve(instance, constraint)
            except ArithmeticError as error:
                raise out_of_range() from error
        if not math.isfinite(found.value):
            raise out_of_range()
        return attrs.evolve(found, details={**found.details, "covers": self.covers})

    def _solve_exact(self, instance: PlannedInstance, constraint: Constraint) -> BoundSolution:
        coefficients, doubt = self._prepared(instance), self._doubt(instance)
        if constraint == "generative":
            return certified(generative.minimise(coefficients), "scalar search", doubt)
        found = navigation.minimise(coefficients, instance.walk)
        return certified(found, f"scalar search over {found.solver or programme.version()}", doubt)

    def _solve_conic(self, instance: PlannedInstance, constraint: Constraint) -> BoundSolution:
        # cvxpy takes a second to import and is an optional dependency.
        try:
            from mfbpi_lib_convex import conic
        except ImportError as error:
            raise UsageError(
                f"method=conic needs the package mfbpi-lib-convex ({error}); install it, or use "
                "method=exact"
            ) from error
        coefficients = self._prepared(instance)
        walk = instance.walk if constraint == "navigation" else None
        found = conic.minimise(coefficients, walk, solver=self.config.solver)
        doubt = self._doubt(instance)
        if found.status != "optimal" or doubt <= OPTIMAL_GAP:
            return found
        return attrs.evolve(found, status="inaccurate", reason=_planning_reason(doubt))

    def _doubt(self, instance: PlannedInstance) -> float:
        """Largest relative error of a coefficient that the errors of planning can cause.

        A bound is a maximum of sums of coefficients over weights (:mod:`.coefficients`). Where
        none of them is off by more than this, neither is the bound at any allocation, nor its
        least value.
        """
        ends = (Leaning.of(instance, sign) for sign in ((1,) if self.convex else (1, -1)))
        found = self._prepared(instance)
        return max(discrepancy(found, self.coefficients(end)) for end in ends)

    def _planned(self, mdp: TabularMDP) -> PlannedInstance:
        """The instance with its plan, kept while the same MDP is asked about.

        Its rewards, and the accepted loss, are in units of the range of rewards: the bounds are
        meant for rewards in [0, 1].
        """
        if self._instance is None or self._asked is not mdp:
            self._asked = mdp
            epsilon = self.config.epsilon / units.unit(mdp)
            self._instance = PlannedInstance(
                mdp=units.scaled(mdp), discount=self.discount, epsilon=epsilon
            )
            self._coefficients = None
        return self._instance

    def _prepared(self, instance: PlannedInstance) -> Coefficients:
        if self._coefficients is None:
            self._coefficients = within_range(lambda: self.coefficients(instance))
        return self._coefficients


class QuantitiesBound(TabularBound[S]):
    """A bound that needs no more than the quantities of an instance: estimates of them will do."""

    @abstractmethod
    def coefficients(self, of: Quantities) -> Coefficients:
        """The coefficients of this bound from the quantities of an instance without ties."""


def certified(found: Solution, solver: str, doubt: float = 0.0) -> BoundSolution:
    """The core's view of an exact solution, which says so where its certificate is too weak.

    Args:
        found: the solution for the coefficients as computed.
        solver: name and version.
        doubt: relative error of the coefficients, see :meth:`TabularBound._doubt`. With it the
            least value is at least lower (1 - doubt), and that of the allocation at most
            value (1 + doubt).
    """
    lower = found.lower * (1.0 - min(doubt, 1.0))
    gap = max(attrs.evolve(found, lower=lower).relative_gap, doubt if found.value > 0.0 else 0.0)
    weak = gap > OPTIMAL_GAP or found.residual > OPTIMAL_RESIDUAL
    reason = (
        f"relative gap {gap:.1e} and residual {found.residual:.1e}; expected at most "
        f"{OPTIMAL_GAP:g} and {OPTIMAL_RESIDUAL:g}"
    )
    if doubt > OPTIMAL_GAP:
        reason = f"{_planning_reason(doubt)}; {reason}"
    return BoundSolution(
        value=found.value,
        allocation=found.allocation,
        status="inaccurate" if weak else "optimal",
        relative_gap=gap,
        residual=found.residual,
        solver=solver,
        reason=reason if weak else "",
        details={
            "lower_bound": lower,
            "n_programmes": found.n_programmes,
            "planning_error": doubt,
        },
    )


def _planning_reason(doubt: float) -> str:
    return (
        f"planning error: gaps and moments of V* are known to a relative {doubt:.1e} of the bound; "
        f"expected at most {OPTIMAL_GAP:g} (a discount further from 1, or larger gaps)"
    )


def _infinite(reason: str, **details: object) -> BoundSolution:
    return BoundSolution(
        value=math.inf,
        allocation=None,
        status="infinite",
        relative_gap=0.0,
        residual=0.0,
        solver="none",
        reason=reason,
        details=details,
    )


def _check_allocation(mdp: TabularMDP, allocation: npt.ArrayLike) -> FloatArray:
    weights = np.asarray(allocation, dtype=np.float64)
    shape = (mdp.n_states, mdp.n_actions)
    if weights.shape != shape:
        raise UsageError(f"the allocation has shape {weights.shape}; expected [S, A] = {shape}")
    total = float(weights.sum())
    if not (weights >= 0.0).all() or not abs(total - 1.0) <= SIMPLEX_TOLERANCE:
        raise UsageError(
            f"the allocation has minimum {weights.min():.6g} and sum {total:.10g}; "
            "expected a distribution: entries of 0 or more that sum to 1"
        )
    return weights
