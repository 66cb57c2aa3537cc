"""The command line as its users have it: the installed script, in processes of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(sys.executable).with_name("mfbpi-run")

TOY = Path(__file__).parents[2] / "runners/mfbpi/tests/toy"

#: Seconds after which a command is given up.
TIMEOUT_S = 120

Command = Callable[..., subprocess.CompletedProcess[str]]

Rows = Callable[[Path], list[dict[str, Any]]]


@pytest.fixture
def environment() -> dict[str, str]:
    """Environment variables of the commands; the toy plugin is installed.

    They keep their bytecode, as installed ones do: without it a sixth of their time is parsing.
    """
    # pytest's workers may set the width of their terminal.
    ours = ("MFBPI_", "COLUMNS", "PYTHONDONTWRITEBYTECODE")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    path = os.pathsep.join(filter(None, [str(TOY), kept.get("PYTHONPATH")]))
    return {**kept, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}


@pytest.fixture
def one_core() -> Iterator[None]:
    """What is started finds one core, so that one worker runs the tasks of a grid in turn.

    For what is shown of a grid and not of workers: a second one costs the seconds of its start.
    """
    before = os.sched_getaffinity(0)
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    os.sched_setaffinity(0, {sorted(before)[number % len(before)]})
    yield
    os.sched_setaffinity(0, before)


@pytest.fixture
def mfbpi_run(environment: dict[str, str], tmp_path: Path) -> Command:
    """Run ``mfbpi-run`` with these arguments in an empty directory, to its end."""

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [SCRIPT, *map(str, arguments)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )

    return run


@pytest.fixture
def start(environment: dict[str, str], tmp_path: Path) -> Any:
    """Start ``mfbpi-run`` in a process group of its own; killed at the end of the test."""
    started: list[subprocess.Popen[str]] = []

    def begin(*arguments: object) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [SCRIPT, *map(str, arguments)],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def rows() -> Rows:
    """Read every row of a directory of results, but for the time that it took."""
    import pyarrow.parquet as pq

    def read(directory: Path) -> list[dict[str, Any]]:
        tables = [pq.read_table(path) for path in directory.glob("*.parquet")]
        found = [row for table in tables for row in table.drop_columns("elapsed_s").to_pylist()]
        keys = ("agent", "env", "seed", "metric", "step")
        return sorted(found, key=lambda row: tuple(row[key] for key in keys))

    return read
