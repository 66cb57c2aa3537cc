"""Settings as options of a command: flag, type, default and help derive from their fields."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import attrs
import click

from mfbpi_core.contracts.parameters import whole
from mfbpi_core.errors import ConfigError
from mfbpi_run.command import PLACE
from mfbpi_run.flags import FLAGS

Function = Callable[..., object]
Option = Callable[[Function], Function]


class Count(click.IntRange):
    """A whole number of 1 or more, which may be written as ``1e6``."""

    def __init__(self) -> None:
        super().__init__(min=1)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read it."""
        try:
            number = _number(value)
        except ConfigError as error:
            self.fail(str(error), param, ctx)
        if number is None:
            self.fail(f"{value!r} is given; expected a whole number of 1 or more", param, ctx)
        return int(super().convert(number, param, ctx))


def _number(given: Any) -> int | None:
    """The whole number that is given, as text or not; None where it is none."""
    try:
        if isinstance(given, str) and set(given.lower()) & {"e", "."}:
            given = whole(float(given))
            return given if isinstance(given, int) else None
        return int(given)
    except ValueError:
        return None


def options(declared: type) -> list[Option]:
    """An option for each field of an attrs class, in their order."""
    hints = get_type_hints(declared)
    return [_option(field, hints[field.name]) for field in attrs.fields(declared)]


def _option(field: attrs.Attribute[object], hint: object) -> Option:
    flag = FLAGS[field.name]
    if hint is bool:
        return click.option(flag, field.name, is_flag=True, help=field.metadata["help"])
    shown: dict[str, Any] = {}
    if field.default not in (None, ()):
        shown = {"default": field.default, "show_default": True}
    return click.option(
        flag,
        field.name,
        type=_type(field, hint),
        multiple=get_origin(hint) is tuple,
        metavar=field.metadata["metavar"] or None,
        help=field.metadata["help"],
        **shown,
    )


def _type(field: attrs.Attribute[object], hint: object) -> Any:
    """How click reads the value."""
    if get_origin(hint) is Literal:
        return click.Choice(list(get_args(hint)))
    kinds = [kind for kind in get_args(hint) or (hint,) if kind not in (type(None), ...)]
    limits = field.metadata["bounds"]
    # Of an interval, the setting's own message says more than click's.
    if kinds == [int] and limits:
        return Count()
    if kinds == [float] and len(limits) == 1:
        return click.FloatRange(min=min(limits.values()), min_open="gt" in limits)
    return PLACE if Path in kinds else kinds[0]
