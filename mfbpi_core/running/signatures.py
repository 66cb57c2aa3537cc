"""Whether an environment can be called as the loop calls it, looked at before the first step.

What would fail at the end of the first episode, or as a TypeError that names no plugin, is then one
sentence at once.
"""

from __future__ import annotations

import inspect
from typing import Any

from mfbpi_core.contracts.environment import Environment
from mfbpi_core.errors import PluginError

#: Each method, how it is called, and with what.
_CALLS: tuple[tuple[str, str, tuple[Any, ...], dict[str, Any]], ...] = (
    ("reset", "reset(seed=0)", (), {"seed": 0}),
    ("reset", "reset()", (), {}),
    ("step", "step(0)", (0,), {}),
)


def check(environment: Environment, name: str) -> None:
    """Refuse signatures that the loop cannot call.

    Args:
        environment: looked at, not called.
        name: how the message calls it.

    Raises:
        PluginError: with the signature, the call that it does not take, and what was expected.
    """
    for method, call, positional, named in _CALLS:
        try:
            signature = inspect.signature(getattr(environment, method))
        except (TypeError, ValueError):
            continue  # compiled, and nobody knows
        try:
            signature.bind(*positional, **named)
        except TypeError as error:
            raise PluginError(
                f"{name}: {method}{signature} does not take {call}: {error}; expected "
                "reset(*, seed=None, options=None) and step(action), as Gymnasium's from version "
                "0.26 on"
            ) from None
