"""Bounds as the commands use them: built by name, evaluated anywhere, written as JSON."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from mfbpi.plan.selection import Chosen
from mfbpi_core.contracts.bound import Bound, BoundSolution, Constraint
from mfbpi_core.data import flow
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.errors import UsageError
from mfbpi_core.plugins import assembly, bounding


def build(choice: Chosen, discount: float) -> Bound:
    """Build a bound for a discount; raises :class:`UsageError` for wrong parameters."""
    return assembly.bound(choice.plugin, choice.ref().config, discount)


def evaluated(
    bound: Bound, mdp: TabularMDP, allocation: npt.NDArray[np.float64], constraint: Constraint
) -> BoundSolution:
    """The bound at a given allocation.

    Raises:
        UsageError: when no walk follows the allocation and the constraint is navigation.
    """
    residual = flow.flow_residual(mdp, allocation) if constraint == "navigation" else 0.0
    if residual > flow.ROUNDING:
        raise UsageError(
            f"no walk follows this allocation: it violates a flow equation by {residual:.2g}; "
            "give another, or `constraint='generative'`"
        )
    value = bounding.evaluated(bound, mdp, allocation)
    infinite = math.isinf(value)
    return BoundSolution(
        value=value,
        allocation=allocation,
        status="infinite" if infinite else "evaluated",
        relative_gap=math.nan,
        residual=residual,
        solver="numpy",
        reason=_why_infinite(bound, mdp) if infinite else "",
    )


def _why_infinite(bound: Bound, mdp: TabularMDP) -> str:
    """Infinite at every allocation, for the reason that the bound gives; or at this one only."""
    return bounding.solved(bound, mdp).reason or "the allocation never samples a pair that matters"


def as_json(solution: BoundSolution) -> JsonObject:
    """A solution as the commands print it."""
    allocation = solution.allocation
    return {
        "value": solution.value,
        "allocation": None if allocation is None else allocation.tolist(),
        "status": solution.status,
        "relative_gap": solution.relative_gap,
        "residual": solution.residual,
        "solver": solution.solver,
        "reason": solution.reason,
        "details": solution.details,
    }
