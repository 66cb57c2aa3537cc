"""Which metrics are measured: those asked for, or every default one that applies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mfbpi.plan import selection as choices
from mfbpi_core.contracts.agent import Agent
from mfbpi_core.data.problem import Problem
from mfbpi_core.data.task import PluginRef
from mfbpi_core.errors import ConflictError, RequirementError
from mfbpi_core.plugins import capabilities
from mfbpi_core.plugins.plugin import Plugin
from mfbpi_core.plugins.registry import Registry

#: What an agent provides, known only once it is built: in the worker.
AGENT_CAPABILITIES = frozenset(capabilities.OF_AGENTS)


def check_needs(plugin: Plugin, where: PluginRef, provided: frozenset[str]) -> None:
    """Refuse an agent or a metric that cannot work there; raises :class:`RequirementError`."""
    missing = plugin.spec.needs - provided - AGENT_CAPABILITIES
    if missing:
        raise RequirementError(
            f"{plugin.kind} {plugin.spec.name} needs {', '.join(sorted(missing))}, which "
            f"environment {where.shown} does not provide; {capabilities.hint(missing, provided)}"
            f"it provides: {', '.join(sorted(provided)) or 'nothing'}"
        )


def offered(plugin: Plugin, about: Problem) -> frozenset[str]:
    """What an agent may provide, told by its class: all of it where a function builds it."""
    factory = plugin.load_factory()
    if not isinstance(factory, type) or not issubclass(factory, Agent):
        return AGENT_CAPABILITIES
    of_states = about.n_states is not None
    offers = {
        "policy": of_states or factory.recommended_policy is not Agent.recommended_policy,
        "allocation": factory.allocation is not Agent.allocation,
    }
    return frozenset(name for name, offer in offers.items() if offer)


class Metrics:
    """The metrics asked for, or every default one that applies.

    Attributes:
        warnings: default metrics left out because several distributions claim their name, or
            because of what may be a misspelt need; agents of which nothing will be measured.
    """

    def __init__(
        self, registry: Registry, names: Sequence[str], settings: Sequence[str] = ()
    ) -> None:
        self.asked_for = bool(names)
        self.warnings: tuple[str, ...] = ()
        chosen = (
            [choices.metric(registry, name) for name in names]
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
                "several metrics have one name and are left out; choose with `metrics`: "
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
        self._warn_of_misspelt(set(applicable), provided)
        _check_columns({label: choice.plugin for label, choice in applicable.items()})
        return tuple(choice.ref() for _, choice in sorted(applicable.items()))

    def _warn_of_misspelt(self, applicable: set[str], provided: frozenset[str]) -> None:
        for choice in self.choices:
            hint = capabilities.hint(choice.plugin.spec.needs, provided)
            if choice.label not in applicable and hint:
                needs = ", ".join(sorted(choice.plugin.spec.needs))
                self._warn(f"metric {choice.label} is left out: it needs {needs}; {hint.strip()}")

    def warn_if_nothing_is_measured(
        self,
        agents: Sequence[choices.Choice],
        where: PluginRef,
        provided: frozenset[str],
        about: Problem,
    ) -> None:
        """Say, before they start, which runs will measure nothing."""
        for agent in agents:
            has = provided | offered(agent.plugin, about)
            if not any(choice.plugin.spec.needs <= has for choice in self.choices):
                self._warn(
                    f"nothing will be measured of agent {agent.label} on {where.shown}: no metric "
                    "applies there; `mfbpi list metric` shows what is installed"
                )

    def _warn(self, message: str) -> None:
        if message not in self.warnings:
            self.warnings += (message,)


def _check_columns(plugins: Mapping[str, Plugin]) -> None:
    """Refuse two metrics that write the same column: their rows could not be told apart."""
    owners: dict[str, str] = {}
    for name, plugin in plugins.items():
        for column in plugin.spec.columns:
            if owners.setdefault(column.name, name) != name:
                raise ConflictError(
                    f"metrics {owners[column.name]} and {name} both measure {column.name!r}; "
                    "choose one with `metrics`"
                )
