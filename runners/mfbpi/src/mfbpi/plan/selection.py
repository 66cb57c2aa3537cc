"""Resolves the plugins of a run: names to plugins, and their settings to parameters."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import get_type_hints

import attrs

from mfbpi.plan import named_bounds, own
from mfbpi.plan.reading import as_float, blaming, typed
from mfbpi.plan.settings import Setting, parse_settings, unique
from mfbpi_core.contracts import experiment
from mfbpi_core.contracts import parameters as configs
from mfbpi_core.contracts.experiment import labelled
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.data.task import PluginRef
from mfbpi_core.errors import ConfigError, UsageError
from mfbpi_core.plugins import assembly as build
from mfbpi_core.plugins.plugin import Plugin
from mfbpi_core.plugins.registry import Registry
from mfbpi_core.text import did_you_mean


@attrs.frozen(kw_only=True, eq=False)
class Chosen:
    """A plugin chosen for a run.

    Attributes:
        name: what finds it in the registry, with what the name itself sets after a colon.
        label: how it is called in the results.
        plugin: the plugin.
        config_class: its ``Config``.
        values: the parameters that were set; all others have the preset's or default values.
    """

    name: str
    label: str
    plugin: Plugin
    config_class: type
    values: JsonObject

    def ref(self, preset: Mapping[str, object] | None = None) -> PluginRef:
        """The plugin with every parameter; what was set goes before the preset."""
        with blaming(self.plugin, self.label):
            config: attrs.AttrsInstance = configs.from_dict(
                self.config_class, {**(preset or {}), **self.values}
            )
            values = configs.to_dict(config)
            configs.check_plain(values)
        label = "" if self.label == self.name else self.label
        return PluginRef(name=self.name, config=values, label=label)


def agents(registry: Registry, names: Sequence[str], settings: Sequence[str]) -> list[Chosen]:
    """Resolve agents and their settings, in the order given; raises :class:`UsageError`."""
    found = [_find(registry, "agent", name) for name in names]
    return _resolve(registry, "agents", found, parse_settings("agent_settings", settings))


def environments(registry: Registry, names: Sequence[str], settings: Sequence[str]) -> list[Chosen]:
    """Resolve environments and their settings, in the order given; raises :class:`UsageError`."""
    found = [_find(registry, "environment", name) for name in names]
    return _resolve(
        registry,
        "environments",
        found,
        parse_settings("environment_settings", settings),
    )


def bound(registry: Registry, name: str, settings: Sequence[str]) -> Chosen:
    """Resolve a bound and its settings; raises :class:`UsageError`."""
    found = [_find(registry, "bound", name)]
    return _resolve(registry, "`bound`", found, parse_settings("bound_settings", settings))[0]


def executor(registry: Registry, name: str, settings: Sequence[str]) -> Chosen:
    """Resolve an executor and its settings; raises :class:`UsageError`."""
    found = [(registry.get("executor", name), dict[str, str]())]
    return _resolve(registry, "`executor`", found, parse_settings("executor_settings", settings))[0]


def metric(registry: Registry, name: str) -> Plugin:
    """Find a metric; raises :class:`UsageError`."""
    return _find(registry, "metric", name)[0]


def stopping_rule(registry: Registry, name: str, settings: Sequence[str]) -> Chosen:
    """Resolve a stopping rule and its settings; raises :class:`UsageError`."""
    found = [_find(registry, "stopping_rule", name)]
    return _resolve(registry, "`stop`", found, parse_settings("stop_settings", settings))[0]


def metrics(registry: Registry, plugins: Sequence[Plugin], settings: Sequence[str]) -> list[Chosen]:
    """Give metrics their settings, in the order given; raises :class:`UsageError`."""
    found = [(plugin, dict[str, str]()) for plugin in plugins]
    return _resolve(registry, "metrics", found, parse_settings("metric_settings", settings))


def listed(registry: Registry, kind: str, choices: Sequence[experiment.Choice]) -> list[Chosen]:
    """Resolve what an experiment lists, every combination of values; raises UsageError."""
    found = [_listed(registry, kind, point) for each in choices for point in each.expand()]
    unique(kind, [choice.label for choice in found], "; tell them apart with a label")
    return found


def given(registry: Registry, kind: str, choices: Sequence[experiment.Choice]) -> list[Chosen]:
    """Resolve choices as the command line resolves names and settings, so that tasks are equal."""
    return listed(registry, kind, [_as_on_the_command_line(registry, kind, c) for c in choices])


def _as_on_the_command_line(
    registry: Registry, kind: str, choice: experiment.Choice
) -> experiment.Choice:
    """The choice under the plugin's canonical name, with floats where floats are expected."""
    plugin, fixed = _find(registry, kind, choice.name)
    name = ":".join([canonical_name(registry, plugin), *fixed.values()])
    if isinstance(plugin, own.OwnPlugin):
        name = choice.name  # replaced once the label is known
    label = "" if choice.label == choice.name else choice.label
    hints = get_type_hints(plugin.load_config())
    values = {key: as_float(v, hints.get(key)) for key, v in choice.parameters.items()}
    return experiment.Choice(name, label=label, replicate=choice.replicate, **values)


