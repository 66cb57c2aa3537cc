"""Agents without packaging: a class in one file, or a class of this session.

Such an agent is known by the name of its file and a hash of its content, never by its path: what
was run with another content is another agent. Workers import the file by its path; a class of a
session exists in this process alone.
"""

from __future__ import annotations

import hashlib
import importlib.util
import marshal
import re
import sys
import types
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

import attrs

from mfbpi_core.contracts.agent import Agent
from mfbpi_core.contracts.parameters import NoConfig
from mfbpi_core.errors import PluginError, UsageError
from mfbpi_core.plugins.plugin import Plugin
from mfbpi_core.plugins.registry import Registry
from mfbpi_core.plugins.specs import AgentSpec

#: A class in a file, as it is asked for.
_IN_FILE = re.compile(r"(.+\.py):([A-Za-z_]\w*)")

#: Digits of the hash in names.
_DIGITS = 16

#: Where the ``Config`` of an agent is found in its module, whatever that calls it.
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
        if _digest(_content(self.path)) != self.digest:
            raise PluginError(f"{self.path.name} has changed since the run was begun")
        module = sys.modules.get(f"mfbpi_own_{self.digest}") or self._imported()
        found = getattr(module, self.name, None)
        return _plugin(self, module, self.name, found)

    def _imported(self) -> types.ModuleType:
        name = f"mfbpi_own_{self.digest}"
        spec = importlib.util.spec_from_file_location(name, self.path)
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            del sys.modules[name]
            raise UsageError(f"{self.path.name} cannot be imported: {error!r}") from error
        return module


@attrs.frozen(kw_only=True)
class InSession:
    """A class of this process, which no other can import."""

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

    def __reduce__(self) -> NoReturn:
        """Refuse to be sent to other processes."""
        raise UsageError(
            f"agent {self.name} is a class of this session, which other processes cannot import: "
            f"choose `executor='serial'`, or put it into a file and give './FILE.py:{self.name}'"
        )


@attrs.frozen(kw_only=True)
class OwnPlugin(Plugin):
    """An agent without packaging, and where it comes from."""

    origin: InFile | InSession


def find(registry: Registry, name: str) -> Plugin:
    """An agent by its name, by ``FILE.py:CLASS``, or by what :func:`named` returned.

    Raises:
        UsageError: when there is none.
    """
    origin = _origin(name)
    if origin is None:
        return registry.get("agent", name)
    plugin = origin.plugin()
    take_in(registry, [plugin])
    return plugin


def take_in(registry: Registry, plugins: Iterable[OwnPlugin]) -> None:
    """Let a registry find them too, each once."""
    known = {plugin.qualified_name for plugin in registry.plugins}
    registry.plugins.extend(p for p in plugins if p.qualified_name not in known)


def origins(registry: Registry) -> tuple[InFile | InSession, ...]:
    """Those that were taken in, for workers to do the same."""
    return tuple(p.origin for p in registry.plugins if isinstance(p, OwnPlugin))


def named(agent: type[Agent]) -> str:
    """What finds a class of this session, which becomes the only one in a module."""
    digest = _digest(_definition(agent))
    name = f"mfbpi_own_{digest}"
    module = sys.modules.setdefault(name, types.ModuleType(name))
    setattr(module, agent.__name__, agent)
    return f"session#{digest}:{agent.__name__}"


def is_of_session(name: str) -> bool:
    """Whether :func:`named` returned it."""
    return _IN_SESSION.fullmatch(name) is not None


def _origin(name: str) -> InFile | InSession | None:
    session = _IN_SESSION.fullmatch(name)
    if session is not None:
        return InSession(digest=session[1], name=session[2])
    matched = _IN_FILE.fullmatch(name)
    if matched is None:
        return None
    path = Path(matched[1]).absolute()
    return InFile(path=path, name=matched[2], digest=_digest(_content(path)))


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path.name}: {error.strerror or error}") from error


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:_DIGITS]


def _definition(agent: type[Agent]) -> bytes:
    """What a class does: the code of its functions, and of those that it inherits."""
    classes = agent.__mro__[: agent.__mro__.index(Agent)]
    functions = [f for c in classes for f in vars(c).values() if isinstance(f, types.FunctionType)]
    # Version 2 of the format depends on the values alone.
    codes = [marshal.dumps(_without_place(f.__code__), 2) for f in functions]
    return b"".join([agent.__name__.encode(), *codes])


def _without_place(code: types.CodeType) -> types.CodeType:
    """The code without its file and its lines, which differ between runs of one notebook."""
    constants = tuple(
        _without_place(each) if isinstance(each, types.CodeType) else each
        for each in code.co_consts
    )
    return code.replace(co_filename="", co_firstlineno=1, co_linetable=b"", co_consts=constants)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.lstrip("_")).lower()


def _plugin(
    origin: InFile | InSession, module: types.ModuleType, name: str, found: Any
) -> OwnPlugin:
    """The plugin that a class is.

    Raises:
        UsageError: when it is no agent.
    """
    where = origin.distribution.partition("#")[0]
    if not isinstance(found, type) or not issubclass(found, Agent):
        raise UsageError(f"{where}:{name} is {found!r}; expected a class derived from Agent")
    config = getattr(found, "Config", None) or getattr(module, "Config", NoConfig)
    setattr(module, _CONFIG + name, config)
    summary = (found.__doc__ or "").strip().partition("\n")[0]
    spec = AgentSpec(
        name=_snake(name),
        factory=f"{module.__name__}:{name}",
        config=f"{module.__name__}:{_CONFIG}{name}",
        summary=summary,
        needs=getattr(found, "needs", {"states"}),
    )
    return OwnPlugin(
        kind="agent",
        spec=spec,
        distribution=origin.distribution,
        version=origin.digest,
        origin=origin,
    )
