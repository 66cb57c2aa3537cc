"""The table of kinds agrees with the kit, the templates, the hooks and this repository."""

import importlib
import inspect
from importlib import resources
from pathlib import Path

import pytest

from mfbpi_core.plugins import hookspecs
from mfbpi_core.plugins.kinds import KINDS, kind_called
from mfbpi_core.testing import checks

ROOT = Path(__file__).parents[3]

each_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)


@each_kind
def test_checks_and_templates_exist(kind):
    """What the table names by text can be imported, and read."""
    assert all(callable(check) for check in kind.load_checks())
    assert kind.checks
    if kind.scaffold is not None:
        package, _, folder = kind.scaffold.templates.partition(":")
        found = {path.name for path in (resources.files(package) / folder).iterdir()}
        assert {"__init__.py.tmpl", f"{kind.scaffold.module}.py.tmpl"} <= found


def test_every_check_of_the_kit_is_in_the_table():
    """A check that no row names would never run."""
    named = {check for kind in KINDS.values() for check in kind.load_checks()}
    for path in resources.files(checks).iterdir():
        if path.name.endswith("_checks.py") and path.name != "plugin_checks.py":
            module = importlib.import_module(f"{checks.__name__}.{path.name[:-3]}")
            for name, listed in vars(module).items():
                if name.endswith("CHECKS"):
                    assert set(listed) <= named, f"{path.name}: {name}"


def test_every_template_is_in_the_table():
    """A template that no row names would never be written."""
    named = {k.scaffold.templates.partition("/")[2] for k in KINDS.values() if k.scaffold}
    folders = {path.name for path in (resources.files("mfbpi_run") / "templates").iterdir()}

    assert folders == named | {"common"}


@each_kind
def test_every_hook_holds_a_complete_example(kind):
    """``help`` of a hook shows a plugin that yields its spec."""
    text = inspect.getdoc(getattr(hookspecs, kind.hook))

    assert f"def {kind.hook}():" in text
    assert f"yield {kind.spec.__name__}(" in text


@each_kind
def test_facts_are_fields_of_the_spec(kind):
    """What ``show`` tells of a spec exists there, and so does what else builds something."""
    fields = {field.name for field in kind.spec.__attrs_attrs__}

    assert {fact.field for fact in kind.facts} <= fields
    assert kind.others.keys() <= fields


@each_kind
def test_every_kind_has_its_folder(kind):
    """Where the plugins of this repository are, if there are any yet."""
    assert (ROOT / "plugins" / kind.folder).is_dir()


@pytest.mark.parametrize("word", ["environment", "environments", "env", "envs"])
def test_kinds_are_called_in_several_ways(word):
    """In the singular, in the plural, and shorter."""
    assert kind_called(word).name == "environment"


def test_the_contributors_table_is_this_one():
    """CONTRIBUTING lists every kind as the table has it."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    for kind in KINDS.values():
        row = (
            f"| {kind.name} | `{kind.hook}` | `{kind.spec.__name__}` | "
            f"`factory({', '.join(kind.factory.arguments)})` | `plugins/{kind.folder}` |"
        )
        assert row in text, f"expected in CONTRIBUTING.md: {row}"