def _find(registry: Registry, kind: str, name: str) -> tuple[Plugin, Mapping[str, str]]:
    found = own.find(registry, kind, name)
    if found is not None:
        return found, {}
    if kind == "environment":
        _refuse_file(registry, name)
        return build.find_environment(registry, name)
    return registry.get(kind, name), {}


def _refuse_file(registry: Registry, name: str) -> None:
    """Say under which name a file is an environment, where a plugin reads such files."""
    ending = Path(name).suffix.lower()
    readers = [p for p in registry.of_kind("environment") if ending and ending in p.spec.reads]
    if readers and ":" not in name:
        raise UsageError(f"{name!r} is a file; give '{readers[0].spec.name}:{name}'")


def _listed(registry: Registry, kind: str, choice: experiment.Choice) -> Chosen:
    plugin, fixed = _find(registry, kind, choice.name)
    config_class = plugin.load_config()
    with blaming(plugin, choice.label):
        parsed = typed(config_class, fixed)
    name, label = choice.name, choice.label
    if isinstance(plugin, own.OwnPlugin):
        name = plugin.qualified_name
        if label.startswith(choice.name):
            label = plugin.spec.name + label.removeprefix(choice.name)
    made = Chosen(
        name=name,
        label=label,
        plugin=plugin,
        config_class=config_class,
        values={**parsed, **choice.parameters},
    )
    return _checked(registry, made)


def canonical_name(registry: Registry, plugin: Plugin) -> str:
    """The plugin's name, or ``distribution:name`` where the name alone is ambiguous."""
    if isinstance(plugin, own.OwnPlugin):
        return plugin.qualified_name
    rivals = [p for p in registry.of_kind(plugin.kind) if p.spec.name == plugin.spec.name]
    return str(plugin.spec.name) if len(rivals) == 1 else plugin.qualified_name


@attrs.frozen(kw_only=True, eq=False)
class _Candidate:
    """A plugin named on the command line, before its settings are read.

    Attributes:
        name: what finds it in the registry.
        label: how it is called in the results.
        plugin: the plugin.
        config_class: its ``Config``.
        fixed: parameters that the label itself sets, as text.
    """

    name: str
    label: str
    plugin: Plugin
    config_class: type
    fixed: Mapping[str, str]

    @property
    def keys(self) -> list[str]:
        """Names of the plugin's parameters, but for the field that takes any other."""
        names = [field.name for field in attrs.fields(self.config_class)]
        return [name for name in names if name != self.field_of_others]

    @property
    def field_of_others(self) -> str | None:
        """The field for keys that only the plugin knows, if it has one."""
        return configs.field_of_others(self.config_class)

    def is_called(self, name: str) -> bool:
        """Whether a setting for ``name`` is meant for this one."""
        return name in (self.label, self.plugin.spec.name, self.plugin.qualified_name)

    def choose(self, settings: Sequence[Setting], declared: Collection[str]) -> Chosen:
        """Read the settings meant for this one.

        Args:
            settings: all of the run.
            declared: keys that some plugin of the run declares; all others are meant for those
                that take any.
        """
        with blaming(self.plugin, self.label):
            values = typed(self.config_class, _chosen(self, settings, declared))
        shown = {key: value for key, value in values.items() if key not in self.fixed}
        # A metric is known by its columns, whatever its parameters.
        label = self.label if self.plugin.kind == "metric" else labelled(self.label, shown)
        return Chosen(
            name=self.name,
            label=label,
            plugin=self.plugin,
            config_class=self.config_class,
            values=values,
        )


