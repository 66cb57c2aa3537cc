"""Writes the scaffold of a new plugin from the templates of this package."""

from __future__ import annotations

import re
from importlib import metadata, resources
from pathlib import Path
from string import Template

from mfbpi_core.errors import UsageError
from mfbpi_core.plugins.kind import Kind, Scaffold
from mfbpi_core.plugins.kinds import KINDS
from mfbpi_core.plugins.registry import Registry

#: What every plugin has, whatever its kind.
_COMMON = "mfbpi_run:templates/common"

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def offered() -> dict[str, Kind]:
    """The kinds that have a scaffold."""
    return {name: kind for name, kind in KINDS.items() if kind.scaffold is not None}


def distribution(kind: str, name: str) -> str:
    """Name of the distribution, such as ``mfbpi-agent-my-agent``."""
    return f"mfbpi-{KINDS[kind].prefix}-{name.replace('_', '-')}"


def clashes(registry: Registry, kind: str, name: str) -> list[str]:
    """What to say about a new plugin whose name, or whose distribution's, is taken already."""
    own = distribution(kind, name)
    others = [p for p in registry.of_kind(kind) if p.spec.name == name]
    messages = []
    if _is_installed(own):
        messages.append(f"{own} is installed already; installing the new package replaces it")
    elif others:
        which = ", ".join(p.distribution for p in others)
        messages.append(
            f"{which} has {kind} {name} already; with both installed, choose with {own}:{name}"
        )
    return messages


def _is_installed(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def write(kind: str, name: str, folder: Path) -> list[Path]:
    """Write a package that installs, runs and passes ``mfbpi check``.

    Args:
        kind: one of :func:`offered`.
        name: name of the plugin.
        folder: where; must not exist, or be empty.

    Returns:
        The files written.

    Raises:
        UsageError: for a name that is not one, and a folder that is not empty.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot be the name of a plugin; expected lower-case letters, digits and "
            "single underscores, such as my_agent"
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists and is not empty; choose another with --out")
    try:
        return [_write(folder / path, text) for path, text in _files(kind, name).items()]
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror or error}") from error


def _files(kind: str, name: str) -> dict[str, str]:
    """Content of each file by its path in the package."""
    scaffold = _scaffold(kind)
    package = f"mfbpi_{KINDS[kind].prefix}_{name}"
    places = {
        f"{_COMMON}/pyproject.toml": "pyproject.toml",
        f"{_COMMON}/README.md": "README.md",
        f"{_COMMON}/test_conformance.py": "tests/test_conformance.py",
        f"{scaffold.templates}/__init__.py": f"src/{package}/__init__.py",
        f"{scaffold.templates}/{scaffold.module}.py": f"src/{package}/{scaffold.module}.py",
    }
    words = _words(kind, name, package)
    files = {place: _template(path).substitute(words) for path, place in places.items()}
    return {**files, f"src/{package}/py.typed": ""}


def _words(kind: str, name: str, package: str) -> dict[str, str]:
    """What the templates leave open."""
    scaffold = _scaffold(kind)
    dependencies = ("mfbpi-core>=0.1,<1", *scaffold.dependencies)
    return {
        "kind": kind,
        "name": name,
        "package": package,
        "module": scaffold.module,
        "distribution": distribution(kind, name),
        "class_name": "".join(part.capitalize() for part in name.split("_")),
        "dependencies": ", ".join(f'"{each}"' for each in dependencies),
        "use": scaffold.use.format(name=name),
    }


def _scaffold(kind: str) -> Scaffold:
    scaffold = KINDS[kind].scaffold
    assert scaffold is not None  # offered() has those alone
    return scaffold


def _template(path: str) -> Template:
    """The template at ``package:folder/name``."""
    package, _, place = path.partition(":")
    return Template((resources.files(package) / f"{place}.tmpl").read_text())


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path
