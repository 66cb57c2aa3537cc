"""Installs what was built into a clean environment, and tries it there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.dist.build import folders

MAIN_JOB = ("--agent", "mf_bpi", "--env", "riverswim", "--seeds", "0:2", "--steps", "2000")


def everything(root: Path, wheels: list[Path]) -> int:
    """Install third-party packages and the wheels, nothing else; then use them."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        python = _environment(root, wheels, place / "venv")
        _call([str(python.parent / "mfbpi-run"), *MAIN_JOB], place)
        tests = _copied_tests(root, place / "checkout")
        chosen = ["-m", "pytest", "-q", "-n", "auto", "-p", "no:cacheprovider", *tests]
        _call([str(python), *chosen], place / "checkout")
    return 0


def _environment(root: Path, wheels: list[Path], place: Path) -> Path:
    """A virtual environment; returns its interpreter."""
    _call([sys.executable, "-m", "venv", str(place)], root)
    python = place / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _call([*pip, "-r", "requirements.txt"], root)
    _call([*pip, "--no-index", "--no-deps", *map(str, wheels)], root)
    _call([str(python), "-m", "pip", "check"], root)
    return python


def _copied_tests(root: Path, target: Path) -> list[str]:
    """The tests of the packages without their sources, with the configuration of pytest."""
    target.mkdir()
    shutil.copy(root / "pyproject.toml", target)
    copied = []
    for folder in folders(root)[1:]:
        inside = folder.relative_to(root) / "tests"
        if (root / inside).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(root / inside, target / inside, ignore=ignored)
            copied.append(str(inside))
    return copied


def _call(command: list[str], folder: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    subprocess.run(command, cwd=folder, env=environment, check=True)
