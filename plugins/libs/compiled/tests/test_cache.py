"""Machine code on disk: when it is taken, and when it is made anew."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

LIBRARY = """
RATE = {rate}
"""
RULES = """
from mfbpi_lib_compiled import compiled
from library.constants import RATE

@compiled(forceinline=True)
def rule(x):
    return RATE * x
"""
AGENT = """
from mfbpi_lib_compiled import compiled
from library.rules import rule

@compiled
def loop(x):
    return rule(x)
"""
CALL = """
import sys
sys.path.insert(0, ".")
from agent import loop
print(loop(1.0), sum(loop.stats.cache_hits.values()))
"""


class Project:
    """A script beside a package of two files, in a process each time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.places: dict[str, str] = {"NUMBA_CACHE_DIR": str(folder / "cache")}
        (folder / "library").mkdir()
        (folder / "library/__init__.py").touch()
        (folder / "library/rules.py").write_text(RULES)
        (folder / "agent.py").write_text(AGENT)
        self.set_rate(2.0)

    def set_rate(self, rate: float) -> None:
        """Another version of the package."""
        (self.folder / "library/constants.py").write_text(LIBRARY.format(rate=rate))

    def call(self, code: str = CALL) -> tuple[str, str]:
        """What a process prints: the result and the functions found, and its warnings."""
        done = subprocess.run(
            [sys.executable, "-B", "-c", code],
            cwd=self.folder,
            env={**os.environ, **self.places},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip(), done.stderr

    def kept(self, pattern: str) -> list[Path]:
        """Files of the cache."""
        return sorted((self.folder / "cache").rglob(pattern))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project that has compiled once."""
    made = Project(tmp_path)
    assert made.call() == ("2.0 0", "")
    return made


def test_a_constant_of_a_file_that_is_imported_by_an_imported_one_counts(project: Project) -> None:
    """numba's own cache would answer 2."""
    assert project.call() == ("2.0 1", "")
    project.set_rate(3.0)

    assert project.call() == ("3.0 0", "")
    assert project.call() == ("3.0 1", "")


@pytest.mark.parametrize("pattern", ["*.nbi", "*.nbc"])
@pytest.mark.parametrize("left", [0, 40])
def test_what_was_cut_off_is_made_anew(project: Project, pattern: str, left: int) -> None:
    """By a kill, or by a disk that was full."""
    files = project.kept(pattern)
    assert files
    for file in files:
        file.write_bytes(file.read_bytes()[:left])

    assert project.call() == ("2.0 0", "")
    assert project.call() == ("2.0 1", "")


@pytest.mark.parametrize("damage", [False, True])
def test_a_version_that_could_not_be_kept_is_not_taken_for_another(
    project: Project, damage: bool
) -> None:
    """The index fits on the disk, and the machine code does not, nor a damaged index anew."""
    project.set_rate(3.0)
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, {0}))\n"
    if damage:
        project.call()
        for file in project.kept("*.nbi"):
            file.write_bytes(file.read_bytes()[:40])

    found, warnings = project.call(limit.format(0 if damage else 2500) + CALL)

    assert (found, "cannot be kept in" in warnings) == ("3.0 0", True)
    assert project.call() == ("3.0 0", "")
    assert project.call() == ("3.0 1", "")
    assert len(project.kept("*loop*.nbc")) == 1


def test_nothing_is_kept_where_nothing_is_compiled(tmp_path: Path) -> None:
    """``NUMBA_DISABLE_JIT`` leaves functions as they are."""
    project = Project(tmp_path)
    project.places["NUMBA_DISABLE_JIT"] = "1"

    assert project.call("from agent import loop; print(loop(1.0))") == ("2.0", "")


def test_a_type_whose_module_is_gone_stops_nobody(project: Project) -> None:
    """The cache of a function names the types that anybody called it with."""
    (project.folder / "theirs.py").write_text(
        "from typing import NamedTuple\nclass Pair(NamedTuple):\n    first: float\n"
    )
    (project.folder / "agent.py").write_text(
        "from mfbpi_lib_compiled import compiled\n@compiled\ndef loop(x): return 2.0\n"
    )
    project.call("import agent, theirs; agent.loop(theirs.Pair(1.0)); print()")
    (project.folder / "theirs.py").unlink()

    assert project.call() == ("2.0 0", "")


def test_a_full_disk_is_said_and_stops_nobody(tmp_path: Path) -> None:
    """Files end at 512 bytes, as they do where no block is left."""
    code = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))\n{CALL}"

    found, warnings = Project(tmp_path).call(code)

    assert found == "2.0 0"
    assert "cannot be kept in" in warnings
    assert "NUMBA_CACHE_DIR" in warnings


def test_without_a_place_functions_are_compiled_in_the_process(tmp_path: Path) -> None:
    """numba alone would refuse to define them."""
    project = Project(tmp_path)
    project.places["NUMBA_CACHE_LOCATOR_CLASSES"] = "UserProvidedCacheLocator"
    (tmp_path / "cache").write_text("a file where a folder would be")

    assert project.call() == ("2.0 0", "")
