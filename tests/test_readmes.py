"""READMEs of plugins say what ``mfbpi show`` cannot: the algorithm, what differs, the evidence."""

from __future__ import annotations

import re

import attrs
import pytest

from mfbpi_core.plugins.registry import Registry
from tests.repository import PACKAGES, Package

PLUGINS = [p for p in PACKAGES if p.project.get("entry-points")]

#: Most lines; one holds a proof as well.
MOST_LINES, LONGER = 60, {"mfbpi-bound-u0"}

#: Where an agent or a bound says what was measured.
EVIDENCE = r"(?m)^## (Scores|What to expect|Samples until|Right values)"

each_plugin = pytest.mark.parametrize("package", PLUGINS, ids=lambda p: p.name)


def readme(package: Package) -> str:
    """The text of its README."""
    return (package.folder / "README.md").read_text()


@pytest.fixture(scope="module")
def registry() -> Registry:
    """Every plugin."""
    return Registry.discover()


@each_plugin
def test_readme_begins_with_its_name_and_shows_a_command(package: Package) -> None:
    """A title that an index can show, and something to try."""
    text = readme(package)

    assert text.startswith(f"# {package.name}\n")
    assert re.search(r"(?m)^mfbpi(-run)? ", text)
    assert len(text.splitlines()) <= MOST_LINES or package.name in LONGER


@each_plugin
def test_readme_says_what_differs_and_what_was_measured(
    package: Package, registry: Registry
) -> None:
    """An agent with a source says where it differs; agents and bounds show evidence."""
    text = readme(package)
    for plugin in registry.plugins:
        if plugin.distribution == package.name and plugin.kind in ("agent", "bound"):
            assert re.search(EVIDENCE, text), "evidence"
            if plugin.kind == "agent" and plugin.spec.reference:
                assert "\n## Where it differs, and why\n" in text


@each_plugin
def test_readme_repeats_no_parameters(package: Package, registry: Registry) -> None:
    """Names, ranges and defaults are what ``mfbpi show`` is for."""
    mine = [p for p in registry.plugins if p.distribution == package.name]
    configs = [p.load_config() for p in mine if p.spec.config]
    known = {field.name for config in configs for field in attrs.fields(config)}
    rows = set(re.findall(r"(?m)^\| `(\w+)` \|", readme(package)))

    assert rows & known == set()


@pytest.mark.parametrize("package", PACKAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(package: Package) -> None:
    """Those to files and folders of this repository."""
    links = re.findall(r"\]\(((?!https?:|#)[^)#\s]+)", readme(package))

    assert [link for link in links if not (package.folder / link).exists()] == []
