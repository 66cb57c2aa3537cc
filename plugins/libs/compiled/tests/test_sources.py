"""Which files a compiled function can have been made from."""

from __future__ import annotations

from pathlib import Path

import pytest

import mfbpi_lib_compiled.sources
from mfbpi_lib_compiled.sources import stamp


@pytest.fixture(autouse=True)
def _forget() -> None:
    """Files are read once in a process; here they change."""
    mfbpi_lib_compiled.sources._read.cache_clear()


def write(folder: Path, **files: str) -> str:
    """Modules of a package ``own``; the stamp of its first one."""
    package = folder / "own"
    for place in (package, package / "part"):
        place.mkdir(exist_ok=True, parents=True)
        (place / "__init__.py").touch()
    for name, text in files.items():
        (package / f"{name.replace('_', '/')}.py").write_text(text)
    mfbpi_lib_compiled.sources._read.cache_clear()
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
        "    from own.part import b  # late",
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
    """They are installed somewhere else than a script."""
    without = write(tmp_path, a="pass")

    assert len({without, write(tmp_path, a="import mfbpi_lib_compiled.cache")}) == 2
    found = mfbpi_lib_compiled.sources._read(tmp_path / "own/a.py")[1]
    assert [file.name for file in found] == ["cache.py"]
