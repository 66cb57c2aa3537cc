"""What bounds return, checked before anybody goes on with it.

A value that is NaN, or an allocation that is no distribution, would be printed, averaged and
compared as if it were a result.
"""

from __future__ import annotations

import contextlib
import inspect
from contextlib import AbstractContextManager

import numpy as np
import numpy.typing as npt

from mfbpi_core.contracts.bound import Bound, BoundSolution, Constraint
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.errors import PluginError
from mfbpi_core.plugins.parts import blaming
from mfbpi_core.plugins.plugin import Plugin
from mfbpi_core.plugins.solutions import sound, value_of

#: Where a bound keeps which plugin it is.
_PLUGIN = "_mfbpi_plugin"


def remember(bound: Bound, plugin: Plugin) -> None:
    """Note what built a bound, for messages."""
    vars(bound)[_PLUGIN] = plugin


def solved(bound: Bound, mdp: TabularMDP, constraint: Constraint = "generative") -> BoundSolution:
    """What :meth:`Bound.solve` returns, with plain numbers and the residual as measured.

    Raises:
        PluginError: naming the plugin, when it raises what it must not, or returns no solution.
    """
    name = f"{_called(bound)}: solve"
    with _blaming(bound):
        _check_signature(bound, name)
        return sound(bound.solve(mdp, constraint), mdp, constraint, name)


def evaluated(bound: Bound, mdp: TabularMDP, allocation: npt.NDArray[np.float64]) -> float:
    """What :meth:`Bound.evaluate` returns, as a float; raises as :func:`solved`."""
    with _blaming(bound):
        return value_of(bound.evaluate(mdp, allocation), f"{_called(bound)}: evaluate returned")


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
