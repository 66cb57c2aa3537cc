"""Plugins without packaging: a class in one file, or of this session.

Such a plugin is known by the name of its file and a hash of its content, never by its path: what
was run with another content is another plugin. Workers import the file by its path; a class of a
session is sent to them by its value.
"""

from __future__ import annotations

import pickle
import re
import sys
import types
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import ClassVar

import attrs

from mfbpi.plan import sending, unchanged
from mfbpi.plan.definition import DECLARED, base, config_of, kind_of
from mfbpi.plan.in_file import InFile
from mfbpi_core.errors import OwnPluginError, PluginError, UsageError
from mfbpi_core.plugins.kinds import KINDS
from mfbpi_core.plugins.plugin import Plugin
from mfbpi_core.plugins.registry import Registry
from mfbpi_core.plugins.spec import Spec
from mfbpi_core.plugins.specs import Column
from mfbpi_core.text import described

#: Classes without packaging, as a reader says where they are.
Code = str | type | Iterable[str | type]

#: A class in a file, as it is asked for.
_IN_FILE = re.compile(r"(.+\.py):([A-Za-z_]\w*)")

#: Where the ``Config`` of a plugin is found in its module, whatever that calls it.
_CONFIG = "mfbpi_config_of_"

#: A class of this session, as :func:`named` calls it.
_IN_SESSION = re.compile(r"session#([0-9a-f]{16}):(\w+)")


@attrs.frozen(kw_only=True)
class InSession:
    """A class of this process, which others cannot import."""

    name: str
    digest: str

    @property
    def distribution(self) -> str:
        """What it is known by."""
        return f"session#{self.digest}"

    def module(self) -> types.ModuleType:
        """The module that :func:`named` made.

        Raises:
            UsageError: when the class was edited since.
        """
        module = sys.modules[f"mfbpi_own_{self.digest}"]
        unchanged.begin(getattr(module, self.name), self.digest)
        return module

    def __reduce__(self) -> tuple[Callable[..., InSession], tuple[str, str, bytes]]:
        """Go to another process with the class, by its value."""
        found = getattr(self.module(), self.name)
        try:
            content = sending.packed(found)
        except Exception as error:  # whatever an object that the class uses raises
            raise UsageError(
                f"{self.name} is a class of this session that cannot be sent to other processes "
                f"({described(error)}): choose `executor='serial'`, or put it into a file and "
                f"give './FILE.py:{self.name}'"
            ) from error
        return _received, (self.name, self.digest, content)


def _received(name: str, digest: str, content: bytes) -> InSession:
    """In another process: take in a class that the driver has sent, and nobody else."""
    module = sys.modules.setdefault(f"mfbpi_own_{digest}", types.ModuleType(f"mfbpi_own_{digest}"))
    setattr(module, name, pickle.loads(content))
    return InSession(name=name, digest=digest)


@attrs.frozen(kw_only=True)
class OwnPlugin(Plugin):
    """A plugin without packaging, and where it comes from."""

    fault: ClassVar[type[PluginError]] = OwnPluginError

    origin: InFile | InSession


def find(registry: Registry, kind: str, name: str) -> Plugin | None:
    """A plugin by ``FILE.py:CLASS``, or by what :func:`named` returned; None for other names.

    Raises:
        UsageError: when there is none, or it is of another kind.
    """
    plugin = of_any_kind(registry, name)
    if plugin is not None and plugin.kind != kind:
        raise UsageError(
            f"{name} is derived from {base(plugin.kind).__name__}; expected a class derived "
            f"from {base(kind).__name__}"
        )
    return plugin


def of_any_kind(registry: Registry, name: str) -> Plugin | None:
    """The same of whatever kind."""
    origin = _origin(name)
    if origin is None:
        return None
    plugin = plugin_of(origin)
    take_in(registry, [plugin])
    return plugin


def take_in(registry: Registry, plugins: Iterable[OwnPlugin]) -> None:
    """Let a registry find them too, each once."""
    known = {plugin.qualified_name for plugin in registry.plugins}
    registry.plugins.extend(p for p in plugins if p.qualified_name not in known)


def take_in_all(registry: Registry, codes: Code) -> None:
    """Find plugins of any kind by ``FILE.py:CLASS``, or the classes themselves.

    Raises:
        UsageError: when one is none.
    """
    for code in [codes] if isinstance(codes, str | type) else codes:
        origin = _origin(named(code) if isinstance(code, type) else code)
        if origin is None:
            raise UsageError(f"`code` is {code!r}; expected './FILE.py:CLASS'")
        take_in(registry, [plugin_of(origin)])


