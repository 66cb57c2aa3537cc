"""Parameters of plugins: attrs classes whose fields know their range, meaning and source.

Example:
    >>> import attrs
    >>> from mfbpi_core.contracts.parameters import parameter, parse
    >>> @attrs.frozen(kw_only=True)
    ... class Config:
    ...     k: int = parameter(1, "order of the moment", ge=1, source="Theorem 3.2")
    >>> parse(Config, {"k": "2"})
    Config(k=2)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import attrs

from mfbpi_core.contracts.parameters import _limits as limits
from mfbpi_core.contracts.parameters import _others as rest
from mfbpi_core.contracts.parameters import _types as kinds

# Part of what this package offers:
from mfbpi_core.contracts.parameters._limits import allows as allows
from mfbpi_core.contracts.parameters._others import field_of_others as field_of_others
from mfbpi_core.contracts.parameters._others import others as others
from mfbpi_core.contracts.parameters._shown import Parameter as Parameter
from mfbpi_core.contracts.parameters._shown import describe as describe
from mfbpi_core.contracts.parameters._sound import check_fields as check_fields
from mfbpi_core.contracts.parameters._types import check_plain as check_plain
from mfbpi_core.contracts.parameters._types import whole as whole
from mfbpi_core.data.plain import JsonObject, plain
from mfbpi_core.errors import ConfigError
from mfbpi_core.text import did_you_mean

C = TypeVar("C")


@attrs.frozen(kw_only=True)
class NoConfig:
    """The configuration of a plugin without parameters."""


def parameter(
    default: Any,
    help: str,  # noqa: A002 - click's and argparse's word for it
    *,
    ge: float | None = None,
    gt: float | None = None,
    le: float | None = None,
    lt: float | None = None,
    choices: tuple[object, ...] | None = None,
    source: str = "",
) -> Any:
    """Declare a parameter of a plugin's ``Config``.

    Args:
        default: value when the user gives none.
        help: what it means, in one line.
        ge: lowest value; ``gt``: value that must be exceeded.
        gt: see ``ge``.
        le: highest value; ``lt``: value that must not be reached.
        lt: see ``le``.
        choices: the allowed values, where they are few.
        source: where the default comes from, such as a table of a paper.
    """
    given = {"ge": ge, "gt": gt, "le": le, "lt": lt}
    bounds = {name: bound for name, bound in given.items() if bound is not None}
    metadata = {"help": help, "source": source, "bounds": bounds, "choices": choices}
    return attrs.field(default=default, converter=plain, validator=_validate, metadata=metadata)


def setting(default: Any, help: str, *, metavar: str, expected: str, **limits: Any) -> Any:  # noqa: A002
    """Declare a setting of a run, from which options, keys of files and arguments derive.

    Args:
        default: value when the user gives none.
        help: what it means, as the command says it.
        metavar: what stands for its value there.
        expected: what it must be, for messages.
        limits: ``ge``, ``gt``, ``le``, ``lt`` or ``choices``; see :func:`parameter`.
    """
    declared = parameter(default, help, **limits)
    declared.metadata.update(metavar=metavar, expected=expected)
    return declared


def count(default: int | None, help: str) -> Any:  # noqa: A002
    """Declare a setting that is a whole number of 1 or more, which may be written as ``1e6``."""
    expected = "a whole number of 1 or more"
    declared = setting(default, help, metavar="N", expected=expected, ge=1)
    declared.converter = kinds.whole
    return declared


def parse(config: type[C], given: Mapping[str, str]) -> C:
    """Build a ``Config`` from ``key=value`` texts.

    Raises:
        ConfigError: unknown key (with close matches), text that is not of the type, or a value
            out of range.
    """
    hints = kinds.hints(config)
    check_keys(config, given)
    values = {
        key: kinds.convert(key, text, hints[key]) if key in hints else rest.read(text)
        for key, text in given.items()
    }
    made: C = _made(config, rest.gathered(config, values))
    return made


def from_dict(config: type[C], values: Mapping[str, object]) -> C:
    """Rebuild a ``Config`` from :func:`to_dict`, after a round trip through JSON."""
    hints = kinds.hints(config)
    check_keys(config, values)
    given = {
        key: tuple(v) if kinds.is_tuple(hints[key]) and isinstance(v, list) else v
        for key, v in rest.gathered(config, values).items()
    }
    made: C = _made(config, given)
    return made


def to_dict(config: attrs.AttrsInstance) -> JsonObject:
    """Every parameter with its value, as JSON can hold it."""
    values = rest.spread(config, attrs.asdict(config))
    return {key: list(v) if isinstance(v, tuple) else v for key, v in values.items()}


def check_keys(config: type, given: Mapping[str, object]) -> None:
    """Refuse keys that ``config`` does not have, with close matches, unless it takes any."""
    known = [field.name for field in attrs.fields(config)]
    if field_of_others(config) is not None:
        return
    for key in given:
        if key in known:
            continue
        hint = did_you_mean(key, known)
        listing = ", ".join(known) if known else "none"
        raise ConfigError(f"unknown parameter {key!r}; {hint}parameters are: {listing}")


def _validate(instance: Any, attribute: attrs.Attribute[object], value: object) -> None:
    """Validator of every parameter."""
    hint = kinds.hints(type(instance))[attribute.name]
    if not limits.allows(attribute, hint, value):
        named, shown = f"parameter {attribute.name}", repr(value)
        if "metavar" in attribute.metadata:
            named = f"`{attribute.name}`"
            shown = f"{value:g}" if isinstance(value, float) else shown
        raise ConfigError(f"{named} is {shown}; expected {limits.expected(attribute, hint)}")


def _made(config: type[Any], values: Mapping[str, object]) -> Any:
    """The ``Config`` with these values; raises :class:`ConfigError` where one is missing."""
    missing = [
        field.name
        for field in attrs.fields(config)
        if field.default is attrs.NOTHING and field.name not in values
    ]
    if missing:
        raise ConfigError(f"parameter {missing[0]} has no default; give it a value")
    return config(**values)
