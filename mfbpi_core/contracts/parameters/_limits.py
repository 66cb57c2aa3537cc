"""What a parameter may be: its type, its choices, its bounds, and these in words."""

from __future__ import annotations

import attrs

from mfbpi_core.contracts.parameters import _types as kinds

_BOUNDS = {"ge": ">=", "gt": ">", "le": "<=", "lt": "<"}


def allows(attribute: attrs.Attribute[object], hint: object, value: object) -> bool:
    """Whether a parameter may have a value: its type, then its choices, then its bounds."""
    if not kinds.is_instance(value, hint):
        return False
    members = value if isinstance(value, tuple) else (value,)
    numbers = [m for m in members if isinstance(m, int | float) and not isinstance(m, bool)]
    choices = attribute.metadata["choices"]
    allowed = choices is None or value in choices
    return allowed and all(kinds.within(n, attribute.metadata["bounds"]) for n in numbers)


def range_of(field: attrs.Attribute[object]) -> str:
    """The range in short, as tables show it."""
    if "bound_passes" in field.metadata:
        return "name of a bound"
    choices = field.metadata.get("choices")
    if choices is not None:
        return " | ".join(str(choice) for choice in choices)
    bounds = field.metadata.get("bounds", {})
    return ", ".join(f"{_BOUNDS[name]} {bound:g}" for name, bound in bounds.items())


def expected(field: attrs.Attribute[object], hint: object) -> str:
    """What is expected, as messages say it."""
    if "expected" in field.metadata:
        return str(field.metadata["expected"])
    limits = range_of(field)
    if field.metadata.get("choices") is not None:
        return f"one of {limits}"
    return f"{kinds.type_name(hint)} {limits}".strip()
