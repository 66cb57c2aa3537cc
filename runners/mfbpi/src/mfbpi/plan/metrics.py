"""Which metrics are measured: those asked for, or every default one that applies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

import attrs

from mfbpi.plan import selection
from mfbpi.plan.selection import Chosen
from mfbpi_core.contracts.agent import Agent
from mfbpi_core.data.problem import Problem
from mfbpi_core.data.task import PluginRef
from mfbpi_core.errors import ConflictError, NotFoundError, RequirementError
from mfbpi_core.plugins import assembly as build
from mfbpi_core.plugins import capabilities
from mfbpi_core.plugins.plugin import Plugin
from mfbpi_core.plugins.registry import Registry

#: What an agent provides, known only once it is built: in the worker.
AGENT_CAPABILITIES = frozenset(capabilities.OF_AGENTS)


def check_needs(
    plugin: Plugin,
    where: PluginRef,
    provided: frozenset[str],
    lacking: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Refuse an agent or a metric that cannot work there, with what the environment says of it.

    Raises:
        RequirementError: naming what is missing.
    """
    missing = plugin.spec.needs - provided - AGENT_CAPABILITIES
    if missing:
        why = "".join(f"; {lacking[word]}" for word in sorted(missing) if word in lacking)
        raise RequirementError(
            f"{plugin.kind} {plugin.spec.name} needs {', '.join(sorted(missing))}, which "
            f"environment {where.shown} does not provide; {capabilities.hint(missing, provided)}"
            f"it provides: {', '.join(sorted(provided)) or 'nothing'}{why}"
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


@attrs.frozen
class Measured:
    """What is measured in one environment.

    Attributes:
        refs: the metrics, sorted by name.
        warnings: default metrics left out for what may be a misspelt need, and agents of which
            nothing will be measured.
    """

    refs: tuple[PluginRef, ...]
    warnings: tuple[str, ...]


@attrs.frozen
class Metrics:
    """The metrics asked for, or every default one.

    Attributes:
        choices: the metrics with their parameters.
        asked_for: whether the user named them.
        warnings: default metrics left out because several distributions claim their name.
    """

    choices: Sequence[Chosen]
    asked_for: bool
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, registry: Registry, names: Sequence[str], settings: Sequence[str] = ()) -> Metrics:
        """Those of these names, or the defaults where there are none."""
        if names:
            chosen = [selection.metric(registry, name) for name in names]
            return cls(selection.metrics(registry, chosen, settings), asked_for=True)
        chosen, warnings = _defaults(registry)
        choices = selection.metrics(registry, chosen, settings)
        return cls(choices, asked_for=False, warnings=warnings)

    def measured(
        self,
        where: PluginRef,
        provided: frozenset[str],
        agents: Sequence[Chosen],
        about: Problem,
    ) -> Measured:
        """Those that can be measured in an environment, and what to say of agents there.

        Raises:
            RequirementError: for a metric that was asked for and cannot be measured.
            ConflictError: for two metrics that write the same column.
        """
        if self.asked_for:
            for choice in self.choices:
                check_needs(choice.plugin, where, provided)
        applicable = {
            choice.label: choice
            for choice in self.choices
            if choice.plugin.spec.needs <= provided | AGENT_CAPABILITIES
        }
        _check_columns({label: choice.plugin for label, choice in applicable.items()})
        return Measured(
            refs=tuple(choice.ref() for _, choice in sorted(applicable.items())),
            warnings=(
                *self._misspelt(set(applicable), provided),
                *self._uncounted(where, provided),
                *self._unmeasured(agents, where, provided, about),
            ),
        )

    def _misspelt(self, applicable: set[str], provided: frozenset[str]) -> Iterator[str]:
        """What to say of metrics that are left out."""
        for choice in self.choices:
            hint = capabilities.hint(choice.plugin.spec.needs, provided)
            if choice.label not in applicable and hint:
                needs = ", ".join(sorted(choice.plugin.spec.needs))
                yield f"metric {choice.label} is left out: it needs {needs}; {hint.strip()}"

    def _uncounted(self, where: PluginRef, provided: frozenset[str]) -> Iterator[str]:
        """What a class without packaging lacks for its exploration to be measured."""
        if self.asked_for or "cells" in provided or "#" not in where.name:
            return
        names = [c.label for c in self.choices if c.plugin.spec.needs - provided == {"cells"}]
        if names:
            example = (
                "Cells(count=self.n_states, index=lambda states: states)"
                if "states" in provided
                else "Cells(count=N, index=FUNCTION), from arrays [n, ...] to numbers [n]"
            )
            yield (
                f"exploration of {where.shown} is not measured: {', '.join(names)} count visits of "
                f"cells; give the class a property `cells` that returns mfbpi_core.{example}"
            )

    def _unmeasured(
        self, agents: Sequence[Chosen], where: PluginRef, provided: frozenset[str], about: Problem
    ) -> Iterator[str]:
        """Which runs will measure nothing, said before they start."""
        for agent in agents:
            has = provided | offered(agent.plugin, about)
            if not any(choice.plugin.spec.needs <= has for choice in self.choices):
                yield (
                    f"nothing will be measured of agent {agent.label} on {where.shown}: no metric "
                    "applies there; `mfbpi list metric` shows what is installed"
                )


def _defaults(registry: Registry) -> tuple[list[Plugin], tuple[str, ...]]:
    """The default metrics that can be told apart and built, and what to say of the others."""
    defaults = [p for p in registry.of_kind("metric") if p.spec.default]
    ambiguous = [p for p in defaults if selection.canonical_name(registry, p) != p.spec.name]
    unbuilt = {p.qualified_name: _obstacle(registry, p) for p in defaults if p not in ambiguous}
    warnings = [f"metric {name} is left out: {why}" for name, why in unbuilt.items() if why]
    if ambiguous:
        names = ", ".join(p.qualified_name for p in ambiguous)
        warnings.insert(
            0, f"several metrics have one name and are left out; choose with `metrics`: {names}"
        )
    usable = [p for p in defaults if unbuilt.get(p.qualified_name) == ""]
    return usable, tuple(warnings)


def _obstacle(registry: Registry, plugin: Plugin) -> str:
    """Why a default metric cannot be built: it names a bound that is not installed; or nothing."""
    try:
        build.find_named(registry, plugin.load_config()())
    except NotFoundError as error:
        return str(error)
    return ""


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
