"""What packages require: what they import, all of it and nothing else; pinned; in one version."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from importlib.metadata import packages_distributions

from tests.repository import PACKAGES, ROOT, Package, each_package, imported, names

#: Requirements that no import shows: cvxpy looks its solvers up by name.
LOADED_BY_NAME = {"mfbpi-lib-convex": {"clarabel"}}


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
    (library,) = (p for p in PACKAGES if p.name == "mfbpi")
    extras = library.project["optional-dependencies"]
    others = ",".join(sorted(extras.keys() - {"all"}))

    assert extras["all"][0] == f"mfbpi[{others}]=={library.project['version']}"
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