def require_known(registry: Registry, kind: str, name: str, field: str) -> None:
    """Refuse a name out of a file that is a class without packaging, unless it was taken in.

    From where code is taken is for the reader to say, in ``field``, never for the file. A class of
    a session needs no saying in that session.

    Raises:
        UsageError: with what was given instead.
    """
    if "#" not in name:
        return
    session = _IN_SESSION.fullmatch(name)
    take_in(registry, [] if session is None else _present(*session.groups()))
    if name in {plugin.qualified_name for plugin in registry.plugins}:
        return
    others = [p for p in registry.plugins if isinstance(p, OwnPlugin) and p.kind == kind]
    given = f"; given is {', '.join(p.qualified_name for p in others)}" if others else ""
    if session is not None:
        raise UsageError(
            f"the {kind} is {name}, a class of the session that ran it; give the class, as it was "
            f"then, with `code`{given}"
        )
    raise UsageError(
        f"the {kind} is {name}, a class without packaging; say where it is with `{field}`, "
        f"such as './FILE.py:CLASS', with the content that it had{given}"
    )


def _present(digits: str, name: str) -> list[OwnPlugin]:
    """The class of this session that is known by these digits, if this process has run it."""
    module = sys.modules.get(f"mfbpi_own_{digits}")
    held = {} if module is None else vars(module)
    found = [
        key
        for key, each in held.items()
        if isinstance(each, type) and _snake(key) == name and unchanged.digits(each) == digits
    ]
    return [plugin_of(InSession(name=key, digest=digits)) for key in found]


def origins(registry: Registry) -> tuple[InFile | InSession, ...]:
    """Those that were taken in, for workers to do the same."""
    return tuple(p.origin for p in registry.plugins if isinstance(p, OwnPlugin))


def named(plugin_class: type) -> str:
    """What finds a class of this session, which becomes the only one in a module.

    Raises:
        UsageError: when it is no plugin.
    """
    kind_of(plugin_class)  # refuses what is none
    if not plugin_class.__name__.isidentifier():
        raise UsageError(
            f"a class is called {plugin_class.__name__!r}; expected letters, digits and _, such as "
            "MyAgent"
        )
    found = unchanged.digits(plugin_class)
    name = f"mfbpi_own_{found}"
    module = sys.modules.setdefault(name, types.ModuleType(name))
    setattr(module, plugin_class.__name__, plugin_class)
    return f"session#{found}:{plugin_class.__name__}"


def called(name: str) -> str:
    """How settings call a plugin that :func:`find` finds; other names as they are."""
    matched = _IN_SESSION.fullmatch(name) or _IN_FILE.fullmatch(name)
    return name if matched is None else _snake(matched[2])


def _origin(name: str) -> InFile | InSession | None:
    session = _IN_SESSION.fullmatch(name)
    if session is not None:
        return InSession(digest=session[1], name=session[2])
    matched = _IN_FILE.fullmatch(name)
    if matched is None and name.endswith(".py") and ":" not in name:
        raise UsageError(f"{name!r} is a file; say which class of it is meant: '{name}:CLASS'")
    if matched is None:
        return None
    return InFile.found(Path(matched[1]).absolute(), matched[2])


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.lstrip("_")).lower()


def plugin_of(origin: InFile | InSession) -> OwnPlugin:
    """The plugin that a class is, its file imported.

    Raises:
        PluginError: when the file has changed since.
        UsageError: when it is none, or declares something wrong.
    """
    module, name = origin.module(), origin.name
    found = getattr(module, name)
    shown = f"{origin.distribution.partition('#')[0]}:{name}"
    kind = kind_of(found, f"{shown} is ")
    setattr(module, _CONFIG + name, config_of(found))
    try:
        spec = _spec(kind, found, module.__name__)
    except PluginError as error:
        raise UsageError(f"{shown}: {error}") from error
    except (TypeError, ValueError) as error:  # of what a spec converts
        raise UsageError(f"{shown} declares something wrong: {described(error)}") from error
    return OwnPlugin(
        kind=kind,
        spec=spec,
        distribution=origin.distribution,
        version=origin.digest,
        origin=origin,
    )


def _spec(kind: str, found: type, module: str) -> Spec:
    """What a packaged plugin would yield; the class says what differs from what is usual."""
    declared = {key: getattr(found, key, value) for key, value in DECLARED[kind].items()}
    if kind == "metric":
        declared |= {"columns": _columns(found, declared["columns"]), "default": False}
    return KINDS[kind].spec(
        name=_snake(found.__name__),
        factory=f"{module}:{found.__name__}",
        config=f"{module}:{_CONFIG}{found.__name__}",
        summary=(found.__doc__ or "").strip().partition("\n")[0],
        **declared,
    )


def _columns(found: type, given: object) -> tuple[Column, ...]:
    """The columns of a metric, of which names are enough."""
    if not given or not isinstance(given, tuple | list):
        raise PluginError(
            f"`columns` is {given!r}; expected what {found.__name__}.measure returns, as names or "
            "as mfbpi_core.Column objects, such as ('steps_left',)"
        )
    return tuple(each if isinstance(each, Column) else Column(name=each) for each in given)
