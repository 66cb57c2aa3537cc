"""A class in a file, imported by the path of the file, and known by what it and its modules hold.

What lies beside the file is found by its imports, as those of a script are, but after all that is
installed. The file is imported before it is known: it may say itself where its modules are.
"""

from __future__ import annotations

import importlib.util
import sys
import types
from collections.abc import Iterable
from pathlib import Path

import attrs

from mfbpi.plan import beside
from mfbpi.plan.definition import bases, digest, is_plugin
from mfbpi_core.errors import PluginError, UsageError
from mfbpi_core.text import did_you_mean

#: What each file that was imported was known by then, by the name of its module.
_imported_as: dict[str, str] = {}


@attrs.frozen(kw_only=True)
class InFile:
    """A class in a file."""

    path: Path
    name: str
    digest: str

    @classmethod
    def found(cls, path: Path, name: str) -> InFile:
        """The class as it is now; raises :class:`UsageError` when the file cannot be imported."""
        module = _imported(path)
        return cls(path=path, name=name, digest=_imported_as[module.__name__])

    @property
    def distribution(self) -> str:
        """What it is known by."""
        return f"{self.path.name}#{self.digest}"

    def module(self) -> types.ModuleType:
        """Import the file, unless that is done already.

        Raises:
            PluginError: when the file has changed since.
            UsageError: when it has no such class.
        """
        module = _imported(self.path)
        if _imported_as[module.__name__] != self.digest:
            raise PluginError(
                f"{self.path.name}, or a module that it imports, has changed since the run was "
                "begun"
            )
        if not hasattr(module, self.name):
            names = [name for name, each in vars(module).items() if is_plugin(each)]
            near = did_you_mean(self.name, names)
            raise UsageError(
                f"{self.path.name} defines no {self.name}; {near}it defines: "
                f"{', '.join(names) or 'no class derived from ' + bases(' or ')}"
            )
        return module


def _imported(path: Path) -> types.ModuleType:
    """The module that a file is, imported unless the same content is already."""
    content = _read(path)
    name = f"mfbpi_own_{digest(bytes(path) + content)}"
    if name in sys.modules and _imported_as.get(name) == _known_by(path):
        return sys.modules[name]
    _find_beside(path.parent)
    imports = beside.imported(content)
    _refuse_others(path, path.parent, imports)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    found_in = list(sys.path)
    try:
        spec.loader.exec_module(module)
        for folder in dict.fromkeys(sys.path):
            if folder not in found_in:  # the file has said where its modules are
                _refuse_others(path, Path(folder), imports)
    except BaseException as error:
        del sys.modules[name]
        sys.path[:] = found_in
        if isinstance(error, KeyboardInterrupt | UsageError):
            raise
        raise UsageError(f"{path.name} cannot be imported: {error!r}") from error
    _imported_as[name] = _known_by(path)
    return module


def _known_by(path: Path) -> str:
    """Digits of what a file holds, with the modules of the user's that it imports."""
    content = _read(path)
    return digest(b"".join([content, *beside.contents(beside.imported(content))]))


def _read(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file():  # a pipe would not end
            raise UsageError(f"{path.name} is no regular file; expected one with a class in it")
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path.name}: {error.strerror or error}") from error


def _find_beside(folder: Path) -> None:
    """Let imports find what lies in a folder; what is installed goes before it."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    importlib.invalidate_caches()  # what lies there may have been written just now


def _refuse_others(path: Path, folder: Path, names: Iterable[str]) -> None:
    """Refuse imports of what lies in a file's folder where another of that name is imported.

    Raises:
        UsageError: with where that lies.
    """
    left, seen = sorted(names), set[str]()
    while left:
        name = left.pop()
        lies = _place_beside(folder, name)
        if name in seen or lies is None:
            continue
        seen.add(name)
        found = _origin(name)
        if found is not None and not lies.samefile(found):
            raise UsageError(
                f"{path.name} imports {name}, which lies in {folder}, but {found} is found first; "
                f"give {lies.name if lies.name != '__init__.py' else name} another name"
            )
        left.extend(beside.imported(lies.read_bytes()) - seen)


def _place_beside(folder: Path, name: str) -> Path | None:
    """The file of a module in a folder, if there is one."""
    places = folder / name / "__init__.py", folder / f"{name}.py"
    return next((place for place in places if place.is_file()), None)


def _origin(name: str) -> Path | None:
    """Where the file of a module is that an import finds; None if it has none."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):  # such as a module that was made by hand
        return None
    origin = None if spec is None else spec.origin
    return Path(origin) if origin is not None and Path(origin).is_file() else None
