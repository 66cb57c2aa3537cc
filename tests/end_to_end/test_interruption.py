"""Ctrl-C, killed workers, resuming, and two processes on one directory."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
Rows = Callable[[Path], list[dict[str, Any]]]

#: More than a second for each of five tasks, spent asleep.
SLOW = ("--agent", "biased", "--env", "ring", "-A", "sleep_s=0.02", "--seeds", "0:5")

#: Seconds within which something must have happened.
PATIENCE_S = 60.0


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Wait for something, and fail when it does not come."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.05)


def is_alive(group: int) -> bool:
    """Whether a process group has a process left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def results(directory: Path) -> list[Path]:
    """The files of rows that are there."""
    return list(directory.glob("*.parquet"))


def everything(directory: Path) -> set[str]:
    """Every file below a directory, hidden ones too, except the lock."""
    return {path.name for path in directory.rglob("*") if path.is_file()} - {
        ".lock",
        "_log.txt",
        "driver.json",
    }


@pytest.fixture(scope="session")
def whole_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the uninterrupted run is, once for all tests."""
    return tmp_path_factory.mktemp("whole")


@pytest.fixture
def uninterrupted(mfbpi_run: Command, rows: Rows, whole_directory: Path) -> list[dict[str, Any]]:
    """The rows of a run that nobody interrupts."""
    if not any(whole_directory.iterdir()):
        ended = mfbpi_run(*SLOW, "--executor", "serial", "--out", whole_directory)
        assert ended.returncode == 0, ended.stderr
    return rows(whole_directory)


@pytest.mark.parametrize("way", ["ctrl-c", "sigterm"])
def test_interrupted_run_resumes_to_the_same_table(
    way: str,
    start: Command,
    mfbpi_run: Command,
    rows: Rows,
    uninterrupted: list[dict[str, Any]],
    tmp_path: Path,
) -> None:
    """One press: whole files only, no process left, exit code 130 and how to continue."""
    process: subprocess.Popen[str] = start(*SLOW, "--jobs", 2, "--out", "x")
    wait_until(lambda: len(results(tmp_path / "x")) >= 1, "the first result")
    if way == "ctrl-c":
        os.killpg(process.pid, signal.SIGINT)  # a terminal interrupts the whole group
    else:
        process.terminate()
    out, err = process.communicate(timeout=PATIENCE_S)

    assert process.returncode == 130
    assert out == ""
    assert "Traceback" not in err
    done = results(tmp_path / "x")
    assert f"interrupted: {len(done)} of 5 tasks done; continue with: mfbpi-run" in err
    assert everything(tmp_path / "x") == {path.name for path in done} | {"_run.json"}
    wait_until(lambda: not is_alive(process.pid), "the workers' end")
    before = {path: path.stat().st_mtime_ns for path in done}

    command = shlex.split(err.partition("continue with: mfbpi-run")[2])
    continued = mfbpi_run(*command, "--json")
    assert continued.returncode == 0, continued.stderr
    statuses = [task["status"] for task in json.loads(continued.stdout)["tasks"]]
    assert statuses.count("kept") == len(done)
    assert {path: path.stat().st_mtime_ns for path in done} == before
    assert rows(tmp_path / "x") == uninterrupted


def test_second_process_is_refused(start: Command, mfbpi_run: Command, tmp_path: Path) -> None:
    """Two processes on one directory: the second says so and touches nothing."""
    first: subprocess.Popen[str] = start(*SLOW, "--jobs", 2, "--out", "x")
    wait_until((tmp_path / "x/_run.json").exists, "the manifest")
    second = mfbpi_run(*SLOW, "--out", "x", "--if-exists", "resume")

    assert second.returncode == 2
    assert "another mfbpi process is writing to x" in second.stderr
    assert len(second.stderr.splitlines()) == 1
    _, err = first.communicate(timeout=PATIENCE_S)
    assert first.returncode == 0, err
    assert len(results(tmp_path / "x")) == 5


def test_killed_worker_fails_its_task_only(mfbpi_run: Command, rows: Rows, tmp_path: Path) -> None:
    """The others finish, the cause is told, the exit code is 1."""
    ended = mfbpi_run(
        "--agent", "biased", "--env", "ring", "-A", "die_at_seed=1", "--seeds", "0:4",
        "--jobs", 2, "--out", "x", "--json",
    )  # fmt: skip
    tasks = {task["seed"]: task for task in json.loads(ended.stdout)["tasks"]}

    assert ended.returncode == 1
    assert [tasks[seed]["status"] for seed in range(4)] == ["done", "failed", "done", "done"]
    [line] = ended.stderr.splitlines()
    assert "biased(die_at_seed=1) on ring, seed 1" in line
    assert "SIGKILL" in line
    report = json.loads((tmp_path / tasks[1]["file"]).read_text())
    assert "SIGKILL" in report["error"]
    assert {row["seed"] for row in rows(tmp_path / "x")} == {0, 2, 3}


def test_failing_task_in_a_worker_leaves_its_traceback(mfbpi_run: Command, tmp_path: Path) -> None:
    """Without a path of this machine in it."""
    ended = mfbpi_run(
        "--agent", "biased", "--env", "ring", "-A", "fail_at_seed=0", "--jobs", 2, "--out", "x"
    )
    [file] = (tmp_path / "x/_errors").glob("*.json")
    error = json.loads(file.read_text())["error"]

    assert ended.returncode == 1
    assert "RuntimeError: seed 0 fails" in error
    assert 'File "mfbpi_toy.py"' in error
    assert '"/' not in error
