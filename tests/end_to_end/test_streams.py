"""Standard streams that are closed, full, or no longer read: the work is done all the same."""

from __future__ import annotations

import json
import os
import pty
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

BIN = Path(sys.executable).parent

RUN = "mfbpi-run --agent biased --env ring --seeds 0:2 --out x"

Shell = Callable[[str], subprocess.CompletedProcess[str]]


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    """The plugin whose summary holds escape sequences is installed, and the commands are found."""
    path = os.pathsep.join([str(Path(__file__).with_name("mischief")), environment["PYTHONPATH"]])
    return {**environment, "PYTHONPATH": path, "PATH": f"{BIN}{os.pathsep}{environment['PATH']}"}


@pytest.fixture
def shell(environment: dict[str, str], tmp_path: Path) -> Shell:
    """Run a line of the shell in an empty directory."""

    def run(line: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-c", line],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


FULL = "error: cannot write to standard output: No space left on device\n"


@pytest.mark.parametrize(
    ("redirection", "code", "err"),
    [
        (">&-", 0, ""),
        ("2>&-", 0, ""),
        ("<&- >&- 2>&-", 0, ""),
        (">/dev/full", 1, FULL),
        ("2>/dev/full", 0, ""),
        (">/dev/full 2>/dev/full", 1, ""),
    ],
)
def test_results_are_written(
    shell: Shell, tmp_path: Path, redirection: str, code: int, err: str
) -> None:
    """Whatever becomes of the summary; one line says that it is missing, where it can be said."""
    ended = shell(f"{RUN} {redirection}")

    assert (ended.returncode, ended.stderr) == (code, err)
    assert len(list((tmp_path / "x").glob("[0-9a-f]*.parquet"))) == 2


@pytest.mark.parametrize(
    "command", ["--help", "--version", "list", "list --json", "show agent plain"]
)
def test_every_command_says_that_standard_output_is_full(shell: Shell, command: str) -> None:
    """In one line, with exit code 1; closed, it is silent."""
    ended = shell(f"mfbpi {command} >/dev/full")
    assert (ended.returncode, ended.stderr) == (1, FULL)

    ended = shell(f"mfbpi {command} >&-")
    assert (ended.returncode, ended.stderr) == (0, "")


def test_usage_error_keeps_its_code(shell: Shell) -> None:
    """With standard error full or closed."""
    assert shell("mfbpi nonsense 2>/dev/full").returncode == 2
    assert shell("mfbpi nonsense 2>&-").returncode == 2


def test_reader_that_has_seen_enough(shell: Shell) -> None:
    """``head`` closes the pipe: silence, and success."""
    ended = shell("set -o pipefail; for i in 1 2 3; do mfbpi list; done | head -c 1")
    assert (ended.returncode, ended.stderr) == (0, "")

    ended = shell("set -o pipefail; (sleep 1; mfbpi list --json) | true")
    assert (ended.returncode, ended.stderr) == (0, "")


def test_terminal_without_unicode(shell: Shell) -> None:
    """Nothing fails."""
    for encoding in ("ascii", "latin-1"):
        ended = shell(f"PYTHONIOENCODING={encoding} mfbpi list agent && mfbpi --help")
        assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("command", ["list agent", "show agent mischief", "list agent --json"])
def test_nothing_in_a_summary_acts_on_the_terminal(shell: Shell, command: str) -> None:
    """Escape sequences and changes of direction are shown as such."""
    ended = shell(f"mfbpi {command}")

    assert "\x1b" not in ended.stdout
    assert "\u202e" not in ended.stdout
    summary = "Red \\x1b[31m and \\u202ebackwards."
    if command.endswith("--json"):
        [plugin] = [p for p in json.loads(ended.stdout)["plugins"] if p["name"] == "mischief"]
        assert plugin["summary"] == summary.encode().decode("unicode_escape")
    else:
        assert summary in ended.stdout


def test_plugin_that_prints_when_it_is_loaded(shell: Shell, tmp_path: Path) -> None:
    """From Python and from C: standard output is one object still."""
    (tmp_path / "mfbpi_chatty.py").write_text(
        "import ctypes\nprint('hello \\x1b[31m')\nctypes.CDLL(None).puts(b'from C')\n"
        "ctypes.CDLL(None).fflush(None)\n"
        "import warnings\nwarnings.warn('old \x1b[31m')\n"
        "from mfbpi_core import AgentSpec, hookimpl\n@hookimpl\ndef mfbpi_agents():\n"
        "    yield AgentSpec(name='chatty', factory='mfbpi_chatty:Chatty')\n"
    )
    info = tmp_path / "mfbpi_chatty-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mfbpi-chatty\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[mfbpi]\nchatty = mfbpi_chatty\n")
    ended = shell(f"PYTHONPATH={shlex.quote(str(tmp_path))}:$PYTHONPATH mfbpi list --json")

    assert json.loads(ended.stdout)["plugins"]
    assert set(ended.stderr.splitlines()) == {
        "[plugin] hello \\x1b[31m",
        "from C",
        "warning: UserWarning: old \\x1b[31m (mfbpi_chatty.py, line 6)",
    }


def test_bug_is_shown_without_acting(shell: Shell) -> None:
    """A traceback may quote a plugin."""
    code = "raise RuntimeError('\\\\x1b[31m')"
    ended = shell(
        f'python -c "import sys; from mfbpi_run import cli\n'
        f"def bug(): {code}\nsys.exit(cli.invoke('mfbpi', bug))\""
    )

    assert ended.returncode == 1
    assert "RuntimeError: \\x1b[31m" in ended.stderr
    assert "\x1b" not in ended.stderr


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120])
def test_names_are_whole_on_a_terminal(
    environment: dict[str, str], tmp_path: Path, width: int
) -> None:
    """However narrow it is."""
    names = {name for name, _ in plugins(environment)}
    shown = on_terminal(["mfbpi", "list"], environment, tmp_path, width)

    assert names
    for name in names:
        assert name in shown.split(), name
    assert "…" not in shown


def plugins(environment: dict[str, str]) -> list[tuple[str, str]]:
    """Name and kind of every plugin."""
    done = subprocess.run(
        ["mfbpi", "list", "--json"], env=environment, capture_output=True, check=True
    )
    return [(p["name"], p["kind"]) for p in json.loads(done.stdout)["plugins"]]


def on_terminal(command: list[str], environment: dict[str, str], where: Path, width: int) -> str:
    """What a command shows on a terminal of so many columns."""
    import fcntl
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    kept = {key: value for key, value in environment.items() if key not in ("COLUMNS", "LINES")}
    process = subprocess.Popen(command, stdout=theirs, stderr=theirs, env=kept, cwd=where)
    os.close(theirs)
    chunks: list[Any] = []
    try:
        while chunk := os.read(ours, 65_536):
            chunks.append(chunk)
    except OSError:  # the other end is closed
        pass
    finally:
        os.close(ours)
        process.wait()
    return b"".join(chunks).decode()
