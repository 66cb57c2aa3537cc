"""Machine code on disk: when it is taken, and when it is made anew."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mfbpi_lib_compiled.cache import MOST

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


def test_versions_stand_beside_each_other(project: Project) -> None:
    """Two that are used in turn, as two environments with one script, are both found."""
    project.set_rate(3.0)
    project.call()
    project.set_rate(2.0)

    assert project.call() == ("2.0 1", "")


def cut(data: bytes) -> bytes:
    """What a kill or a full disk leaves of a file that is not replaced as a whole."""
    return data[: len(data) // 2]


def change(data: bytes) -> bytes:
    """One that reads as well as before, in the middle of the machine code."""
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


@pytest.mark.parametrize("damage", [cut, change, lambda _: b""])
def test_what_was_damaged_is_made_anew(project: Project, damage: Callable[[bytes], bytes]) -> None:
    """Rather than run."""
    files = project.kept("*.nbc")
    assert files
    for file in files:
        file.write_bytes(damage(file.read_bytes()))

    assert project.call() == ("2.0 0", "")
    assert project.call() == ("2.0 1", "")


def test_a_patched_constant_is_of_its_process_alone(project: Project) -> None:
    """What it compiles is not what the next process finds."""
    patched = (
        f"import sys; sys.path.insert(0, '.')\nimport library.constants as c; c.RATE = 5.0\n{CALL}"
    )

    assert project.call(patched) == ("5.0 0", "")
    assert project.call() == ("2.0 1", "")
    assert project.call(patched) == ("5.0 1", "")


def test_a_file_that_is_written_after_it_was_imported_is_another_version(project: Project) -> None:
    """What is in memory is what is compiled, and what it is known by."""
    project.set_rate(4.0)
    edited = CALL.replace("print", "open('library/constants.py', 'w').write('RATE = 3.0')\nprint")

    assert project.call(edited) == ("4.0 0", "")
    assert project.call() == ("3.0 0", "")


def test_signatures_are_not_taken_for_each_other(tmp_path: Path) -> None:
    """Each has a file of its own, that names it: none is left from before, or from a kill."""
    project = Project(tmp_path)
    call = "import sys; sys.path.insert(0, '.')\nfrom agent import loop; print(*map(loop, ({})))"

    assert project.call(call.format("1, 1.0, True")) == ("2.0 2.0 2.0", "")
    kept = project.kept("*loop*.nbc")
    assert len(kept) == 3
    for file in kept[1:]:
        file.write_bytes(kept[0].read_bytes())

    assert project.call(call.format("1, 1.0, True")) == ("2.0 2.0 2.0", "")


def test_the_oldest_are_forgotten(project: Project) -> None:
    """A cache does not grow with every version."""
    for n in range(MOST):
        extra = project.kept("*loop*.nbc")[0].with_name(f"agent.loop.{n}.nbc")
        extra.touch()
        os.utime(extra, (n, n))
    project.set_rate(3.0)
    project.call()

    left = {file.name for file in project.kept("*loop*.nbc")}
    assert len(left) == MOST
    assert {f"agent.loop.{n}.nbc" for n in (0, 1)} & left == set()


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


def test_what_nobody_can_tell_is_compiled_and_not_kept(tmp_path: Path) -> None:
    """A value may raise whatever it likes when it is looked at."""
    project = Project(tmp_path)
    raising = "import mfbpi_lib_compiled.cache as c\nc.digest = lambda *_: 1 / 0\n"

    assert project.call(raising + CALL) == ("2.0 0", "")
    assert project.kept("*.nbc") == []
