"""Workers that are killed, hang, print or never start: what becomes of the run as a whole."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]

RUN = ("--agent", "mischief", "--env", "ring", "--steps", 40)


@pytest.fixture
def environment(environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """The plugin of this test is installed too, and the working directory is on the path."""
    more = (str(Path(__file__).with_name("mischief")), str(tmp_path), environment["PYTHONPATH"])
    return {**environment, "PYTHONPATH": os.pathsep.join(more)}


def let_workers_end(tmp_path: Path, count: int) -> None:
    """The first so many workers are killed before they run a line of ours."""
    (tmp_path / "births").mkdir()
    (tmp_path / "sitecustomize.py").write_text(
        "import os, pathlib, sys\n"
        "if '--multiprocessing-fork' in sys.orig_argv:\n"
        "    (pathlib.Path('births') / str(os.getpid())).touch()\n"
        f"    if len(os.listdir('births')) <= {count}:\n"
        "        os.kill(os.getpid(), 9)\n"
    )


def statuses(ended: subprocess.CompletedProcess[str]) -> list[str]:
    """What became of each task, from the one JSON object on standard output."""
    return [task["status"] for task in json.loads(ended.stdout)["tasks"]]


@pytest.mark.parametrize("jobs", [1, 2])
def test_worker_killed_while_it_starts_fails_nobody(
    mfbpi_run: Command, tmp_path: Path, jobs: int
) -> None:
    """It is replaced, in silence."""
    let_workers_end(tmp_path, 1)
    ended = mfbpi_run(*RUN, "--seeds", "0:6", "--jobs", jobs, "--json")

    assert (ended.returncode, ended.stderr) == (0, "")
    assert statuses(ended) == ["done"] * 6


def test_workers_that_never_start(mfbpi_run: Command, tmp_path: Path) -> None:
    """One sentence with the way on; no task is blamed."""
    let_workers_end(tmp_path, 1000)
    ended = mfbpi_run(*RUN, "--seeds", "0:6", "--jobs", 1, "--out", "x")

    assert (ended.returncode, ended.stdout) == (1, "")
    [line] = ended.stderr.splitlines()
    assert line.startswith("error: no worker process can start: 5 in a row")
    assert "0 of 6 tasks done; continue with: mfbpi-run" in line
    assert not list((tmp_path / "x").rglob("*error*"))


@pytest.mark.parametrize("does", ["hang", "hold"])
def test_task_over_its_time_fails_alone(mfbpi_run: Command, does: str) -> None:
    """It is stopped whatever it does, the rest is done."""
    what = ("-A", f"does={does}", "-A", "at_seed=1", "--seeds", "0:4", "--jobs", 2)
    ended = mfbpi_run(*RUN, *what, "--task-timeout", 6, "--json")

    assert ended.returncode == 1
    assert statuses(ended) == ["done", "failed", "done", "done"]
    [line] = ended.stderr.splitlines()
    assert ": timed out after 6 s; see " in line


def test_time_limit_is_refused_where_it_cannot_be_kept(mfbpi_run: Command, tmp_path: Path) -> None:
    """Before anything is written."""
    ended = mfbpi_run(*RUN, "--executor", "serial", "--task-timeout", 5)

    assert ended.returncode == 2
    assert "cannot stop a task" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("does", "cause"),
    [
        ("leave", "ended with exit code 0"),
        ("press", "KeyboardInterrupt"),
        ("shout", "\\x1b]0;owned"),
    ],
)
def test_task_that_ends_badly_fails_alone(mfbpi_run: Command, does: str, cause: str) -> None:
    """However it does so."""
    what = ("-A", f"does={does}", "-A", "at_seed=1", "--seeds", "0:4", "--jobs", 2)
    ended = mfbpi_run(*RUN, *what, "--json")

    assert ended.returncode == 1
    assert statuses(ended) == ["done", "failed", "done", "done"]
    [line] = ended.stderr.splitlines()
    assert cause in line
    assert line.isprintable()


@pytest.mark.parametrize("executor", ["process", "serial"])
def test_agent_that_prints_leaves_standard_output_alone(mfbpi_run: Command, executor: str) -> None:
    """What it says is on standard error, after its task, and nothing of it acts there."""
    ended = mfbpi_run(
        *RUN, "-A", "does=talk", "--seeds", "0:2", "--executor", executor, "--jobs", 1, "--json"
    )

    assert statuses(ended) == ["done", "done"]
    expected = {"from Python \\x1b[31m red", "\\u202e", "from C", "from a subprocess"}
    for seed in range(2):
        label = f"[mischief(does=talk) on ring, seed {seed}] "
        said = [line for line in ended.stderr.splitlines() if line.startswith(label)]
        assert {line.removeprefix(label) for line in said} == expected
    assert len(ended.stderr.splitlines()) == 2 * len(expected)
    assert "\x1b" not in ended.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_ending_the_driver_ends_the_run_in_good_order(
    start: Any, tmp_path: Path, number: signal.Signals
) -> None:
    """A request to terminate, or the end of the terminal: as Ctrl-C."""
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("the signal is ignored here, as under nohup, and by all that is started")
    process = start(*RUN, "-A", "does=hold", "--seeds", "0:4", "--jobs", 2, "--out", "x")
    wait_until(lambda: any((tmp_path / "x").glob("*run.json")))
    time.sleep(1.0)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)

    assert process.returncode == 130
    assert err.startswith("interrupted: 0 of 4 tasks done; continue with: mfbpi-run")
    wait_until(lambda: not alive(process.pid))


def test_workers_end_with_a_killed_driver(start: Any, tmp_path: Path) -> None:
    """Even those that compiled code holds."""
    process = start(*RUN, "-A", "does=hold", "--seeds", "0:4", "--jobs", 2, "--out", "x")
    wait_until(lambda: len(alive(process.pid)) >= 3)
    time.sleep(2.0)
    process.kill()
    process.communicate()

    wait_until(lambda: not alive(process.pid))


def alive(session: int) -> set[int]:
    """Processes of a session that are no zombies."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.add(int(path.parent.name))
    return found


def wait_until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


@pytest.mark.parametrize("how", ["-", "-c", "script"])
def test_driver_without_a_file_or_a_guard(
    environment: dict[str, str], tmp_path: Path, how: str
) -> None:
    """``python - <<EOF``, ``python -c`` and a script without ``if __name__`` work in processes."""
    code = (
        "import sys\nfrom mfbpi_run import cli\n"
        "sys.exit(cli.run_main('--agent mischief --env ring --steps 40 --seeds 0:3 --jobs 2 "
        "--json'.split()))\n"
    )
    (tmp_path / "script.py").write_text(code)
    arguments = {"-": ["-"], "-c": ["-c", code], "script": ["script.py"]}[how]
    ended = subprocess.run(
        [sys.executable, *arguments],
        input=code if how == "-" else "",
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert (ended.returncode, ended.stderr) == (0, "")
    assert statuses(ended) == ["done"] * 3
