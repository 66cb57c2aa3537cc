"""Discovery of installed plugins, isolated from each other's failures, and look-up by name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from importlib.metadata import EntryPoint
from types import ModuleType
from typing import Any

from mfbpi_core.errors import ConflictError, NotFoundError, PluginError
from mfbpi_core.plugins import hookspecs
from mfbpi_core.plugins._hooks import Manager, check_hooks, nothing_yielded, yielded
from mfbpi_core.plugins.installed import Unusable, origins
from mfbpi_core.plugins.kind import Kind
from mfbpi_core.plugins.kinds import KINDS
from mfbpi_core.plugins.plugin import Plugin, PluginProblem
from mfbpi_core.text import articled, did_you_mean


class Registry:
    """The plugins found, by kind and name, and the problems met.

    Use :meth:`discover`; constructing one and calling :meth:`add` serves tests.
    """

    def __init__(self) -> None:
        self._manager = Manager(hookspecs.PROJECT)
        self._manager.add_hookspecs(hookspecs.specifications())
        self.plugins: list[Plugin] = []
        self.problems: list[PluginProblem] = []

    @classmethod
    def discover(cls, found: Iterable[EntryPoint] | None = None) -> Registry:
        """Load every entry point of the group ``mfbpi``; one that fails does not stop the rest.

        Args:
            found: the entry points; those installed if None.

        Raises:
            PluginError: only with ``MFBPI_STRICT=1`` in the environment, at the first failure.
        """
        registry = cls()
        for origin in origins(hookspecs.PROJECT, found):
            if isinstance(origin, Unusable):
                registry._note(origin.distribution, origin.version, "metadata", origin.error)
            else:
                registry.add(
                    origin.distribution, origin.version, origin.point.name, origin.point.load
                )
        return registry

    def add(self, distribution: str, version: str, name: str, load: Any) -> None:
        """Take in the plugins of one module, all or none of them.

        Args:
            distribution: name of the distribution it belongs to.
            version: its version.
            name: name of the entry point.
            load: called without arguments; imports and returns the module.
        """
        stage = "import"
        module: ModuleType | None = None
        try:
            module = load()
            stage = "register"
            check_hooks(module)
            self._manager.register(module, name=f"{distribution}:{name}")
            self._manager.check_pending()
            stage = "hook"
            results = list(self._call_hooks(module))
            if not results:
                raise nothing_yielded(module)
            stage = "spec"
            plugins = [_checked(kind, spec, distribution, version) for kind, spec in results]
            self._check_unique(plugins)
            self.plugins.extend(plugins)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # exits, and what test tools skip with, among them
            # pluggy 1.6 keeps a plugin registered after a failed validation.
            if module is not None and self._manager.is_registered(module):
                self._manager.unregister(module)
            self._note(distribution, version, stage, error)

    def _note(self, distribution: str, version: str, stage: str, error: BaseException) -> None:
        """Keep a problem, or raise it in strict mode."""
        problem = PluginProblem(
            distribution=distribution, version=version, stage=stage, error=error
        )
        if os.environ.get("MFBPI_STRICT") == "1":
            raise PluginError(str(problem)) from error
        self.problems.append(problem)

    def _call_hooks(self, module: ModuleType) -> Iterator[tuple[Kind, Any]]:
        """Run this module's hooks only, so that one that raises cannot abort the others'."""
        for kind in KINDS.values():
            caller = getattr(self._manager.hook, kind.hook)
            for implementation in caller.get_hookimpls():
                if implementation.plugin is module:
                    found = yielded(kind.hook, implementation.function)
                    yield from ((kind, spec) for spec in found)

    def _check_unique(self, plugins: list[Plugin]) -> None:
        """Within one distribution a name is used once per kind."""
        seen = {(p.kind, p.qualified_name) for p in self.plugins}
        for plugin in plugins:
            if (plugin.kind, plugin.qualified_name) in seen:
                raise PluginError(f"{plugin.kind} {plugin.spec.name} is declared twice")
            seen.add((plugin.kind, plugin.qualified_name))

    def features(self) -> dict[str, str]:
        """What environments declare to offer beyond the words of the core, and its promise."""
        declared = [plugin.spec.features for plugin in self.of_kind("environment")]
        return {word: promise for each in declared for word, promise in each.items()}

    def of_kind(self, kind: str) -> list[Plugin]:
        """Every plugin of a kind, by name, then distribution."""
        chosen = [p for p in self.plugins if p.kind == kind]
        return sorted(chosen, key=lambda p: (p.spec.name, p.distribution))

    def get(self, kind: str, name: str) -> Plugin:
        """Find a plugin by ``name`` or ``distribution:name``.

        Raises:
            NotFoundError: with close matches, kinds that do have the name, what is installed,
                and the plugins that failed to load.
            ConflictError: when several distributions claim the name, listing them.
        """
        matches = [p for p in self.of_kind(kind) if name in (p.spec.name, p.qualified_name)]
        if not matches:
            raise NotFoundError(self._not_found(kind, name))
        if len(matches) > 1:
            claims = ", ".join(f"{p.qualified_name} ({p.version})" for p in matches)
            raise ConflictError(
                f"several {KINDS[kind].plural} are called {name!r}; choose one: {claims}"
            )
        return matches[0]

    def _not_found(self, kind: str, name: str) -> str:
        names = [p.spec.name for p in self.of_kind(kind)]
        parts = [f"no {kind} is called {name!r}"]
        hint = did_you_mean(name, names)
        if hint:
            parts.append(hint.rstrip())
        others = sorted({p.kind for p in self.plugins if p.spec.name == name})
        if others:
            parts.append(f"there is {' and '.join(map(articled, others))} of that name")
        parts.append(f"installed: {', '.join(names) if names else 'none'}")
        parts.extend(f"not loaded: {problem}" for problem in self.problems)
        return "; ".join(parts)


def _checked(kind: Kind, spec: object, distribution: str, version: str) -> Plugin:
    if not isinstance(spec, kind.spec):
        raise PluginError(f"{kind.hook} yielded {spec!r}; expected {kind.spec.__name__} objects")
    return Plugin(kind=kind.name, spec=spec, distribution=distribution, version=version)


def find_environment(registry: Registry, label: str) -> tuple[Plugin, dict[str, str]]:
    """Find an environment by ``name``, ``distribution:name`` or ``name:argument``.

    Returns:
        The plugin, and the parameter that the argument sets, if there is one.

    Raises:
        NotFoundError: when no environment is called so.
    """
    try:
        return registry.get("environment", label), {}
    except NotFoundError:
        found = _with_argument(registry, label)
        if found is None:
            raise
    return found


def _with_argument(registry: Registry, label: str) -> tuple[Plugin, dict[str, str]] | None:
    """Try every colon, from the right, as the one before the argument."""
    for position in reversed([i for i, character in enumerate(label) if character == ":"]):
        name, argument = label[:position], label[position + 1 :]
        try:
            plugin = registry.get("environment", name)
        except NotFoundError:
            continue
        if not plugin.spec.argument:
            raise NotFoundError(
                f"environment {name} takes nothing after a colon, but {label!r} was given; "
                "set its parameters with `environment_settings` KEY=VALUE"
            )
        return plugin, {plugin.spec.argument: argument}
    return None
