"""The bound that the parameters of an agent, a metric or a stopping rule name, where it is a class.

What a task says is what such a bound is known by, never where its file is.
"""

from __future__ import annotations

import attrs

from mfbpi.plan import own
from mfbpi_core.contracts.parameters.bounds import bound_field
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.plugins.registry import Registry


@attrs.frozen
class Named:
    """Parameters, and the label that says them, in which a bound has its own name."""

    values: JsonObject
    label: str


def taken_in(registry: Registry, config_class: type, values: JsonObject, label: str) -> Named:
    """Let the registry find a bound without packaging that some parameters name.

    Args:
        registry: where it will be found, and workers with it.
        config_class: the ``Config`` that the parameters are of.
        values: those that were set.
        label: how the plugin with these parameters is called in the results.

    Raises:
        UsageError: when the class is not there, or no bound.
    """
    field = bound_field(config_class)
    given = None if field is None else values.get(field)
    if field is None or not isinstance(given, str):
        return Named(values, label)
    plugin = own.find(registry, "bound", given)
    if plugin is None:
        return Named(values, label)
    return Named({**values, field: plugin.qualified_name}, label.replace(given, plugin.spec.name))
