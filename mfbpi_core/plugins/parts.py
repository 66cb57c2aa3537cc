"""Plugins found by their references, with their parameters; and errors that name the plugin."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import attrs

from mfbpi_core import forks
from mfbpi_core.contracts import parameters as configs
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.data.task import PluginRef
from mfbpi_core.errors import MfbpiError, PluginError
from mfbpi_core.plugins.plugin import Plugin
from mfbpi_core.plugins.registry import Registry, find_environment
from mfbpi_core.text import described


@contextmanager
def blaming(plugin: Plugin) -> Iterator[None]:
    """Turn an unforeseen exception of a plugin into a :class:`PluginError` that names it."""
    owner = os.getpid()
    try:
        yield
    except PluginError as error:
        if isinstance(error, plugin.fault):
            raise
        raise plugin.fault(str(error)) from error
    except MfbpiError:
        raise
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # exits, and what test tools skip with, among them
        raise plugin.fault(f"{plugin.described}: {described(error)}") from error
    finally:
        forks.end_copy(owner)


def parameters(plugin: Plugin, values: JsonObject) -> Any:
    """The plugin's ``Config`` with these values."""
    with blaming(plugin):
        return configs.from_dict(plugin.load_config(), values)


@attrs.frozen
class Part:
    """A plugin that was found, with its parameters: looked up and read once, built at will."""

    plugin: Plugin
    config: Any


def find(registry: Registry, kind: str, ref: PluginRef) -> Part:
    """The plugin of a reference.

    Raises:
        NotFoundError: when none is called so.
        ConfigError: for a parameter that it does not have, or out of its range.
    """
    if kind == "environment":
        plugin, _ = find_environment(registry, ref.name)
    else:
        plugin = registry.get(kind, ref.name)
    return Part(plugin, parameters(plugin, ref.config))
