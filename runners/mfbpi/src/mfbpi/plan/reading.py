"""Values of parameters as text and as numbers, with errors that say whose they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from mfbpi_core.contracts import parameters as configs
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.errors import ConfigError, MfbpiError
from mfbpi_core.plugins.plugin import Plugin


def as_float(value: object, hint: object) -> Any:
    """The number 1 as 1.0, alone or in a tuple, where the parameter is a float: JSON differs."""
    if isinstance(value, tuple):
        return tuple(as_float(each, hint) for each in value)
    return float(value) if type(value) is int and hint in (float, float | None) else value


def typed(config_class: type, texts: Mapping[str, str]) -> JsonObject:
    """Values of the parameters given as text, validated, and of no others."""
    parsed = configs.to_dict(configs.parse(config_class, texts))
    return {key: parsed[key] for key in texts}


@contextmanager
def blaming(plugin: Plugin, label: str) -> Iterator[None]:
    """Say whose parameter is wrong."""
    try:
        yield
    except MfbpiError as error:
        raise ConfigError(f"{plugin.kind} {label}: {error}") from error
