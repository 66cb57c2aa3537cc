"""Bounds as the commands use them: built by name, evaluated anywhere, written as JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mfbpi_core import config as configs
from mfbpi_core.bound import Bound, BoundSolution, Constraint
from mfbpi_core.errors import ConfigError, MfbpiError, UsageError
from mfbpi_core.mdp import TabularMDP
from mfbpi_core.registry import Registry
from mfbpi_run.build import blaming
from mfbpi_run.settings import parse_setting

#: Flow equations may be violated by rounding only.
_FLOW_TOLERANCE = 1e-9


def build(registry: Registry, name: str, settings: Sequence[str], discount: float) -> Bound:
    """Build a bound from its name and ``KEY=VALUE`` texts; raises :class:`UsageError`."""
    plugin = registry.get("bound", name)
    parsed = [parse_setting("-B", text) for text in settings]
    with blaming(plugin):
        config_class = plugin.load_config()
        try:
            config = configs.parse(config_class, {s.key: s.value for s in parsed})
        except MfbpiError as error:
            raise ConfigError(f"bound {name}: {error}") from error
        built: Bound = plugin.load_factory()(discount, config)
    return built


def evaluated(
    bound: Bound, mdp: TabularMDP, allocation: npt.NDArray[np.float64], constraint: Constraint
) -> BoundSolution:
    """The bound at a given allocation, which must satisfy the constraint."""
    residual = flow_residual(mdp, allocation) if constraint == "navigation" else 0.0
    if residual > _FLOW_TOLERANCE:
        raise UsageError(
            f"no walk follows this allocation: it violates a flow equation by {residual:.2g}; "
            "give another, or --constraint generative"
        )
    value = bound.evaluate(mdp, allocation)
    infinite = math.isinf(value)
    return BoundSolution(
        value=value,
        allocation=allocation,
        status="infinite" if infinite else "evaluated",
        relative_gap=math.nan,
        residual=residual,
        solver="numpy",
        reason="a tie, or a pair that matters is never sampled" if infinite else "",
    )


def flow_residual(mdp: TabularMDP, allocation: npt.NDArray[np.float64]) -> float:
    """Largest violation of sum_a w(s, a) = sum P(s | s', a') w(s', a')."""
    inflow = np.zeros(mdp.n_states)
    np.add.at(inflow, mdp.successors, mdp.probabilities * allocation[:, :, None])
    return float(np.abs(inflow - allocation.sum(axis=1)).max())


def as_json(solution: BoundSolution) -> dict[str, Any]:
    """A solution without infinity or NaN, which JSON lacks."""
    allocation = solution.allocation
    return {
        "value": "inf" if math.isinf(solution.value) else solution.value,
        "allocation": None if allocation is None else allocation.tolist(),
        "status": solution.status,
        "relative_gap": None if math.isnan(solution.relative_gap) else solution.relative_gap,
        "residual": solution.residual,
        "solver": solution.solver,
        "reason": solution.reason,
        "details": solution.details,
    }
