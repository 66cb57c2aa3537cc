"""The rules that hold the repository together, read from its own files."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from tests.repository import (
    KINDS,
    PACKAGES,
    ROOT,
    Package,
    each_package,
    each_plugin,
    imported,
    imports,
    ours,
)


@each_package
def test_package_has_its_files(package: Package) -> None:
    """Each has a README, a licence, type information and, if it is a plugin, conformance tests."""
    expected = [package.folder / "README.md", package.folder / "LICENSE"]
    expected.append(package.source / "py.typed")
    if package.kind in KINDS and package.kind != "libs":
        expected.append(package.folder / "tests" / "test_conformance.py")

    assert [str(path.relative_to(ROOT)) for path in expected if not path.exists()] == []


@each_plugin
def test_names_follow_the_folder(package: Package) -> None:
    """Folder plugins/agents/x, distribution mfbpi-agent-x, import package mfbpi_agent_x."""
    module = f"mfbpi_{KINDS[package.kind]}_{package.folder.name}"

    assert package.name == module.replace("_", "-")
    assert [path.name for path in (package.folder / "src").glob("*/")] == [module]


@each_plugin
def test_only_plugins_have_entry_points(package: Package) -> None:
    """A plugin has one entry point at least, its own package; a lib has none."""
    points = package.project.get("entry-points", {})

    if package.kind == "libs":
        assert points == {}
    else:
        assert set(points) == {"mfbpi"}
        assert set(points["mfbpi"].values()) == {package.module}


def test_core_imports_little() -> None:
    """Beyond the standard library: numpy, attrs, pluggy; pytest in the kit, inside functions."""
    (core,) = (p for p in PACKAGES if p.kind == "core")
    allowed = {"attrs", "numpy", "pluggy", "mfbpi_core", *sys.stdlib_module_names}
    strange = set()
    for path in core.files():
        kit = "testing" in path.relative_to(core.source).parts
        for name, in_function in type_checked(path):
            excused = in_function and name == "pytest" and kit
            if name not in allowed and not excused:
                strange.add((path.name, name))

    assert strange == set()


def type_checked(path: Path) -> list[tuple[str, bool]]:
    """The imports of a file; one that is for the type checker only counts as in a function."""
    tree = ast.parse(path.read_text())
    guarded = {
        child.module if isinstance(child, ast.ImportFrom) else alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for child in ast.walk(node)
        if isinstance(child, ast.Import | ast.ImportFrom)
        for alias in child.names
    }
    return [(name, in_function or name in guarded) for name, in_function in imports(path)]


@each_plugin
def test_plugin_imports_core_and_libs_only(package: Package) -> None:
    """Never another plugin, never the runner."""
    strangers = {
        name
        for name in imported(package)
        if ours(name) and name != "mfbpi_core" and not name.startswith("mfbpi_lib_")
    }

    assert strangers == set()


@pytest.mark.parametrize("name", ["mfbpi", "mfbpi-run"])
def test_runners_import_no_plugin(name: str) -> None:
    """Plugins are found by the registry, never by name."""
    (runner,) = (p for p in PACKAGES if p.name == name)
    plugins = {p.module for p in PACKAGES if p.kind in KINDS and p.kind != "libs"}

    assert imported(runner) & plugins == set()
