"""What bounds return, checked before anybody goes on with it.

A value that is NaN, or an allocation that is no distribution, would be printed, averaged and
compared as if it were a result.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import math
from contextlib import AbstractContextManager
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core.contracts.bound import Bound, BoundSolution, Constraint
from mfbpi_core.data import exact
from mfbpi_core.data.arrays import FloatArray
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.errors import PluginError
from mfbpi_core.plugins.parts import blaming
from mfbpi_core.plugins.plugin import Plugin

#: What solvers leave: of the sum of an allocation, of entries that are zero, of a certified gap.
_SUM, _ZERO = 1e-6, 1e-9

#: Where a bound keeps which plugin it is.
_PLUGIN = "_mfbpi_plugin"

_TEXTS = ("status", "solver", "reason")


def remember(bound: Bound, plugin: Plugin) -> None:
    """Note what built a bound, for messages."""
    vars(bound)[_PLUGIN] = plugin


def solved(bound: Bound, mdp: TabularMDP, constraint: Constraint = "generative") -> BoundSolution:
    """What :meth:`Bound.solve` returns, with plain numbers.

    Raises:
        PluginError: naming the plugin, when it raises what it must not, or returns no solution.
    """
    name = f"{_called(bound)}: solve"
    with _blaming(bound):
        _check_signature(bound, name)
        return _sound(bound.solve(mdp, constraint), (mdp.n_states, mdp.n_actions), name)


def evaluated(bound: Bound, mdp: TabularMDP, allocation: npt.NDArray[np.float64]) -> float:
    """What :meth:`Bound.evaluate` returns, as a float; raises as :func:`solved`."""
    with _blaming(bound):
        return _value(bound.evaluate(mdp, allocation), f"{_called(bound)}: evaluate returned")


def _blaming(bound: Bound) -> AbstractContextManager[None]:
    """Exceptions of a bound that no plugin built are for whoever built it."""
    plugin = vars(bound).get(_PLUGIN)
    return contextlib.nullcontext() if plugin is None else blaming(plugin)


def _called(bound: Bound) -> str:
    plugin = vars(bound).get(_PLUGIN)
    return f"bound {type(bound).__name__}" if plugin is None else plugin.described


def _check_signature(bound: Bound, name: str) -> None:
    try:
        inspect.signature(bound.solve).bind("mdp", "generative")
    except TypeError as error:
        raise PluginError(
            f"{name} cannot be called with (mdp, constraint): {error}; expected "
            "solve(self, mdp, constraint='generative')"
        ) from None
    except ValueError:
        return  # of an extension module, whose signature is not known


def _sound(found: object, shape: tuple[int, int], name: str) -> BoundSolution:
    """A solution that can be shown, averaged and followed."""
    if not isinstance(found, BoundSolution):
        raise PluginError(f"{name} returned {exact.shown(found)}; expected a BoundSolution")
    value = _value(found.value, f"{name} returned the value")
    _check_words(found, name)
    if math.isinf(value) and not found.reason.strip():
        raise PluginError(
            f"{name} returned an infinite value without `reason`; expected why it is infinite"
        )
    return _plain(
        found,
        value=value,
        allocation=_allocation(found, value, shape, name),
        relative_gap=_gap(found.relative_gap, name),
        residual=_residual(found.residual, name),
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


def _value(given: object, what: str) -> float:
    value = exact.real(given)
    if value is None or not value >= 0.0:
        raise PluginError(
            f"{what} {exact.shown(given)}; expected a number, 0 or more; inf where it is infinite"
        )
    return value


def _gap(given: object, name: str) -> float:
    gap = exact.real(given)
    if gap is None or gap < -_ZERO:
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
        weights: FloatArray = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        shown = exact.shown(given)
        raise PluginError(f"{name} returned the allocation {shown}; {wanted}") from None
    if weights.shape != shape:
        raise PluginError(f"{name} returned an allocation of shape {weights.shape}; {wanted}")
    least, total = float(weights.min()), float(weights.sum())
    if not (least >= -_ZERO and abs(total - 1.0) <= _SUM):
        raise PluginError(
            f"{name} returned an allocation with minimum {least:.6g} and sum {total:.10g}; {wanted}"
        )
    return weights
