"""The mistakes in a plugin's hooks that pluggy passes over in silence."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pluggy

from mfbpi_core.errors import PluginError
from mfbpi_core.plugins import kinds
from mfbpi_core.plugins.kind import PREFIX
from mfbpi_core.plugins.spec import Spec
from mfbpi_core.text import did_you_mean

#: How alike a name must be to a hook's to be meant for it.
_ALIKE = 0.85

#: What pluggy's markers leave on a function.
_IMPLEMENTATION, _SPECIFICATION = "mfbpi_impl", "mfbpi_spec"


class Manager(pluggy.PluginManager):
    """pluggy's, which looks at what a module imports, too, and takes ten times as long for it."""

    def parse_hookimpl_opts(self, plugin: object, name: str) -> pluggy.HookimplOpts | None:
        """How a name of a plugin is marked; None for what is no function of a module."""
        members = vars(plugin) if isinstance(plugin, ModuleType) else {}
        if name in members and not inspect.isroutine(members[name]):
            return None
        return super().parse_hookimpl_opts(plugin, name)


def check_hooks(module: object) -> None:
    """Refuse functions that are meant for hooks and would never be called.

    Args:
        module: what an entry point names.

    Raises:
        PluginError: for a hook without its decorator, or a name that is nearly that of a hook.
    """
    for name, function in getattr(module, "__dict__", {}).items():
        if name.startswith(PREFIX) and inspect.isroutine(function):
            _check_hook(name, function)


def _check_hook(name: str, function: Callable[..., object]) -> None:
    marked, hooks = hasattr(function, _IMPLEMENTATION), kinds.hooks()
    if hasattr(function, _SPECIFICATION) or (name in hooks and marked):
        return
    if name in hooks:
        raise PluginError(
            f"{name} is not marked as a hook and would never be called; write @hookimpl above it "
            "(from mfbpi_core import hookimpl)"
        )
    hint = did_you_mean(name, hooks, _ALIKE)
    if hint or marked:
        raise PluginError(f"{name} is not a hook; {hint}hooks are: {', '.join(hooks)}")


def yielded(name: str, hook: Callable[[], object]) -> Iterator[Any]:
    """What a hook yields, or the list that it returns.

    Raises:
        PluginError: when it returns something else, such as a spec.
    """
    result = hook()
    if isinstance(result, Spec) or not hasattr(result, "__iter__") or isinstance(result, str):
        raise PluginError(
            f"{name} returned {type(result).__name__}; expected it to yield specs: write "
            f"`yield {_spec_in(result)}(...)`, not `return`"
        )
    returned = yield from result
    if returned is not None:
        raise PluginError(
            f"{name} returned {type(returned).__name__} besides what it yielded; yield every spec"
        )


def _spec_in(result: object) -> str:
    return type(result).__name__ if isinstance(result, Spec) else "Spec"


def nothing_yielded(module: object) -> PluginError:
    """What to say of an entry point without plugins."""
    return PluginError(
        f"{getattr(module, '__name__', module)} yields no plugin; expected one of the hooks "
        f"{', '.join(kinds.hooks())}, marked with @hookimpl, that yields a spec"
    )
