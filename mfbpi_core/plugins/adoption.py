"""Environments made of other libraries' objects, by the plugins that know them."""

from __future__ import annotations

from mfbpi_core.contracts.environment import Environment
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.plugins.assembly import blaming
from mfbpi_core.plugins.kinds import KINDS
from mfbpi_core.plugins.registry import Registry
from mfbpi_core.plugins.spec import load_object


def adopted(registry: Registry, given: object, values: JsonObject) -> Environment | None:
    """An environment made of another library's object; None where no plugin knows it.

    Args:
        registry: the plugins, asked in their order.
        given: the object.
        values: parameters of the plugin that adopts it.
    """
    for plugin in registry.of_kind("environment"):
        if not plugin.spec.adopts:
            continue
        with blaming(plugin):
            built: Environment | None = load_object(plugin.spec.adopts)(given, values)
            if built is not None:
                KINDS["environment"].factory.check_built(plugin.spec.adopts, built)
                return built
    return None
