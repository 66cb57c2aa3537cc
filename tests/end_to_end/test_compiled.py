"""Compiled code where an installation is read-only and there is no home."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]

#: A home below a file, which nobody can create, not even root.
NO_HOME = "/dev/null/nowhere"


@pytest.fixture
def environment(environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """No home, and an agent beside whose source nothing can be kept: a file is in the way."""
    package = tmp_path / "installed/mfbpi_sealed"
    package.mkdir(parents=True)
    (package / "__pycache__").touch()
    (package / "__init__.py").write_text(
        "from mfbpi_core import AgentSpec, hookimpl\n"
        "@hookimpl\n"
        "def mfbpi_agents():\n"
        "    yield AgentSpec(name='sealed', factory='mfbpi_sealed.agent:Sealed')\n"
    )
    (package / "agent.py").write_text(
        "import os, pathlib\n"
        "import numba\n"
        "from mfbpi_core import Agent\n"
        "@numba.njit(cache=True)\n"
        "def double(x):\n"
        "    return 2 * x\n"
        "class Sealed(Agent):\n"
        "    def select_action(self, observation):\n"
        "        place = pathlib.Path(os.environ['NUMBA_CACHE_DIR'])\n"
        "        if double(0) == 0:\n"
        "            mode, files = oct(place.stat().st_mode)[-3:], [*place.rglob('*.nbi')]\n"
        "            print(mode, place, len(files))\n"
        "        return 0\n"
        "    def update(self, transition): pass\n"
        "    def recommend(self, observation): return 0\n"
    )
    info = package.parent / "mfbpi_sealed-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mfbpi-sealed\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[mfbpi]\nsealed = mfbpi_sealed\n")
    kept = {k: v for k, v in environment.items() if k not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")}
    (tmp_path / "temporary").mkdir()
    return {
        **kept,
        "PYTHONPATH": f"{package.parent}:{environment['PYTHONPATH']}",
        "HOME": NO_HOME,
        "TMPDIR": str(tmp_path / "temporary"),
    }


RUN = ("--agent", "sealed", "--env", "ring", "--steps", 1, "--seeds", "0:3", "--json")


@pytest.mark.parametrize("executor", ["process", "serial"])
def test_private_temporary_place(mfbpi_run: Command, tmp_path: Path, executor: str) -> None:
    """One for all workers, for the owner alone, said once, and gone at the end."""
    ended = mfbpi_run(*RUN, "--jobs", 2, "--executor", executor)

    assert ended.returncode == 0, ended.stderr
    assert [task["status"] for task in json.loads(ended.stdout)["tasks"]] == ["done"] * 3
    notes = [line for line in ended.stderr.splitlines() if line.startswith("note: ")]
    assert len(notes) == 1
    assert "set NUMBA_CACHE_DIR to a directory, and it is kept for good" in notes[0]
    places = {line.partition("] ")[2] for line in ended.stderr.splitlines() if line[0] == "["}
    assert len(places) == 1
    [place] = places
    assert place.startswith(f"700 {tmp_path}/temporary/mfbpi-numba-")
    assert place.endswith(" 1")
    assert not list((tmp_path / "temporary").iterdir())


def test_place_that_the_user_sets_is_used(
    mfbpi_run: Command, environment: dict[str, str], tmp_path: Path
) -> None:
    """In silence, and kept."""
    environment["NUMBA_CACHE_DIR"] = str(tmp_path / "kept")
    ended = mfbpi_run(*RUN)

    assert ended.returncode == 0
    assert "note: " not in ended.stderr
    assert list((tmp_path / "kept").rglob("*.nbi"))
