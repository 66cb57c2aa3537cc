"""The types that parameters may have: tests, names and conversion from text."""

from __future__ import annotations

import functools
import json
import sys
import types
from collections.abc import Mapping
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from mfbpi_core.data.plain import plain
from mfbpi_core.errors import ConfigError
from mfbpi_core.text import shortened

_LONGEST_SHOWN = 80

#: From here on, neighbouring integers are the same float64.
_EXACT = 2.0**53

_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def hints(config: type) -> Mapping[str, Any]:
    """The types of the fields of a class, read once: each field of each instance asks for them."""
    return _read_hints(config)


_read_hints = functools.lru_cache(maxsize=512)(get_type_hints)


def _alternatives(hint: object) -> tuple[Any, ...]:
    """The members of a union, or the type alone."""
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def is_tuple(hint: object) -> bool:
    """Whether the type is, or may be, a tuple."""
    return any(get_origin(kind) is tuple for kind in _alternatives(hint))


#: The types of single values.
_SINGLE = (int, float, bool, str)


def is_known(hint: object) -> bool:
    """Whether values of the type can be read from text, and come back from JSON as they were."""
    return all(map(_is_known_kind, _alternatives(hint)))


def _is_known_kind(kind: object) -> bool:
    members = get_args(kind)
    if get_origin(kind) is tuple:
        return members[0] in _SINGLE and all(each in (members[0], Ellipsis) for each in members)
    if get_origin(kind) is Literal:
        return all(isinstance(member, _SINGLE) for member in members)
    return kind in _SINGLE or kind is type(None)


def is_instance(value: object, hint: object) -> bool:
    """Whether a value is of the type; an integer counts as a float, a boolean never as a number."""
    return any(_is_kind(value, kind) for kind in _alternatives(hint))


def _is_kind(value: object, kind: Any) -> bool:
    if get_origin(kind) is tuple:
        member = get_args(kind)[0]
        return isinstance(value, tuple) and all(_is_kind(item, member) for item in value)
    if get_origin(kind) is Literal:
        return value in get_args(kind)
    if isinstance(value, bool):
        return kind is bool
    if kind is float:
        return isinstance(value, int | float)
    return isinstance(value, kind)


def within(number: float, bounds: Mapping[str, float]) -> bool:
    """Whether a number is finite and within bounds by their names."""
    holds = {
        "ge": lambda bound: number >= bound,
        "gt": lambda bound: number > bound,
        "le": lambda bound: number <= bound,
        "lt": lambda bound: number < bound,
    }
    # A whole number beyond all floats is no number to compute with.
    finite = abs(number) <= sys.float_info.max
    return finite and all(holds[name](bound) for name, bound in bounds.items())


def type_name(hint: Any) -> str:
    """The type in words."""
    names = []
    for kind in _alternatives(hint):
        if get_origin(kind) is tuple:
            names.append(f"comma-separated {get_args(kind)[0].__name__}s")
        elif get_origin(kind) is Literal:
            names.append(" | ".join(map(str, get_args(kind))))
        else:
            names.append("none" if kind is type(None) else kind.__name__)
    return " or ".join(names)


def convert(key: str, text: str, hint: object) -> Any:
    """Read a value of the type from text; raises :class:`ConfigError`."""
    inexact = ""
    for kind in _alternatives(hint):
        try:
            return _convert_one(text.strip(), kind)
        except (ValueError, KeyError, OverflowError):  # the last one for an infinite integer
            continue
        except ConfigError as error:
            inexact = f" ({error})"
    raise ConfigError(f"parameter {key} is {text!r}; expected {type_name(hint)}{inexact}")


def _convert_one(text: str, kind: Any) -> Any:
    if get_origin(kind) is tuple:
        return tuple(_convert_one(item.strip(), get_args(kind)[0]) for item in text.split(","))
    if get_origin(kind) is Literal:
        return {str(value): value for value in get_args(kind)}[text]
    if kind is type(None):
        return {"none": None}[text.lower()]
    if kind is bool:
        return _BOOLEANS[text.lower()]
    if kind is int:
        number = whole(float(text)) if any(c in text.lower() for c in "e.") else int(text)
        if isinstance(number, float):
            raise ValueError(text)
        return number
    return kind(text)


def whole(value: object) -> Any:
    """The integer that a number such as 1e6 means; other values as numbers of Python, or as are.

    Raises:
        ConfigError: for a number so large that it stands for several integers.
    """
    value = plain(value)
    if not isinstance(value, float) or not value.is_integer():
        return value
    if abs(value) >= _EXACT:
        raise ConfigError(
            f"{value:.17g} is too large to be exact: from 2**53 on, numbers with a point or an "
            "exponent stand for several whole numbers; write it as an integer, in digits alone"
        )
    return int(value)


def check_plain(values: Mapping[str, object]) -> None:
    """Refuse values that JSON does not hold, in which form they reach workers and results."""
    for key, value in values.items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise ConfigError(
                f"parameter {key} is {shortened(repr(value), _LONGEST_SHOWN)}; expected a number, "
                "a text, true, false, none, or a tuple of them"
            ) from error
