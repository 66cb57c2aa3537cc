"""Descriptors that plugins yield from their hooks: names, import strings and declared facts.

A spec carries import strings, not objects: listing plugins imports none of them.
"""

from __future__ import annotations

import importlib
import re
from typing import Any

import attrs

from mfbpi_core.errors import PluginError
from mfbpi_core.text import described

#: Version of the plugin interface that this core implements.
API_VERSION = 1

_NAME = re.compile(r"[a-z][a-z0-9_]*(/[a-z][a-z0-9_]*)?")
_IMPORT_STRING = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


def _check_name(spec: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise PluginError(
            f"{type(spec).__name__}.{attribute.name} is {value!r}; expected lower-case letters, "
            "digits and underscores, such as 'mf_bpi'"
        )


def _check_import_string(spec: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
    if not isinstance(value, str) or not _IMPORT_STRING.fullmatch(value):
        raise PluginError(
            f"{type(spec).__name__}.{attribute.name} is {value!r}; expected an import string "
            "'package.module:Name', which worker processes can import"
        )


def _check_optional_import_string(spec: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
    if value != "":
        _check_import_string(spec, attribute, value)


def _check_api(spec: Any, _attribute: attrs.Attribute[Any], value: Any) -> None:
    if value != API_VERSION:
        raise PluginError(
            f"{type(spec).__name__}.api is {value!r}; this mfbpi-core implements {API_VERSION} "
            "(upgrade mfbpi-core for a newer plugin, or the plugin for an older one)"
        )


def _needs(value: Any) -> frozenset[str]:
    return frozenset(value)


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

    name: str = attrs.field(validator=_check_name)
    factory: str = attrs.field(validator=_check_import_string)
    config: str = attrs.field(default="mfbpi_core:NoConfig", validator=_check_import_string)
    summary: str = attrs.field(default="", validator=attrs.validators.instance_of(str))
    reference: str = attrs.field(default="", validator=attrs.validators.instance_of(str))
    api: int = attrs.field(default=API_VERSION, validator=_check_api)


@attrs.frozen(kw_only=True)
class AgentSpec(Spec):
    """An agent.

    Attributes:
        needs: what its environment must provide, such as ``{"states"}``.
        preset: import string of a function from :class:`Problem` to a dictionary of parameters,
            the published settings for that problem; they replace the ``Config``'s defaults and
            give way to what the user sets. Empty if the defaults serve everywhere.
        replicas: import string of a :class:`Replicas`, or of what builds one, for running several
            seeds at once; empty if there is none.
    """

    needs: frozenset[str] = attrs.field(default=frozenset(), converter=_needs)
    preset: str = attrs.field(default="", validator=_check_optional_import_string)
    replicas: str = attrs.field(default="", validator=_check_optional_import_string)


@attrs.frozen(kw_only=True)
class EnvironmentSpec(Spec):
    """An environment.

    ``argument``: the parameter that a text after a colon sets, as in ``bsuite:deep_sea/0``.
    """

    argument: str = ""


@attrs.frozen(kw_only=True)
class BoundSpec(Spec):
    """A bound."""


@attrs.frozen(kw_only=True)
class Column:
    """A column of results: its name, the range of its values, and what it says.

    ``label`` stands at the axis of a figure; empty for the name in words.
    """

    name: str = attrs.field(validator=_check_name)
    low: float = float("-inf")
    high: float = float("inf")
    summary: str = ""
    label: str = attrs.field(default="", validator=attrs.validators.instance_of(str))


@attrs.frozen(kw_only=True)
class MetricSpec(Spec):
    """A metric.

    Attributes:
        columns: what :meth:`Metric.measure` returns.
        needs: what the environment or the agent must provide: "states", "arrays", "cells", "model",
            "policy", "allocation", or a feature that environments document.
        default: whether it is measured wherever it applies, without being asked for.
    """

    columns: tuple[Column, ...] = attrs.field(
        validator=attrs.validators.deep_iterable(attrs.validators.instance_of(Column))
    )
    needs: frozenset[str] = attrs.field(default=frozenset(), converter=_needs)
    default: bool = True


@attrs.frozen(kw_only=True)
class ExecutorSpec(Spec):
    """An executor."""


@attrs.frozen(kw_only=True)
class ExperimentSpec(Spec):
    """A published or named experiment.

    ``factory(quick)`` returns an :class:`mfbpi_core.Experiment`; with ``quick`` true a small
    one that ends within two minutes.
    """


def load_object(import_string: str) -> Any:
    """Import what ``"package.module:Name"`` names.

    Raises:
        PluginError: when the module cannot be imported or lacks the name.
    """
    module_name, _, name = import_string.partition(":")
    try:
        return getattr(importlib.import_module(module_name), name)
    except (Exception, SystemExit) as error:
        raise PluginError(f"cannot import {import_string!r}: {described(error)}") from error
