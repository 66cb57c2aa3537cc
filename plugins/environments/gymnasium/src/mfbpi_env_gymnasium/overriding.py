"""Whether a class does otherwise than the table ``P`` that it inherits.

A class that overrides ``step``, to pay for each move or to slip more often, inherits ``P`` with the
law of the class that it overrides. Whoever defines ``P`` anew says what the new ``step`` does.
"""

from __future__ import annotations

import dis
import inspect
from types import CodeType, FunctionType
from typing import Any

import gymnasium

#: What ``P`` and the distribution of the first state are to say all of.
_METHODS = ("step", "reset")


def overridden(bare: gymnasium.Env[Any, Any]) -> str:
    """How it does otherwise than an inherited ``P``, for messages; nothing where it does not.

    A ``P`` that was set from outside, by no method of its classes, is that of the environment.

    Args:
        bare: the environment without wrappers.
    """
    for method in _METHODS:
        if method in vars(bare):
            return f"its {method} was replaced, which may do otherwise than its table P says"
    classes = type(bare).__mro__
    defining = next((i for i, each in enumerate(classes) if _defines_table(each)), 0)
    for each in classes[:defining]:
        for method in _METHODS:
            if method in vars(each) and _is_defined(method, classes[defining:]):
                return (
                    f"{each.__name__} overrides {method}, which may do otherwise than the table P "
                    f"that it inherits from {classes[defining].__name__} says: set self.P in "
                    f"{each.__name__} to what it does, if it has such a table"
                )
    return ""


def _is_defined(method: str, classes: tuple[type, ...]) -> bool:
    """Whether one of them has the method, but for Gymnasium's ``Env``, where it does nothing."""
    return any(method in vars(each) for each in classes if each is not gymnasium.Env)


def _defines_table(given: type) -> bool:
    """Whether a class has ``P`` itself, or a method that sets it."""
    return "P" in vars(given) or any(_sets_table(each) for each in vars(given).values())


def _sets_table(given: object) -> bool:
    found = inspect.unwrap(given) if callable(given) else given
    return isinstance(found, FunctionType) and _stores_table(found.__code__)


def _stores_table(code: CodeType) -> bool:
    stores = "P" in code.co_names and any(
        each.opname == "STORE_ATTR" and each.argval == "P" for each in dis.get_instructions(code)
    )
    inner = (each for each in code.co_consts if isinstance(each, CodeType))
    return stores or any(map(_stores_table, inner))
