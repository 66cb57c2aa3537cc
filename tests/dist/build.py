"""Builds each package: the sdist from its folder, the wheel from the sdist alone."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

#: What an sdist must hold beside its code.
NEEDED = {"LICENSE", "README.md", "pyproject.toml", "PKG-INFO"}


def folders(root: Path) -> list[Path]:
    """Every folder with a distribution of its own, the core's first."""
    places = ("plugins/*/*/pyproject.toml", "runners/*/pyproject.toml")
    return [root, *sorted(file.parent for place in places for file in root.glob(place))]


def everything(root: Path, target: Path) -> list[Path]:
    """Build all packages into an empty folder; returns the wheels."""
    if target.exists():
        shutil.rmtree(target)
    return [_built(folder, target) for folder in folders(root)]


def _built(folder: Path, target: Path) -> Path:
    sdist = _run("sdist", folder, target)
    with tempfile.TemporaryDirectory() as place, tarfile.open(sdist) as archive:
        archive.extractall(place, filter="data")
        (unpacked,) = Path(place).iterdir()
        missing = NEEDED - {file.name for file in unpacked.iterdir()}
        strange = {"plugins", "runners"} & {file.name for file in unpacked.iterdir()}
        assert not missing, f"{sdist.name} lacks {missing}"
        assert not strange, f"{sdist.name} holds {strange}"
        wheel = _run("wheel", unpacked, target)
    names = zipfile.ZipFile(wheel).namelist()
    assert any(name.endswith("licenses/LICENSE") for name in names), f"{wheel.name} has no licence"
    return wheel


def _run(kind: str, folder: Path, target: Path) -> Path:
    """Build one archive; returns its path."""
    before = set(target.glob("*"))
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(target)]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    (made,) = set(target.glob("*")) - before
    return made
