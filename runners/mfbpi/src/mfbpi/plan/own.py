"""Plugins without packaging: a class in one file, or of this session.

Such a plugin is known by the name of its file and a hash of its content, never by its path: what
was run with another content is another plugin. Workers import the file by its path; a class of a
session is sent to them by its value.
"""

from __future__ import annotations

import importlib.util
import pickle
import re
import sys
import types
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar

import attrs
import cloudpickle

from mfbpi.plan import beside
from mfbpi.plan.definition import DECLARED, base, bases, definition, digest, is_plugin, kind_of
from mfbpi_core.contracts.parameters import NoConfig
from mfbpi_core.errors import OwnPluginError, PluginError, UsageError
from mfbpi_core.plugins.kinds import KINDS
from mfbpi_core.plugins.plugin import Plugin
from mfbpi_core.plugins.registry import Registry
from mfbpi_core.plugins.spec import Spec
from mfbpi_core.plugins.specs import Column
from mfbpi_core.text import described, did_you_mean

#: A class in a file, as it is asked for.
_IN_FILE = re.compile(r"(.+\.py):([A-Za-z_]\w*)")

#: Where the ``Config`` of a plugin is found in its module, whatever that calls it.
_CONFIG = "mfbpi_config_of_"

#: A class of this session, as :func:`named` calls it.
_IN_SESSION = re.compile(r"session#([0-9a-f]{16}):(\w+)")


@attrs.frozen(kw_only=True)
class InFile:
    """A class in a file."""

    path: Path
    name: str
    digest: str

    @property
    def distribution(self) -> str:
        """What it is known by."""
        return f"{self.path.name}#{self.digest}"

    def plugin(self) -> OwnPlugin:
        """Import the file, unless its content is imported already.

        Raises:
            PluginError: when the file has changed since.
        """
        if _held(self.path) != self.digest:
            raise PluginError(
                f"{self.path.name}, or a module that it imports, has changed since the run was "
                "begun"
            )
        module = sys.modules.get(f"mfbpi_own_{self.digest}") or self._imported()
        if not hasattr(module, self.name):
            names = [name for name, each in vars(module).items() if is_plugin(each)]
            near = did_you_mean(self.name, names)
            raise UsageError(
                f"{self.path.name} defines no {self.name}; {near}it defines: "
                f"{', '.join(names) or 'no class derived from ' + bases(' or ')}"
            )
        return _plugin(self, module, self.name, getattr(module, self.name))

    def _imported(self) -> types.ModuleType:
        name = f"mfbpi_own_{self.digest}"
        spec = importlib.util.spec_from_file_location(name, self.path)
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            del sys.modules[name]
            raise UsageError(f"{self.path.name} cannot be imported: {error!r}") from error
        _held(self.path)  # now that they are imported, what its modules hold is kept in mind
        return module


@attrs.frozen(kw_only=True)
class InSession:
    """A class of this process, which others cannot import."""

    name: str
    digest: str

    @property
    def distribution(self) -> str:
        """What it is known by."""
        return f"session#{self.digest}"

    def plugin(self) -> OwnPlugin:
        """The class as a plugin, in the module that :func:`named` made."""
        module = sys.modules[f"mfbpi_own_{self.digest}"]
        return _plugin(self, module, self.name, getattr(module, self.name))

    def __reduce__(self) -> tuple[Callable[..., InSession], tuple[str, str, bytes]]:
        """Go to another process with the class, by its value."""
        found = getattr(sys.modules[f"mfbpi_own_{self.digest}"], self.name)
        try:
            content = cloudpickle.dumps(found)
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
    plugin = origin.plugin()
    take_in(registry, [plugin])
    return plugin


def take_in(registry: Registry, plugins: Iterable[OwnPlugin]) -> None:
    """Let a registry find them too, each once."""
    known = {plugin.qualified_name for plugin in registry.plugins}
    registry.plugins.extend(p for p in plugins if p.qualified_name not in known)


def take_in_all(registry: Registry, names: Iterable[str]) -> None:
    """Find plugins by ``FILE.py:CLASS``, of any kind; raises :class:`UsageError`."""
    for name in names:
        origin = _origin(name)
        if origin is None:
            raise UsageError(f"`code` is {name!r}; expected './FILE.py:CLASS'")
        take_in(registry, [origin.plugin()])


def require_known(registry: Registry, kind: str, name: str, field: str) -> None:
    """Refuse a name out of a file that is a class without packaging, unless it was taken in.

    From where code is taken is for the reader to say, in ``field``, never for the file.
    """
    if "#" in name and name not in {plugin.qualified_name for plugin in registry.plugins}:
        raise UsageError(
            f"the {kind} is {name}, a class without packaging; say where it is with `{field}`, "
            "such as './FILE.py:CLASS', with the content that it had"
        )


def origins(registry: Registry) -> tuple[InFile | InSession, ...]:
    """Those that were taken in, for workers to do the same."""
    return tuple(p.origin for p in registry.plugins if isinstance(p, OwnPlugin))


def named(plugin_class: type) -> str:
    """What finds a class of this session, which becomes the only one in a module.

    Raises:
        UsageError: when it is no plugin.
    """
    kind_of(plugin_class)  # refuses what is none
    found = digest(definition(plugin_class))
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
    path = Path(matched[1]).absolute()
    return InFile(path=path, name=matched[2], digest=_held(path))


def _held(path: Path) -> str:
    """Digits of what a file holds, with the modules of the user's that it imports."""
    try:
        if path.exists() and not path.is_file():  # a pipe would not end
            raise UsageError(f"{path.name} is no regular file; expected one with a class in it")
        content = path.read_bytes()
        return digest(b"".join([content, *beside.contents(beside.imported(content))]))
    except OSError as error:
        raise UsageError(f"cannot read {path.name}: {error.strerror or error}") from error


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.lstrip("_")).lower()


def _plugin(
    origin: InFile | InSession, module: types.ModuleType, name: str, found: Any
) -> OwnPlugin:
    """The plugin that a class is.

    Raises:
        UsageError: when it is none, or declares something wrong.
    """
    shown = f"{origin.distribution.partition('#')[0]}:{name}"
    kind = kind_of(found, f"{shown} is ")
    config = getattr(found, "Config", None) or getattr(module, "Config", NoConfig)
    setattr(module, _CONFIG + name, config)
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
