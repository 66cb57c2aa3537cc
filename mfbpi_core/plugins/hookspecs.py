"""The hooks that a plugin may implement: one for each kind, ``mfbpi_agents`` and so on.

A plugin is a package with an entry point in the group ``mfbpi`` that names a module with some of
these functions, marked with :data:`hookimpl`. Each yields specs: the documentation of a hook, as
that of its spec, holds a complete plugin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from inspect import cleandoc
from types import ModuleType

import pluggy

from mfbpi_core.plugins.kind import Kind
from mfbpi_core.plugins.kinds import KINDS
from mfbpi_core.plugins.spec import Spec

#: Name of the project for pluggy, and of the entry point group.
PROJECT = "mfbpi"

_hookspec = pluggy.HookspecMarker(PROJECT)

#: Marks the implementation of a hook in a plugin.
hookimpl = pluggy.HookimplMarker(PROJECT)


def specifications() -> ModuleType:
    """The hook of every kind, as pluggy takes them."""
    module = ModuleType("mfbpi_hooks", __doc__)
    for kind in KINDS.values():
        setattr(module, kind.hook, _hookspec(_specification(kind)))
    return module


def _specification(kind: Kind) -> Callable[[], Iterable[Spec]]:
    def hook() -> Iterable[Spec]:
        yield from ()

    hook.__name__ = hook.__qualname__ = kind.hook
    hook.__doc__ = f"Yield the {kind.plural} of this plugin.\n\n{cleandoc(kind.spec.__doc__ or '')}"
    return hook


def __getattr__(name: str) -> Callable[[], Iterable[Spec]]:
    """A hook by its name, such as ``help(hookspecs.mfbpi_agents)`` asks for."""
    for kind in KINDS.values():
        if kind.hook == name:
            return _specification(kind)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
