"""A disk that is full in the middle of a grid: what is there is whole, and resume does the rest."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mfbpi.results.storage import reading
from mfbpi.results.storage.directory import Store

N_TASKS = 12

COMMAND = (
    str(Path(sys.executable).with_name("mfbpi-run")),
    *("--agent", "uniform", "--env", "riverswim", "--seeds", f"0:{N_TASKS}", "--steps", "6000"),
    *("--eval-every", "100", "--checkpoint-every", "0.01", "--arrays", "--quiet"),
    *("--if-exists", "resume"),
)

MODES = {
    "process": [["--jobs", "2"]],
    "shards": [["--jobs", "1", "--shard", "0/2"], ["--jobs", "1", "--shard", "1/2"]],
    "ray": [["--jobs", "2", "--executor", "ray"]],
}


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, with room for little."""
    place = tmp_path / "disk"
    place.mkdir()
    if _mount(place, "size=64k"):
        pytest.skip("needs the right to mount a file system")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def _mount(place: Path, options: str) -> int:
    """The exit code of the command."""
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
    try:
        return subprocess.run(command, check=False, capture_output=True).returncode
    except FileNotFoundError:
        return 1


def rows(directory: Path) -> dict[str, Any]:
    """The rows of each task, but for the time that they took."""
    return {
        path.stem: reading.read(path).content.drop_columns(["elapsed_s"]).to_pylist()
        for path in Store(directory).rows()
    }


def carry_out(directory: Path, mode: str) -> list[int]:
    """The exit codes of the processes that carry the grid out."""
    running = [
        subprocess.Popen([*COMMAND, *more, "--out", str(directory)], stderr=subprocess.DEVNULL)
        for more in MODES[mode]
    ]
    return [each.wait(timeout=300) for each in running]


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_full_disk_loses_and_doubles_nothing(mode: str, disk: Path, tmp_path: Path) -> None:
    """With room for a few tasks, then for some more, then for all."""
    assert carry_out(tmp_path / "whole", "process") == [0]
    whole = rows(tmp_path / "whole")
    done, met = [], 0
    for size in ("64k", "160k", "256k", "64m"):
        subprocess.run(["mount", "-o", f"remount,size={size}", str(disk)], check=True)
        codes = carry_out(disk / "grid", mode)
        met += any(codes)
        found = rows(disk / "grid") if (disk / "grid").is_dir() else {}
        done.append(len(found))
        assert found == {name: whole[name] for name in found}
        assert not list(disk.rglob("*.tmp"))

    assert met >= 2
    assert codes == [0] * len(codes)
    assert done == sorted(done)
    assert rows(disk / "grid") == whole
