"""The rules that hold the repository together, read from its own files."""

from __future__ import annotations

import ast
import functools
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import attrs
import pytest

ROOT = Path(__file__).parents[1]

#: Folder of a kind of plugin to the part of names that stands for it.
KINDS = {
    "agents": "agent",
    "environments": "env",
    "bounds": "bound",
    "metrics": "metric",
    "executors": "executor",
    "experiments": "experiment",
    "libs": "lib",
}

#: Requirements that no import shows: cvxpy looks its solvers up by name.
LOADED_BY_NAME = {"mfbpi-lib-convex": {"clarabel"}}


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
            if name not in allowed and not (name == "pytest" and kit and in_function):
                strange.add((path.name, name))

    assert strange == set()


def type_checked(path: Path) -> list[tuple[str, bool]]:
    """The imports of a file; one that is for the type checker only counts as in a function."""
    tree = ast.parse(path.read_text())
    guarded = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for child in ast.walk(node)
        if isinstance(child, ast.Import)
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


@each_package
def test_imports_are_declared(package: Package) -> None:
    """Whatever is imported is a dependency in pyproject.toml."""
    required = package.requirements() | package.extras()
    missing = {name for name in imported(package) if not required & providers(name)}

    assert missing == set()


@each_package
def test_requirements_are_imported(package: Package) -> None:
    """Nothing is installed for no use; only extras may bring what is not imported: plugins."""
    used = {each for name in imported(package) for each in providers(name)}
    unused = package.requirements() - used - LOADED_BY_NAME.get(package.name, set())

    assert unused == set()


def providers(module: str) -> set[str]:
    """Names of the distributions that an import may mean."""
    return {module.replace("_", "-"), *installed().get(module, [])}


@functools.cache
def installed() -> Mapping[str, list[str]]:
    """What is installed does not change while the tests run."""
    return packages_distributions()


@each_package
def test_requirements_on_ours_are_bounded(package: Package) -> None:
    """The core has a stable interface, and is required in a range; all others exactly."""
    optional = package.project.get("optional-dependencies", {}).values()
    every = [*package.project["dependencies"], *(each for extra in optional for each in extra)]
    listed = [r for r in every if r.startswith("mfbpi")]
    ranged = [r for r in listed if names([r]) == {"mfbpi-core"}]
    exact = [r for r in listed if r not in ranged]

    assert [r for r in exact if not r.endswith(f"=={package.project['version']}")] == []
    assert [r for r in ranged if not re.search(r">=[\d.]+,<[\d.]+$", r)] == []


def test_all_packages_carry_one_version_and_one_licence() -> None:
    """``make version V=...`` sets it; the licence is that of the repository."""
    licence = (ROOT / "LICENSE").read_text()

    assert len({p.project["version"] for p in PACKAGES}) == 1
    assert [p.name for p in PACKAGES if (p.folder / "LICENSE").read_text() != licence] == []


def brought(*extras: str) -> set[str]:
    """All of ours that the library brings with some of its extras."""
    by_name = {p.name: p for p in PACKAGES}
    found: set[str] = set()
    missing = by_name["mfbpi"].requirements() | by_name["mfbpi"].extras(*extras)
    while missing := {name for name in missing if name in by_name} - found:
        found |= missing
        missing = {r for name in missing for r in by_name[name].requirements()}
    return found


def test_every_plugin_is_in_an_extra() -> None:
    """``pip install "mfbpi[all]"`` brings every package of this repository."""
    extras = ("tabular", "bounds", "deep", "plot", "all")

    assert {p.name for p in PACKAGES} - brought(*extras) == set()


def test_tabular_extra_brings_the_main_job() -> None:
    """All that `make run` installs, and neither torch nor bsuite."""
    lines = requirement_lines("requirements-run-local.txt")
    run = {p.name for p in PACKAGES if f"-e ./{p.folder.relative_to(ROOT).as_posix()}" in lines}
    chosen = brought("tabular")

    assert run - chosen == set()
    needed = {r for p in PACKAGES if p.name in chosen for r in p.requirements()}
    assert needed & {"torch", "bsuite"} == set()


def requirement_lines(name: str) -> list[str]:
    """The lines of a requirements file, without comments and blank ones."""
    lines = [line.strip() for line in (ROOT / name).read_text().splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def test_local_requirements_are_the_folders() -> None:
    """requirements-local.txt lists every folder with a pyproject.toml, once."""
    folders = sorted(p.folder.relative_to(ROOT).as_posix() for p in PACKAGES)
    expected = ["-e ." if folder == "." else f"-e ./{folder}" for folder in folders]

    assert sorted(requirement_lines("requirements-local.txt")) == sorted(expected)


def test_run_requirements_are_a_closed_subset() -> None:
    """What `make run` installs is part of the whole, and needs nothing of ours beyond itself."""
    local = requirement_lines("requirements-run-local.txt")
    chosen = [p for p in PACKAGES if f"-e ./{p.folder.relative_to(ROOT).as_posix()}" in local]
    core = [p for p in PACKAGES if p.kind == "core"]
    needed = {r for p in chosen for r in p.requirements() if r.startswith("mfbpi")}

    assert set(local) < set(requirement_lines("requirements-local.txt"))
    assert needed <= {p.name for p in chosen + core}


def test_third_party_requirements_are_pinned() -> None:
    """Every third-party dependency has exactly one version, for `make run` as for all."""
    pinned = pins("requirements-run.txt") | pins("requirements.txt")
    needed = {
        r for p in PACKAGES for r in p.requirements() | p.extras() if not r.startswith("mfbpi")
    }

    assert needed - pinned == set()


def test_run_requirements_are_pinned() -> None:
    """The same for what `make run` installs, from its own file alone."""
    local = requirement_lines("requirements-run-local.txt")
    chosen = [p for p in PACKAGES if f"-e ./{p.folder.relative_to(ROOT).as_posix()}" in local]
    needed = {r for p in chosen for r in p.requirements() if not r.startswith("mfbpi")}

    assert needed - pins("requirements-run.txt") == set()


def pins(name: str) -> set[str]:
    """The distributions that a requirements file pins."""
    lines = [line for line in requirement_lines(name) if not line.startswith("-")]
    assert [line for line in lines if "==" not in line] == []
    return {line.partition("==")[0] for line in lines}
