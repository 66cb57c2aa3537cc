"""Resolves the plugins of a run: names to plugins, and their settings to parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from mfbpi_core import config as configs
from mfbpi_core.errors import ConfigError, MfbpiError, UsageError
from mfbpi_core.plugin import Plugin
from mfbpi_core.registry import Registry
from mfbpi_core.task import PluginRef
from mfbpi_run import build
from mfbpi_run.settings import Setting, close_match, parse_setting, unique


@attrs.frozen(kw_only=True)
class Choice:
    """A plugin chosen for a run.

    Attributes:
        label: how it is called in the results.
        plugin: the plugin.
        config_class: its ``Config``.
        fixed: parameters that the label itself sets, as text.
    """

    label: str
    plugin: Plugin
    config_class: type[Any]
    fixed: dict[str, str] = attrs.field(factory=dict)

    @property
    def keys(self) -> list[str]:
        """Names of the plugin's parameters."""
        return [field.name for field in attrs.fields(self.config_class)]

    def is_called(self, name: str) -> bool:
        """Whether a setting for ``name`` is meant for this one."""
        return name in (self.label, self.plugin.spec.name, self.plugin.qualified_name)


def agents(registry: Registry, names: Sequence[str], settings: Sequence[str]) -> list[PluginRef]:
    """Resolve ``--agent`` and ``-A``, in the order given; raises :class:`UsageError`."""
    choices = [_choose(registry, registry.get("agent", name), {}) for name in names]
    return _resolve("agent", choices, [parse_setting("-A", text) for text in settings])


def environments(
    registry: Registry, names: Sequence[str], settings: Sequence[str]
) -> list[PluginRef]:
    """Resolve ``--env`` and ``-E``, in the order given; raises :class:`UsageError`."""
    found = [build.find_environment(registry, name) for name in names]
    choices = [_choose(registry, plugin, fixed) for plugin, fixed in found]
    return _resolve("env", choices, [parse_setting("-E", text) for text in settings])


def canonical_name(registry: Registry, plugin: Plugin) -> str:
    """The plugin's name, or ``distribution:name`` where the name alone is ambiguous."""
    rivals = [p for p in registry.of_kind(plugin.kind) if p.spec.name == plugin.spec.name]
    return str(plugin.spec.name) if len(rivals) == 1 else plugin.qualified_name


def _choose(registry: Registry, plugin: Plugin, fixed: dict[str, str]) -> Choice:
    name = canonical_name(registry, plugin)
    label = ":".join([name, *fixed.values()])
    return Choice(label=label, plugin=plugin, config_class=plugin.load_config(), fixed=fixed)


def _resolve(
    option: str, choices: Sequence[Choice], settings: Sequence[Setting]
) -> list[PluginRef]:
    unique(f"--{option}", [choice.label for choice in choices])
    for setting in settings:
        _check_target(setting, choices)
    return [
        PluginRef(name=choice.label, config=configs.to_dict(_configured(choice, settings)))
        for choice in choices
    ]


def _check_target(setting: Setting, choices: Sequence[Choice]) -> None:
    """Every setting must be meant for someone who is in the run."""
    labels = [choice.label for choice in choices]
    if setting.target is not None:
        if not any(choice.is_called(setting.target) for choice in choices):
            raise UsageError(
                f"{setting}: {setting.target!r} is not in this run; "
                f"{close_match(setting.target, labels)}it has: {', '.join(labels)}"
            )
        return
    known = sorted({key for choice in choices for key in choice.keys})
    if setting.key not in known:
        raise ConfigError(
            f"{setting}: none of {', '.join(labels)} has a parameter {setting.key!r}; "
            f"{close_match(setting.key, known)}parameters are: {', '.join(known) or 'none'}"
        )


def _configured(choice: Choice, settings: Sequence[Setting]) -> Any:
    """The ``Config`` of a choice; what is set for it alone goes before what is set for all."""
    for_all = {s.key: s for s in settings if s.target is None and s.key in choice.keys}
    for_this = {s.key: s for s in settings if s.target is not None and choice.is_called(s.target)}
    chosen = for_all | for_this
    for key in choice.fixed.keys() & chosen.keys():
        raise ConfigError(f"{chosen[key]}: {choice.label} already sets {key}; give it once")
    given = {key: setting.value for key, setting in chosen.items()} | choice.fixed
    try:
        return configs.parse(choice.config_class, given)
    except MfbpiError as error:
        raise ConfigError(f"{choice.plugin.kind} {choice.label}: {error}") from error