def _resolve(
    registry: Registry,
    option: str,
    found: Sequence[tuple[Plugin, Mapping[str, str]]],
    settings: Sequence[Setting],
) -> list[Chosen]:
    candidates = [_candidate(registry, plugin, fixed) for plugin, fixed in found]
    unique(option, [candidate.label for candidate in candidates])
    for setting in settings:
        _check_target(setting, candidates)
    declared = {key for candidate in candidates for key in candidate.keys}
    return [_checked(registry, one.choose(settings, declared)) for one in candidates]


def _checked(registry: Registry, choice: Chosen) -> Chosen:
    """The choice, if the bound that its parameters name can be built; raises ConfigError."""
    of, given = choice.config_class, choice.values
    with blaming(choice.plugin, choice.label):
        named = named_bounds.taken_in(registry, of, given, choice.label)
        config: object = configs.from_dict(of, named.values)
        build.find_named(registry, config)
    return attrs.evolve(choice, values=named.values, label=named.label)


def _candidate(registry: Registry, plugin: Plugin, fixed: Mapping[str, str]) -> _Candidate:
    name = ":".join([canonical_name(registry, plugin), *fixed.values()])
    return _Candidate(
        name=name,
        label=plugin.spec.name if isinstance(plugin, own.OwnPlugin) else name,
        plugin=plugin,
        config_class=plugin.load_config(),
        fixed=fixed,
    )


def _check_target(setting: Setting, candidates: Sequence[_Candidate]) -> None:
    """Every setting must be meant for someone who is in the run."""
    labels = [candidate.label for candidate in candidates]
    if setting.target is not None:
        if not any(candidate.is_called(setting.target) for candidate in candidates):
            raise UsageError(
                f"{setting}: {setting.target!r} is not in this run; "
                f"{did_you_mean(setting.target, labels)}it has: {', '.join(labels)}"
            )
        return
    known = sorted({key for candidate in candidates for key in candidate.keys})
    takes_any = any(candidate.field_of_others for candidate in candidates)
    if setting.key not in known and not takes_any:
        raise ConfigError(
            f"{setting}: none of {', '.join(labels)} has a parameter {setting.key!r}; "
            f"{did_you_mean(setting.key, known)}parameters are: {', '.join(known) or 'none'}"
        )


def _chosen(
    candidate: _Candidate, settings: Sequence[Setting], declared: Collection[str]
) -> dict[str, str]:
    """The texts meant for a candidate; what is set for it alone goes before what is for all."""
    own_keys, takes_any = candidate.keys, candidate.field_of_others is not None
    for_all = {
        s.key: s
        for s in settings
        if s.target is None and (s.key in own_keys or (takes_any and s.key not in declared))
    }
    for_this = {
        s.key: s for s in settings if s.target is not None and candidate.is_called(s.target)
    }
    chosen = for_all | for_this
    for key in candidate.fixed.keys() & chosen.keys():
        raise ConfigError(f"{chosen[key]}: {candidate.label} already sets {key}; give it once")
    return {key: setting.value for key, setting in chosen.items()} | dict(candidate.fixed)
