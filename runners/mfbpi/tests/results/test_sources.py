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
    return provenance.installed({"plugins": {"my-agent-of-test": ""}, "libraries": {}}, {})[
        "plugins"
    ]["my-agent-of-test"]


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


@pytest.mark.parametrize("name", ["/proc/kmsg", "/proc/self/status", "/dev/stdin", "a\0b", "", "."])
def test_what_is_no_plain_file_has_no_digest(name: str) -> None:
    """Some of the kernel's are regular files that block whoever reads them."""
    assert sources.content(name) == "unreadable"


def test_files_without_end_have_no_digest(plugin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file may be said to be larger than any disk; those of a package count together."""
    sparse = plugin / "sparse"
    with sparse.open("wb") as opened:
        opened.truncate(2 << 40)
    os.mkfifo(plugin / "pipe")
    assert sources.content(str(sparse)) == sources.content(str(plugin / "pipe")) == "unreadable"
    small = plugin / "small"
    small.write_bytes(b"x" * 9)
    assert sources.content(str(small)) != "unreadable"
    monkeypatch.setattr(sources, "MOST", 8)
    assert sources.content(str(small)) == "unreadable"
    for name in ("one.csv", "two.csv"):
        (plugin / "my_agent_of_test" / name).write_bytes(b"x" * 4)
    assert version() == "1.2+src.unreadable"


def test_files_are_read_up_to_the_size_that_they_say(
    plugin: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that goes on has no digest; one that says that it is empty is not opened."""
    file = plugin / "file"
    file.write_bytes(b"x" * 9)
    monkeypatch.setattr(sources, "_size", lambda status, most: 4)
    assert sources.content(str(file)) == "unreadable"
    monkeypatch.setattr(sources, "_size", lambda status, most: 0)
    monkeypatch.setattr(os, "open", None)
    assert sources.content(str(file)) != "unreadable"


@pytest.mark.parametrize(
    ("name", "asked_for"),
    [
        ("two.npz", True),
        ("./two.npz", True),
        ("models/a/b.csv", True),
        ("models/../other.csv", False),
        ("/etc/shadow", False),
        ("two.npz/../../x", False),
        ("", False),
        ("module my_lakes", True),
        ("module my_lakes.inner", False),
        ("module sys", True),
        ("module other_lakes", False),
        ("module ", False),
    ],
)
def test_what_parameters_ask_for(name: str, asked_for: bool) -> None:
    """Files and folders by path, modules by name; nothing by an empty text."""
    config = {"file": "two.npz", "more": ["models", {"id": "my_lakes.a:Own-v0"}], "x": "", "n": 3}

    assert sources.is_asked_for(name, config) == asked_for
    assert sources.is_asked_for(str(Path("two.npz").absolute()), config)


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


def test_modules_of_the_user_count_with_what_they_import(plugin: Path) -> None:
    """In turn and around; what else lies beside them does not."""
    for name, source in {"first": "import second", "second": "import third"}.items():
        (plugin / f"{name}_of_test.py").write_text(f"{source}_of_test")
    third, other = plugin / "third_of_test.py", plugin / "other_of_test.py"
    third.write_text("import first_of_test, numpy; PAY = 1")
    found = [sources.content("module first_of_test")]
    other.write_text("x = 1")
    assert sources.content("module first_of_test") == found[0]
    third.write_text("import first_of_test, numpy; PAY = 2")
    found.append(sources.content("module first_of_test"))
    (plugin / "my_agent_of_test/table.csv").write_text("1")
    found.append(sources.content("module my_agent_of_test"))
    (plugin / "my_agent_of_test/table.csv").write_text("2")
    found.append(sources.content("module my_agent_of_test"))

    assert len(set(found)) == 4
    assert all(each.startswith("src.") and each != "src.unreadable" for each in found)


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
