"""A parameter that names a bound: the bound is built beforehand and handed to the factory.

An agent or a metric whose ``Config`` has such a parameter is built by
``factory(..., bound=bound)``, with the plugin that the parameter names, at the problem's discount.

Example:
    >>> import attrs
    >>> from mfbpi_core import bound_parameter, parameter
    >>> from mfbpi_core.contracts.parameters.bounds import bound_of
    >>> @attrs.frozen(kw_only=True)
    ... class Config:
    ...     bound: str = bound_parameter("u", "the bound that is followed", passes={"k": "k_max"})
    ...     k: int = parameter(19, "largest k of the moments")
    >>> bound_of(Config(bound="mine")).name
    'mine'
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from mfbpi_core.contracts.parameters import parameter
from mfbpi_core.data.plain import JsonObject

_PASSES = "bound_passes"


def bound_parameter(
    default: str,
    help: str,  # noqa: A002 - as in `parameter`
    *,
    passes: Mapping[str, str | tuple[str, ...]] | None = None,
    source: str = "",
) -> Any:
    """Declare a parameter whose value is the name of a bound; one for each ``Config``.

    Args:
        default: name of a bound.
        help: what it is used for, in one line.
        passes: other parameters of this ``Config`` that are handed on: the name, or names, of the
            parameter of the bound. A bound without it does not get it, nor does None.
        source: see :func:`mfbpi_core.parameter`.
    """
    declared = parameter(default, help, source=source)
    given = {k: (v,) if isinstance(v, str) else tuple(v) for k, v in (passes or {}).items()}
    declared.metadata[_PASSES] = given
    return declared


@attrs.frozen
class NamedBound:
    """The bound that a configuration names.

    Attributes:
        name: what finds it among the plugins.
        given: values for its parameters, by each name that the parameter may have.
    """

    name: str
    given: Mapping[str, object]

    def values(self, config_class: type) -> JsonObject:
        """The values for a bound with this ``Config``."""
        known = {field.name for field in attrs.fields(config_class)}
        return {key: value for key, value in self.given.items() if key in known}


def bound_field(config_class: type) -> str | None:
    """The name of that parameter of a ``Config``, if it has one."""
    fields = attrs.fields(config_class)
    return next((field.name for field in fields if _PASSES in field.metadata), None)


def names_a_bound(config_class: type) -> bool:
    """Whether a ``Config`` has such a parameter."""
    return bound_field(config_class) is not None


def bound_of(config: object) -> NamedBound | None:
    """The bound that a configuration names, if it has a parameter for one."""
    config_class = type(config)
    if not attrs.has(config_class):  # an agent may keep what it likes in the place of its Config
        return None
    for field in attrs.fields(config_class):
        if _PASSES in field.metadata:
            given = {
                other: getattr(config, name)
                for name, others in field.metadata[_PASSES].items()
                for other in others
                if getattr(config, name) is not None
            }
            return NamedBound(getattr(config, field.name), given)
    return None
