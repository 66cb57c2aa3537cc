"""Parameters of which only the plugin knows the names: all others go into one field.

A ``Config`` with such a field takes any key. Outside it, in files, labels and results, these keys
stand beside the others, as if each had been declared.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import attrs

from mfbpi_core.data.plain import JsonObject

#: Texts that stand for values as they do for declared parameters.
_WORDS = {"true": True, "yes": True, "false": False, "no": False, "none": None, "null": None}


def others(help: str) -> Any:  # noqa: A002 - as in `parameter`
    """Declare the field of a ``Config`` that holds every key that no other field has.

    Args:
        help: what such keys are, in one line.
    """
    metadata: dict[str, object] = {
        "help": help,
        "source": "",
        "bounds": {},
        "choices": None,
        "others": True,
    }
    return attrs.field(factory=dict, metadata=metadata)


def field_of_others(config: type) -> str | None:
    """The name of that field; None where every key is declared."""
    names = [field.name for field in attrs.fields(config) if field.metadata.get("others")]
    return names[0] if names else None


def gathered(config: type, values: Mapping[str, object]) -> JsonObject:
    """Values with those of other keys in their field."""
    name = field_of_others(config)
    if name is None:
        return dict(values)
    declared = {field.name for field in attrs.fields(config)} - {name}
    rest = {key: value for key, value in values.items() if key not in declared}
    return {**{key: values[key] for key in values if key in declared}, name: rest}


def spread(config: object, values: Mapping[str, Any]) -> JsonObject:
    """The inverse of :func:`gathered`."""
    name = field_of_others(type(config))
    if name is None:
        return dict(values)
    return {**{key: value for key, value in values.items() if key != name}, **values[name]}


def read(text: str) -> Any:
    """The value that a text stands for: JSON, one of a few words, or the text itself."""
    stripped = text.strip()
    if stripped.lower() in _WORDS:
        return _WORDS[stripped.lower()]
    try:
        return json.loads(stripped, parse_constant=_no_constant)
    except ValueError:
        return text


def _no_constant(name: str) -> Any:
    """Leave NaN and infinity, which results cannot hold, as texts."""
    raise ValueError(name)
