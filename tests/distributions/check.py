"""Installs what was built into clean environments, and tries it there.

Third-party packages come from the index once, as wheels; after that pip is never shown an index,
so that it cannot find one of ours there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.distributions.build import folders

#: What the README shows first.
MAIN_JOB = ("--agent", "mf_bpi", "--env", "riverswim")

#: What the tests of the packages import beside the packages themselves.
TEST_TOOLS = ("pytest", "pytest-timeout", "pytest-xdist", "hypothesis", "pandas")

#: Must not come with the tabular part.
_LARGE = "from importlib.util import find_spec as f; assert not f('torch') and not f('bsuite')"


def everything(root: Path, built: Path) -> int:
    """Use what was built, in one environment with its tabular part, and in another with all."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        _call([sys.executable, "-m", "pip", "wheel", *_QUIET, *_third_party(place)], root)
        links = ["--find-links", str(place / "wheels"), "--find-links", str(built)]
        tabular = _environment(place / "tabular", [*links, "mfbpi[tabular]"])
        _call([str(tabular), "-c", _LARGE], place)
        _call([str(tabular.parent / "mfbpi-run"), *MAIN_JOB], place)
        whole = _environment(place / "whole", [*links, "mfbpi[all]", *TEST_TOOLS])
        _test(root, whole, place / "checkout")
    return 0


_QUIET = ("--quiet", "--disable-pip-version-check")


def _third_party(place: Path) -> list[str]:
    return ["--wheel-dir", str(place / "wheels"), "-r", "requirements.txt"]


def _environment(place: Path, asked: list[str]) -> Path:
    """A virtual environment with what is asked for; returns its interpreter."""
    _call([sys.executable, "-m", "venv", str(place)], place.parent)
    python = place / "bin" / "python"
    pip = [str(python), "-m", "pip"]
    _call([*pip, "install", *_QUIET, "--no-index", *asked], place)
    _call([*pip, "check"], place)
    return python


def _test(root: Path, python: Path, checkout: Path) -> None:
    """Run the tests of each package where there are no sources."""
    tests = _copied_tests(root, checkout)
    options = ["-q", "-n", "auto", "-p", "no:cacheprovider"]
    _call([str(python), "-m", "pytest", *options, *tests], checkout)


def _copied_tests(root: Path, target: Path) -> list[str]:
    """The tests of the packages without their sources, with the configuration of pytest."""
    (target / "runners").mkdir(parents=True)
    for name in ("pyproject.toml", "runners/conftest.py"):
        shutil.copy(root / name, target / name)
    copied = []
    for folder in folders(root)[1:]:
        inside = folder.relative_to(root) / "tests"
        if (root / inside).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(root / inside, target / inside, ignore=ignored)
            shutil.copy(folder / "README.md", (target / inside).parent)  # tests run its examples
            copied.append(str(inside))
    return copied


def _call(command: list[str], folder: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    subprocess.run(command, cwd=folder, env=environment, check=True)
