"""A ``Config`` of which no run could be made is refused when it is loaded, not in the middle."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from mfbpi_core.blame import blamed
from mfbpi_core.contracts.parameters import _types as kinds
from mfbpi_core.errors import PluginError
from mfbpi_core.text import described


def check_fields(name: str, config: type) -> None:
    """Refuse fields that cannot be read from text or built again in a worker, and bad defaults.

    Args:
        name: import string of the class, for messages.
        config: the class, made by attrs.

    Raises:
        PluginError: naming the field, and what to write instead.
    """
    try:
        hints = kinds.hints(config)
    except Exception as error:  # whatever is written there
        raise PluginError(
            f"the types of {name} cannot be read: {described(error)}; import what they name where "
            "the class is, not under TYPE_CHECKING"
        ) from error
    fields = attrs.fields(config)
    for field in fields:
        _check_field(name, field, hints)
    if all(field.default is not attrs.NOTHING for field in fields):
        _check_defaults(name, config)


def _check_field(name: str, field: attrs.Attribute[object], hints: Mapping[str, object]) -> None:
    where = f"{field.name} of {name}"
    if field.name not in hints:
        raise PluginError(f"{where} has no type; write `{field.name}: int = parameter(...)`")
    if not field.init:
        raise PluginError(f"{where} has init=False, so that no worker could build it again")
    if field.alias != field.name:
        raise PluginError(
            f"{where} is called {field.alias} where it is given; leave out the underscore or alias"
        )
    declared = "bounds" in field.metadata and not field.metadata.get("others")
    if declared and not kinds.is_known(hints[field.name]):
        raise PluginError(
            f"{where} is of type {hints[field.name]!r}; expected int, float, bool, str, None, a "
            "Literal, tuple[X, ...] of one of them, or a union, which texts and JSON can hold"
        )


def _check_defaults(name: str, config: type) -> None:
    with blamed(f"{name} refuses its own defaults"):
        config()
