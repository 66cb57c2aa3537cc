"""How soon the first step is taken, and what is not imported for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

DEEP = ("bsp", "bsp2", "dbmf_bpi", "ensemble_ucb", "ids")


@pytest.mark.parametrize(
    "short",
    [
        ("--agent", "mf_bpi", "--env", "riverswim", "--steps", 10),
        ("--agent", "dbmf_bpi", "--env", "slipping_deep_sea", "--steps", 130),
    ],
)
def test_second_start_compiles_nothing(
    short: tuple[object, ...], environment: dict[str, str], mfbpi_run: Callable[..., Any]
) -> None:
    """Machine code comes from the cache: what numba says of it, for clocks depend on the load."""
    environment["NUMBA_DEBUG_CACHE"] = "1"
    alone = (*short, "--seeds", 0, "--metric", "t_avg", "--executor", "serial")
    mfbpi_run(*alone, "--out", "first")

    second = mfbpi_run(*alone, "--out", "second")

    said = second.stdout + second.stderr
    assert second.returncode == 0, said
    assert "[cache] data loaded" in said
    assert "[cache] data saved" not in said


def test_compiled_runs_import_no_torch(
    environment: dict[str, str], mfbpi_run: Callable[..., Any], tmp_path: Path
) -> None:
    """Deep agents act and learn where torch cannot be imported: it takes seconds."""
    blocked = tmp_path / "blocked"
    blocked.mkdir()
    (blocked / "torch.py").write_text("raise ImportError('torch is imported')\n")
    environment["PYTHONPATH"] = os.pathsep.join([str(blocked), environment["PYTHONPATH"]])
    agents = [part for name in DEEP for part in ("--agent", name)]
    tasks = ("--env", "slipping_deep_sea", "--env", "cartpole_swingup", "-E", "size=4")

    run = mfbpi_run(*agents, *tasks, "--steps", 140, "--seeds", 0, "--metric", "t_avg")

    assert run.returncode == 0, run.stderr
    assert "torch is imported" not in run.stderr
