"""What a solution of a bound must be, to be shown, averaged and followed."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import attrs
import numpy as np

from mfbpi_core.contracts.bound import BoundSolution, Constraint
from mfbpi_core.data import arrays, exact
from mfbpi_core.data.arrays import FloatArray
from mfbpi_core.data.flow import flow_residual
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.errors import ModelError, PluginError

#: What solvers leave: of the sum of an allocation, of entries that are zero, of a certified gap.
_SUM, _ZERO = 1e-6, 1e-9

#: By how much a flow may be further out of balance than its solution says: as much as the sum of
#: an allocation may be off, for the equations of both are solved together.
_FLOW = _SUM

_TEXTS = ("status", "solver", "reason")


def sound(found: object, mdp: TabularMDP, constraint: Constraint, name: str) -> BoundSolution:
    """A solution that can be shown, averaged and followed; its residual is measured.

    Args:
        found: what was returned.
        mdp: the instance.
        constraint: on the allocation.
        name: of what returned it, for messages.

    Raises:
        PluginError: for anything else.
    """
    if not isinstance(found, BoundSolution):
        raise PluginError(f"{name} returned {exact.shown(found)}; expected a BoundSolution")
    value = value_of(found.value, f"{name} returned the value")
    _check_words(found, name)
    if found.status == ("optimal" if math.isinf(value) else "infinite"):
        raise PluginError(
            f"{name} returned the status {found.status!r} of the value {value:g}; expected "
            "'infinite' of an infinite value alone, and 'optimal' of a finite one alone"
        )
    if math.isinf(value) and not found.reason.strip():
        raise PluginError(
            f"{name} returned an infinite value without `reason`; expected why it is infinite"
        )
    allocation = _allocation(found, value, (mdp.n_states, mdp.n_actions), name)
    residual = _residual(found.residual, name)
    if allocation is not None and constraint == "navigation":
        residual = _measured(residual, flow_residual(mdp, allocation), name)
    return _plain(
        found,
        value=value,
        allocation=allocation,
        relative_gap=_gap(found.relative_gap, found.status, name),
        residual=residual,
    )


def _check_words(found: BoundSolution, name: str) -> None:
    """What is said of the numbers can be printed, and written as JSON."""
    for field in _TEXTS:
        if not isinstance(getattr(found, field), str):
            given = exact.shown(getattr(found, field))
            raise PluginError(f"{name} returned `{field}` {given}; expected a text")
    try:
        plain = isinstance(found.details, dict) and bool(json.dumps(found.details))
    except (TypeError, ValueError, RecursionError):
        plain = False
    if not plain:
        raise PluginError(
            f"{name} returned `details` {exact.shown(found.details)}; expected a dict of what JSON "
            "has: numbers of Python, texts, lists"
        )


def _plain(found: BoundSolution, **checked: Any) -> BoundSolution:
    """The same, and the same object where nothing had to be converted."""
    other = {key: each for key, each in checked.items() if getattr(found, key) is not each}
    return attrs.evolve(found, **other) if other else found


def value_of(given: object, what: str) -> float:
    """The value of a bound, as a float; ``what`` begins the message of the error."""
    value = exact.real(given)
    if value is None or not value >= 0.0:
        raise PluginError(
            f"{what} {exact.shown(given)}; expected a number, 0 or more; inf where it is infinite"
        )
    return value


def _gap(given: object, status: str, name: str) -> float:
    gap = exact.real(given)
    if gap is None or gap < -_ZERO or (gap == math.inf and status == "optimal"):
        raise PluginError(
            f"{name} returned the relative gap {exact.shown(given)}; expected (value - lower "
            "bound) / value, 0 or more, or NaN if nothing certifies one"
        )
    return gap


def _residual(given: object, name: str) -> float:
    residual = exact.real(given)
    if residual is None or not 0.0 <= residual < math.inf:
        raise PluginError(
            f"{name} returned the residual {exact.shown(given)}; expected the largest violation of "
            "a flow equation, 0 or more; 0 for generative"
        )
    return residual


def _measured(declared: float, measured: float, name: str) -> float:
    """By how much the flow is out of balance, which the solution must not hide."""
    if measured > declared + _FLOW:
        raise PluginError(
            f"{name} returned an allocation that violates a flow equation by {measured:.3g}, and "
            f"the residual {declared:.3g}; expected the navigation constraint to hold, or the "
            "residual to say by how much it does not (a bound that does not know it raises a "
            "UsageError)"
        )
    same = abs(measured - declared) <= sys.float_info.epsilon
    return declared if same else measured


def _allocation(
    found: BoundSolution, value: float, shape: tuple[int, int], name: str
) -> FloatArray | None:
    given: Any = found.allocation
    if given is None and math.isinf(value):
        return None
    wanted = f"expected a distribution, float64 [S, A] = {list(shape)}, of entries that sum to 1"
    if given is None:
        raise PluginError(f"{name} returned the value {value:g} and no allocation; {wanted}")
    try:
        arrays.real("allocation", given)
        weights: FloatArray = np.asarray(given, dtype=np.float64)
    except (ModelError, TypeError, ValueError) as error:
        shown = exact.shown(given)
        raise PluginError(f"{name} returned the allocation {shown}; {wanted} ({error})") from None
    if weights.shape != shape:
        raise PluginError(f"{name} returned an allocation of shape {weights.shape}; {wanted}")
    least, total = float(weights.min()), float(weights.sum())
    if not (least >= -_ZERO and abs(total - 1.0) <= _SUM):
        raise PluginError(
            f"{name} returned an allocation with minimum {least:.6g} and sum {total:.10g}; {wanted}"
        )
    return weights
