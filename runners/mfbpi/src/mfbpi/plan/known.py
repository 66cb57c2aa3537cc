"""What is installed is told by its name alone: functions and classes among it."""

from __future__ import annotations

import sys
import types
from typing import Any

from mfbpi.plan import whose

#: What type.__flags__ says of a class that is no C structure of an interpreter or library.
_HEAP_TYPE = 1 << 9


def is_known(module: object) -> bool:
    """Whether a module is told by its version, by its name."""
    return isinstance(module, str) and not whose.is_users(module)


def is_importable(value: Any) -> bool:
    """Whether a function or a class is what its name finds in a module that is installed."""
    module, names = value.__module__, value.__qualname__.split(".")
    found: object = sys.modules.get(module) if is_known(module) else None
    for name in names:
        found = getattr(found, "__dict__", {}).get(name)
    return getattr(found, "__func__", found) is value


def is_known_class(kind: type) -> bool:
    """Whether its name tells all of a class: no function of a library's made it of something."""
    if not is_known(kind.__module__):
        return False
    return not kind.__flags__ & _HEAP_TYPE or is_importable(kind)


def home(function: types.FunctionType) -> str | None:
    """The module in which a function was written, whatever it is called after."""
    name = function.__globals__.get("__name__", function.__module__)
    return name if isinstance(name, str) else None


def is_written_there(function: types.FunctionType) -> bool:
    """Whether it stands in a file of that module: no text was made a function in its namespace."""
    module = sys.modules.get(home(function) or "")
    from_text = function.__code__.co_filename.startswith("<")
    return getattr(module, "__dict__", None) is function.__globals__ and not from_text


def is_generated(function: types.FunctionType) -> bool:
    """Whether attrs wrote it: the fields tell all, and its hash has a number of this process."""
    return function.__code__.co_filename.startswith("<attrs generated")
