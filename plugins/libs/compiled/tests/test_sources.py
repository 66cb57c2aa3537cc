"""Which files a compiled function can have been made from."""

from __future__ import annotations

from pathlib import Path

import pytest

from mfbpi_lib_compiled import sources
from mfbpi_lib_compiled.sources import ChangedError, stamp


@pytest.fixture(autouse=True)
def _new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that change here are those of one process after the other."""
    monkeypatch.setattr(sources, "_BEGUN", float("inf"))


def write(folder: Path, **files: str) -> str:
    """Modules of a package ``own``; the stamp of its first one."""
    package = folder / "own"
    for place in (package, package / "part"):
        place.mkdir(exist_ok=True, parents=True)
        (place / "__init__.py").touch()
    for name, text in files.items():
        (package / f"{name.replace('_', '/')}.py").write_text(text)
    sources._read.cache_clear()
    return stamp(str(package / "a.py"))


@pytest.mark.parametrize(
    "line",
    [
        "from own.part.b import RATE",
        "from own.part import b",
        "from own.part import (\n    other,  # a remark\n    b as c,\n)",
        "import own.part.b",
        "import os, own.part.b as b",
        "from .part.b import RATE",
        "from .part import b",
        "def late():\n    from own.part import b",
        "from own.part import (  # some (of many)\n    b,\n)",
        "from own.part import \\\n    b",
        "from own.part \\\n    import b",
        "import os; from own.part import b",
        "if True: import own.part.b as b",
        "\ufefffrom own.part import b",
        "import own.part.b\tas\tb",
        "from.part.b import *",
        "from . part import b",
        "from own.c import RATE",
    ],
)
def test_a_change_of_what_is_imported_changes_the_stamp(tmp_path: Path, line: str) -> None:
    """However it is imported, and through whatever other module."""
    before = write(tmp_path, a=line, c="from . import part\nfrom .part import b", part_b="RATE = 1")

    after = write(tmp_path, part_b="RATE = 2")

    assert before != after
    assert write(tmp_path, part_b="RATE = 1") == before


@pytest.mark.parametrize("line", ["import os", "from numpy import pi", "import own.c", ""])
def test_nothing_else_does(tmp_path: Path, line: str) -> None:
    """Not what nobody imports, nor packages that are not looked at."""
    before = write(tmp_path, a=line, part_b="RATE = 1")

    assert write(tmp_path, part_b="RATE = 2") == before


def test_modules_that_import_each_other_have_a_stamp(tmp_path: Path) -> None:
    """A circle ends."""
    assert write(tmp_path, a="from own import c", c="from own import a")


def test_installed_neighbours_are_not_looked_at(tmp_path: Path) -> None:
    """Beside an installed package lies all that is installed."""
    for name, counts in (("site-packages", False), ("project", True)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "other.py").write_text("RATE = 1")
        before = write(folder, a="from other import RATE")
        (folder / "other.py").write_text("RATE = 2")

        assert (write(folder) != before) is counts


def test_packages_of_ours_are_looked_at_wherever_they_are(tmp_path: Path) -> None:
    """They are installed somewhere else than a script; a module may be a single file."""
    without = write(tmp_path, a="pass")

    assert len({without, write(tmp_path, a="import mfbpi_lib_compiled.cache")}) == 2
    found = sources._read(tmp_path / "own/a.py")[1]
    names = {f"{file.parent.name}/{file.name}" for file in found}
    assert names == {f"mfbpi_lib_compiled/{name}.py" for name in ("__init__", "cache")} | {
        "own/__init__.py"
    }


def test_what_packages_run_counts(tmp_path: Path) -> None:
    """Of the file's own package, and of those that a module is imported from."""
    before = write(tmp_path, a="import own.part.b", part_b="")
    for place in ("own", "own/part"):
        (tmp_path / place / "__init__.py").write_text("RATE = 1")
        after = write(tmp_path)

        assert after != before
        before = after


def test_which_file_holds_what_counts(tmp_path: Path) -> None:
    """Two that change their contents for each other's change what is compiled."""
    before = write(tmp_path, a="from own import b, c", b="RATE = 1", c="RATE = 2")

    assert write(tmp_path, b="RATE = 2", c="RATE = 1") != before


def test_folders_without_init_are_packages_too(tmp_path: Path) -> None:
    """Python imports from them."""
    (tmp_path / "bare").mkdir()
    script, constants = tmp_path / "script.py", tmp_path / "bare/constants.py"
    script.write_text("from bare.constants import RATE")
    stamps = set()
    for rate in (1, 2):
        constants.write_text(f"RATE = {rate}")
        sources._read.cache_clear()
        stamps.add(stamp(str(script)))

    assert len(stamps) == 2


def test_a_relative_path_is_one_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As ``runpy`` names a script."""
    expected = write(tmp_path, a="import own.part.b")
    monkeypatch.chdir(tmp_path / "own")

    assert stamp("a.py") == expected


def test_a_file_that_was_written_since_is_not_what_was_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody knows which version is in memory."""
    monkeypatch.setattr(sources, "_BEGUN", 0.0)
    with pytest.raises(ChangedError):
        write(tmp_path, a="import own.part.b")


def test_a_name_that_no_file_can_have_is_none(tmp_path: Path) -> None:
    """Longer than file systems take."""
    assert write(tmp_path, a=f"import own.{'x' * 300}")
