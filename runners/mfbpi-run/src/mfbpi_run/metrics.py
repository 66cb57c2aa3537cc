"""Which metrics are measured: those asked for, or every default one that applies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mfbpi_core import config as configs
from mfbpi_core.errors import ConflictError, RequirementError
from mfbpi_core.plugin import Plugin
from mfbpi_core.registry import Registry
from mfbpi_core.task import PluginRef
from mfbpi_run import build, choices
from mfbpi_run.settings import unique

#: What an agent provides, known only once it is built: in the worker.
AGENT_CAPABILITIES = frozenset({"policy", "allocation"})


def check_needs(plugin: Plugin, where: PluginRef, provided: frozenset[str]) -> None:
    """Refuse an agent or a metric that cannot work there; raises :class:`RequirementError`."""
    missing = plugin.spec.needs - provided - AGENT_CAPABILITIES
    if missing:
        raise RequirementError(
            f"{plugin.kind} {plugin.spec.name} needs {', '.join(sorted(missing))}, which "
            f"environment {where.shown} does not provide; "
            f"it provides: {', '.join(sorted(provided)) or 'nothing'}"
        )


class Metrics:
    """The metrics asked for, or every default one that applies.

    Attributes:
        warnings: default metrics left out because several distributions claim their name.
    """

    def __init__(self, registry: Registry, names: tuple[str, ...]) -> None:
        self.asked_for = bool(names)
        self.warnings: tuple[str, ...] = ()
        chosen = (
            [registry.get("metric", name) for name in names]
            if names
            else [p for p in registry.of_kind("metric") if p.spec.default]
        )
        self.plugins = {choices.canonical_name(registry, plugin): plugin for plugin in chosen}
        if self.asked_for:
            unique("--metric", [choices.canonical_name(registry, plugin) for plugin in chosen])
        else:
            self._leave_out_ambiguous()

    def _leave_out_ambiguous(self) -> None:
        ambiguous = [name for name, plugin in self.plugins.items() if name != plugin.spec.name]
        for name in ambiguous:
            del self.plugins[name]
        if ambiguous:
            self.warnings = (
                "several metrics have one name and are left out; choose with --metric: "
                + ", ".join(ambiguous),
            )

    def for_environment(self, ref: PluginRef, provided: frozenset[str]) -> tuple[PluginRef, ...]:
        """Those that can be measured there, sorted by name."""
        if self.asked_for:
            for plugin in self.plugins.values():
                check_needs(plugin, ref, provided)
        applicable = {
            name: plugin
            for name, plugin in self.plugins.items()
            if plugin.spec.needs <= provided | AGENT_CAPABILITIES
        }
        _check_columns(applicable)
        return tuple(
            PluginRef(name=name, config=_defaults(plugin))
            for name, plugin in sorted(applicable.items())
        )


def _defaults(plugin: Plugin) -> dict[str, Any]:
    return dict(configs.to_dict(build.parameters(plugin, {})))


def _check_columns(plugins: Mapping[str, Plugin]) -> None:
    """Refuse two metrics that write the same column: their rows could not be told apart."""
    owners: dict[str, str] = {}
    for name, plugin in plugins.items():
        for column in plugin.spec.columns:
            if owners.setdefault(column.name, name) != name:
                raise ConflictError(
                    f"metrics {owners[column.name]} and {name} both measure {column.name!r}; "
                    "choose one with --metric"
                )
