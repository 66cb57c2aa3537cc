"""What environments are called with and return, if not written for Gymnasium's API: refused.

Such as those for Gym before 0.26.
"""

from __future__ import annotations

import inspect
from typing import Any

import gymnasium

from mfbpi_core.data import exact
from mfbpi_core.errors import PluginError
from mfbpi_env_gymnasium.wrappers import layers

#: What ``step`` and ``reset`` return.
OF_STEP = ("observation", "reward", "terminated", "truncated", "info")
OF_RESET = ("observation", "info")

#: How they are called.
_SIGNATURES = {"step": "step(action)", "reset": "reset(*, seed=None, options=None)"}


def returned(
    raw: gymnasium.Env[object, object],
    method: str,
    expected: tuple[str, ...],
    *arguments: object,
    **named: object,
) -> tuple[Any, ...]:
    """What a method of an environment returns, if it is so many things.

    Args:
        raw: the environment.
        method: ``"step"`` or ``"reset"``.
        expected: what it returns, in words.
        arguments: what it is called with.
        named: likewise.

    Raises:
        PluginError: when it returns something else, or cannot be called so.
    """
    try:
        found = getattr(raw, method)(*arguments, **named)
    except (TypeError, ValueError) as error:
        if _of_a_wrapper(error):
            raise _other(raw, method, expected, f"something else ({error})") from error
        unable = _unable(raw, method, arguments, named)
        if unable:
            raise PluginError(unable) from error
        raise
    if not isinstance(found, tuple) or len(found) != len(expected):
        raise _other(raw, method, expected, exact.shown(found))
    return found


def _of_a_wrapper(error: Exception) -> bool:
    """Whether one of Gymnasium's own wrappers could not take apart what it was given."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    module = "" if place is None else str(place.tb_frame.f_globals.get("__name__", ""))
    return "unpack" in str(error) and module.startswith("gymnasium.wrappers")


def _unable(
    raw: gymnasium.Env[object, object],
    method: str,
    arguments: tuple[object, ...],
    named: dict[str, object],
) -> str:
    """Which layer's method cannot be called so, in a sentence; nothing where all can."""
    for layer in layers(raw):
        try:
            signature = inspect.signature(getattr(layer, method))
        except (TypeError, ValueError, AttributeError):  # of a function without one
            continue
        try:
            signature.bind(*arguments, **named)
        except TypeError as error:
            return (
                f"{method} of {type(layer).__name__} is {method}{signature}, which lacks what it "
                f"is called with ({error}); expected {_SIGNATURES[method]}, as Gymnasium's is"
            )
    return ""


def _other(
    raw: gymnasium.Env[object, object], method: str, expected: tuple[str, ...], what: str
) -> PluginError:
    return PluginError(
        f"{method} of {type(raw.unwrapped).__name__} returned {what}; expected "
        f"({', '.join(expected)}), as Gymnasium's does from version 0.26 on"
    )
