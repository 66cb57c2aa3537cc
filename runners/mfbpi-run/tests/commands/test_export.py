"""``mfbpi export``, and files where environments stand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mfbpi_env_mdp_file")

MAZE = """s,a,s',p,r,terminated
hall,wait,hall,1,0,
hall,go,out,0.9,1,true
hall,go,hall,0.1,0,
"""


def test_a_file_is_described_exported_and_run(mfbpi: Callable[..., Any], tmp_path: Path) -> None:
    """Names are shown and kept, and a run needs nothing but the file."""
    first, second = tmp_path / "maze.csv", tmp_path / "maze.drn"
    first.write_text(MAZE)
    written = tmp_path / "again.csv"

    assert "states: 0 hall, 1 out" in mfbpi("describe", "--mdp", first).out
    assert "wait" in mfbpi("bound", "--bound", "u", "--mdp", first).out
    text = first.read_text().replace("hall,go,out,0.9,1,true", "hall,go,out,0.9,0,true")
    first.write_text(text)
    assert mfbpi("export", "--mdp", first, "--out", second).code == 0
    assert mfbpi("export", "--mdp", second, "--out", written).code == 0
    assert "hall,go,out,0.9,0.0,true" in written.read_text()
    ended = mfbpi("describe", "--mdp", tmp_path / "none.csv")
    assert (ended.code, "there is no file" in ended.err) == (2, True)


def test_a_wrong_file_is_two_lines(mfbpi: Callable[..., Any], tmp_path: Path) -> None:
    """The line, the state, the action and the number; no traceback."""
    file = tmp_path / "maze.csv"
    file.write_text(MAZE.replace("0.9", "1.9"))
    ended = mfbpi("run", "--agent", "uniform", "--mdp", file, "--dry-run")
    assert ended.code == 2
    assert "line 3: state hall, action go: p is 1.9" in ended.err


def test_no_environment_is_said_as_before(mfbpi: Callable[..., Any]) -> None:
    """Without --env and --mdp, the option is missing."""
    ended = mfbpi("run", "--agent", "uniform")
    assert ended.code == 2
    assert "--env" in ended.err
