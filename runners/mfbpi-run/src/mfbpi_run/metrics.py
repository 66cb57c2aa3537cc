"""Which metrics are measured: those asked for, or every default one that applies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mfbpi_core.errors import ConflictError, RequirementError
from mfbpi_core.plugin import Plugin
from mfbpi_core.registry import Registry
from mfbpi_core.task import PluginRef
from mfbpi_run import choices

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

    def __init__(
        self, registry: Registry, names: Sequence[str], settings: Sequence[str] = ()
    ) -> None:
        self.asked_for = bool(names)
        self.warnings: tuple[str, ...] = ()
        chosen = (
            [registry.get("metric", name) for name in names]
            if names
            else self._unambiguous(registry)
        )
        self.choices = choices.metrics(registry, chosen, settings)

    def _unambiguous(self, registry: Registry) -> list[Plugin]:
        """The default metrics, less those whose name several distributions claim."""
        defaults = [p for p in registry.of_kind("metric") if p.spec.default]
        names = {p.qualified_name: choices.canonical_name(registry, p) for p in defaults}
        ambiguous = [p.qualified_name for p in defaults if names[p.qualified_name] != p.spec.name]
        if ambiguous:
            self.warnings = (
                "several metrics have one name and are left out; choose with --metric: "
                + ", ".join(ambiguous),
            )
        return [p for p in defaults if p.qualified_name not in ambiguous]

    def for_environment(self, ref: PluginRef, provided: frozenset[str]) -> tuple[PluginRef, ...]:
        """Those that can be measured there, sorted by name."""
        if self.asked_for:
            for choice in self.choices:
                check_needs(choice.plugin, ref, provided)
        applicable = {
            choice.label: choice
            for choice in self.choices
            if choice.plugin.spec.needs <= provided | AGENT_CAPABILITIES
        }
        _check_columns({label: choice.plugin for label, choice in applicable.items()})
        return tuple(choice.ref() for _, choice in sorted(applicable.items()))


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
