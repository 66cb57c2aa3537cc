"""What every plugin declares, and the import strings of what it is made of.

A spec carries import strings, not objects: listing plugins imports none of them.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from typing import Any

import attrs

from mfbpi_core.blame import blamed
from mfbpi_core.errors import PluginError

#: Version of the plugin interface that this core implements.
API_VERSION = 1

_NAME = re.compile(r"[a-z][a-z0-9_]*(/[a-z][a-z0-9_]*)?")
_IMPORT_STRING = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


def check_name(spec: object, attribute: attrs.Attribute[str], value: object) -> None:
    """Validator of names."""
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise PluginError(
            f"{type(spec).__name__}.{attribute.name} is {value!r}; expected lower-case letters, "
            "digits and underscores, such as 'mf_bpi'"
        )


def _check_import_string(spec: object, attribute: attrs.Attribute[str], value: object) -> None:
    if not isinstance(value, str) or not _IMPORT_STRING.fullmatch(value):
        raise PluginError(
            f"{type(spec).__name__}.{attribute.name} is {value!r}; expected an import string "
            "'package.module:Name', which worker processes can import"
        )


def check_optional_import_string(
    spec: object, attribute: attrs.Attribute[str], value: object
) -> None:
    """Validator of import strings that may be empty."""
    if value != "":
        _check_import_string(spec, attribute, value)


def one_of(*allowed: str) -> Callable[[object, attrs.Attribute[str], object], None]:
    """Validator of a word out of a few."""

    def check(spec: object, attribute: attrs.Attribute[str], value: object) -> None:
        if not isinstance(value, str) or value not in allowed:
            raise PluginError(
                f"{type(spec).__name__}.{attribute.name} is {value!r}; expected one of "
                f"{', '.join(map(repr, allowed))}"
            )

    return check


def check_flag(spec: object, attribute: attrs.Attribute[bool], value: object) -> None:
    """Validator of what is true or false: nearly everything else is true."""
    if not isinstance(value, bool):
        raise PluginError(
            f"{type(spec).__name__}.{attribute.name} is {value!r}; expected True or False"
        )


def _check_api(spec: object, _attribute: attrs.Attribute[int], value: object) -> None:
    if value != API_VERSION:
        raise PluginError(
            f"{type(spec).__name__}.api is {value!r}; this mfbpi-core implements {API_VERSION} "
            "(upgrade mfbpi-core for a newer plugin, or the plugin for an older one)"
        )


@attrs.frozen(kw_only=True)
class Spec:
    """What every plugin declares.

    Attributes:
        name: name on the command line.
        factory: import string of the class.
        config: import string of its ``Config``.
        summary: one line for ``mfbpi list``.
        reference: paper, section; empty if it has none.
        api: version of the plugin interface that the plugin is written for.
    """

    name: str = attrs.field(validator=check_name)
    factory: str = attrs.field(validator=_check_import_string)
    config: str = attrs.field(default="mfbpi_core:NoConfig", validator=_check_import_string)
    summary: str = attrs.field(default="", validator=attrs.validators.instance_of(str))
    reference: str = attrs.field(default="", validator=attrs.validators.instance_of(str))
    api: int = attrs.field(default=API_VERSION, validator=_check_api)


@attrs.frozen(kw_only=True)
class Column:
    """A column of results: its name, the range of its values, and what it says.

    ``label`` stands at the axis of a figure; empty for the name in words.
    """

    name: str = attrs.field(validator=check_name)
    low: float = float("-inf")
    high: float = float("inf")
    summary: str = ""
    label: str = attrs.field(default="", validator=attrs.validators.instance_of(str))


#: Columns that the framework writes itself, of a stopping rule and of its audit.
RESERVED = ("certified_gap", "stopping_time", "correct", "value_loss", "agent_value_loss")


def are_free(spec: object, attribute: attrs.Attribute[Any], value: object) -> None:
    """Validator of the columns of a metric, none of which the framework writes itself."""
    attrs.validators.deep_iterable(attrs.validators.instance_of(Column))(spec, attribute, value)
    taken = [column.name for column in value if column.name in RESERVED]  # type: ignore[attr-defined] # an iterable of columns, as just checked
    if taken:
        raise PluginError(
            f"{type(spec).__name__}.{attribute.name} has {taken[0]!r}, which the framework itself "
            f"writes of stopping rules; expected another name than {', '.join(RESERVED)}"
        )


def load_object(import_string: str) -> Any:
    """Import what ``"package.module:Name"`` names.

    Raises:
        PluginError: when the module cannot be imported or lacks the name.
    """
    module_name, _, name = import_string.partition(":")
    with blamed(f"cannot import {import_string!r}"):
        return getattr(importlib.import_module(module_name), name)
