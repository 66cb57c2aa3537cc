"""The packages of this repository, read from its own files."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from mfbpi_core.plugins.kinds import KINDS as TABLE

ROOT = Path(__file__).parents[1]

#: Folder of a kind of plugin to the part of names that stands for it.
KINDS = {**{kind.folder: kind.prefix for kind in TABLE.values()}, "libs": "lib"}


@attrs.frozen
class Package:
    """One distribution of the repository."""

    folder: Path
    source: Path
    project: dict[str, Any]

    @property
    def name(self) -> str:
        """Name of the distribution."""
        return str(self.project["name"])

    @property
    def module(self) -> str:
        """Name of the import package."""
        return self.source.name

    @property
    def kind(self) -> str:
        """Folder of its kind, or "core" or "runners"."""
        return "core" if self.folder == ROOT else self.folder.parent.name

    def files(self) -> list[Path]:
        """Its modules."""
        return sorted(self.source.rglob("*.py"))

    def requirements(self) -> set[str]:
        """Names of the distributions that it requires."""
        return names(self.project["dependencies"])

    def extras(self, *chosen: str) -> set[str]:
        """Names of the distributions that its optional parts require: those chosen, or all."""
        optional = self.project.get("optional-dependencies", {})
        return names([each for extra in chosen or optional for each in optional[extra]])


def names(requirements: list[str]) -> set[str]:
    """The distributions that requirements name, without their versions."""
    return {re.split(r"[<>=~!\[; ]", requirement)[0] for requirement in requirements}


def packages() -> list[Package]:
    """Every distribution of the repository."""
    places = ("pyproject.toml", "plugins/*/*/pyproject.toml", "runners/*/pyproject.toml")
    found = [package(metadata) for place in places for metadata in ROOT.glob(place)]
    return sorted(found, key=lambda p: p.name)


def package(metadata: Path) -> Package:
    """The distribution that a pyproject.toml describes."""
    folder, project = metadata.parent, tomllib.loads(metadata.read_text())["project"]
    module = project["name"].replace("-", "_")
    source = folder / module if folder == ROOT else folder / "src" / module
    return Package(folder, source, project)


PACKAGES = packages()
each_package = pytest.mark.parametrize("package", PACKAGES, ids=lambda p: p.name)
each_plugin = pytest.mark.parametrize(
    "package", [p for p in PACKAGES if p.kind in KINDS], ids=lambda p: p.name
)


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Top-level packages that a file imports, and whether inside a function."""
    tree = ast.parse(path.read_text())
    inside = {
        child
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for child in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            continue
        yield from ((name.partition(".")[0], node in inside) for name in names)


def imported(package: Package) -> set[str]:
    """Everything that a package imports, besides itself and the standard library."""
    found = {name for path in package.files() for name, _ in imports(path)}
    return found - set(sys.stdlib_module_names) - {package.module}


def ours(name: str) -> bool:
    """Whether a package belongs to this repository."""
    return name == "mfbpi" or name.startswith("mfbpi_")
