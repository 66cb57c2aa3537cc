"""Parameters as they are shown to the user."""

from __future__ import annotations

from typing import Any

import attrs

from mfbpi_core.contracts.parameters import _limits as limits
from mfbpi_core.contracts.parameters import _types as kinds


@attrs.frozen(kw_only=True)
class Parameter:
    """A parameter as shown to the user."""

    name: str
    type: str
    range: str
    default: Any
    help: str
    source: str


def describe(config: type) -> list[Parameter]:
    """List the parameters of a ``Config`` class in the order of their definition."""
    hints = kinds.hints(config)
    return [
        Parameter(
            name=field.name,
            type=_type(field, hints[field.name]),
            range=limits.range_of(field),
            default=_shown_default(field),
            help=field.metadata.get("help", ""),
            source=field.metadata.get("source", ""),
        )
        for field in attrs.fields(config)
    ]


def _shown_default(field: attrs.Attribute[Any]) -> Any:
    if field.metadata.get("others"):
        return ""
    if field.default is attrs.NOTHING:
        return "required"
    default: Any = field.default
    if isinstance(default, attrs.Factory) and not default.takes_self:  # type: ignore[arg-type]
        return default.factory()
    return default


def _type(field: attrs.Attribute[object], hint: object) -> str:
    return "any other key" if field.metadata.get("others") else kinds.type_name(hint)
