"""What is installed from a folder is another program after an edit."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from mfbpi.results.storage import provenance, sources


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package and its metadata, as ``pip install -e`` leaves them."""
    package = tmp_path / "my_agent_of_test"
    (package / "__pycache__").mkdir(parents=True)
    (package / "__init__.py").write_text("RATE = 1")
    info = tmp_path / "my_agent_of_test-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: my-agent-of-test\nVersion: 1.2\n")
    direct = {"url": tmp_path.as_uri(), "dir_info": {"editable": True}}
    (info / "direct_url.json").write_text(json.dumps(direct))
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("my_agent_of_test", None)


def version() -> str:
    """As a result or a checkpoint names it."""
    return provenance.installed({"plugins": {"my-agent-of-test": ""}, "libraries": {}})["plugins"][
        "my-agent-of-test"
    ]


def test_an_edit_makes_another_version(plugin: Path) -> None:
    """And taking it back makes the one before; what Python keeps beside a source is no edit."""
    first = version()
    source = plugin / "my_agent_of_test/__init__.py"
    source.write_text("RATE = 2")
    second = version()
    source.write_text("RATE = 1")
    (plugin / "my_agent_of_test/__pycache__/left.pyc").touch()

    assert first.startswith("1.2+src.")
    assert version() == first != second


def test_other_files_and_names_of_files_count(plugin: Path) -> None:
    """A table beside the source, or one module called as another was."""
    found = [version()]
    (plugin / "my_agent_of_test/table.csv").write_text("1,2")
    found.append(version())
    (plugin / "my_agent_of_test/table.csv").rename(plugin / "my_agent_of_test/other.csv")

    assert len({*found, version()}) == 3


def test_what_editors_keep_does_not_count(plugin: Path) -> None:
    """Nor folders of tools, whose names begin with a dot."""
    before = version()
    package = plugin / "my_agent_of_test"
    (package / ".ruff_cache").mkdir()
    for name in ("__init__.py~", ".__init__.py.swp", "#__init__.py#", ".ruff_cache/x", "old.pyc"):
        (package / name).write_text("x")

    assert version() == before


def test_what_links_lead_to_counts(plugin: Path) -> None:
    """Also where they lead back."""
    package = plugin / "my_agent_of_test"
    (plugin / "tables").mkdir()
    (package / "tables").symlink_to(plugin / "tables")
    (package / "around").symlink_to(package)
    before = version()
    (plugin / "tables/one.csv").write_text("1")

    assert version() != before


def test_a_second_module_counts(plugin: Path) -> None:
    """As setuptools names it."""
    (plugin / "my_agent_of_test-1.2.dist-info/top_level.txt").write_text("my_agent_of_test\nmore\n")
    (plugin / "more.py").write_text("x = 1")
    before = version()
    (plugin / "more.py").write_text("x = 2")

    assert version() != before


def test_what_was_copied_from_a_folder_counts_as_listed(plugin: Path) -> None:
    """``pip install ./FOLDER``: what the distribution lists is all of it."""
    info = plugin / "my_agent_of_test-1.2.dist-info"
    (info / "direct_url.json").write_text(json.dumps({"url": "file:///x", "dir_info": {}}))
    (info / "RECORD").write_text("more.py,,\nmy_agent_of_test/__init__.py,,\n")
    (plugin / "more.py").write_text("x = 1")
    before = version()
    (plugin / "more.py").write_text("x = 2")

    assert version() != before


def test_what_cannot_be_read_has_no_digest(plugin: Path) -> None:
    """It is never waited for."""
    os.mkfifo(plugin / "my_agent_of_test/pipe")

    assert version() == "1.2+src.unreadable"
    assert sources.content("absent.csv") == sources.content("/dev/zero") == "unreadable"


def test_modules_are_named_by_version_or_content(plugin: Path) -> None:
    """Those that are installed by the former."""
    mine = sources.named("my_agent_of_test.inner")
    before = sources.content(mine)
    (plugin / "my_agent_of_test/inner.py").write_text("x = 2")

    assert before.startswith("src.")
    assert sources.content(mine) != before
    assert sources.content(sources.named("numpy.linalg")) == np.__version__


@pytest.mark.parametrize("name", ["evil_of_test.sub", "evil_of_test.", ".evil_of_test", "", "a/b"])
def test_nothing_is_imported_to_look_it_up(plugin: Path, name: str) -> None:
    """Python imports the package around a module that it is asked to find."""
    (plugin / "evil_of_test.py").write_text("import pathlib; pathlib.Path(__file__).unlink()")

    assert sources.content(f"module {name}") == "unreadable"
    assert (plugin / "evil_of_test.py").exists()


def test_distributions_that_tell_dotted_modules_are_not_imported(plugin: Path) -> None:
    """The package around one counts, as a whole."""
    (plugin / "my_agent_of_test-1.2.dist-info/top_level.txt").write_text("outer_of_test.inner\n")
    (plugin / "outer_of_test").mkdir()
    source = plugin / "outer_of_test/__init__.py"
    source.write_text("raise SystemExit")
    before = version()
    source.write_text("raise SystemExit(1)")

    assert version() != before


def test_entry_points_name_the_package(plugin: Path) -> None:
    """A distribution may be called otherwise than its package."""
    info = plugin / "my_agent_of_test-1.2.dist-info"
    (info / "METADATA").write_text("Name: my-agent-of-test\nVersion: 1.2\n")
    (plugin / "elsewhere.py").write_text("x = 1")
    (info / "entry_points.txt").write_text("[mfbpi]\nmine = elsewhere\n")
    before = version()
    (plugin / "elsewhere.py").write_text("x = 2")

    assert version() != before


def test_what_comes_from_an_index_has_its_version(plugin: Path) -> None:
    """Nobody edits it."""
    (plugin / "my_agent_of_test-1.2.dist-info/direct_url.json").unlink()

    assert version() == "1.2"
    assert sources.suffix("numpy") == sources.suffix("not installed at all") == ""
