"""What people forget, mistake or expect: versions, help, kinds, a number of seeds."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import mfbpi_core
import mfbpi_run
from mfbpi_run import cli, scaffold

Command = Callable[..., Any]


@pytest.mark.parametrize(
    ("seeds", "said"),
    [
        ("10", "note: --seeds 10 is one seed, number 10; 0:10 runs 10 seeds\n"),
        ("100001", ""),
        ("0:2", ""),
        ("0", ""),
        ("1", ""),
        ("3,5", ""),
    ],
)
def test_single_seed_that_may_be_meant_as_a_number(seeds: str, said: str, toy_run: Command) -> None:
    """It runs, and what it means is said."""
    ended = toy_run("--seeds", seeds, "--dry-run")

    assert (ended.code, ended.err) == (0, said)


@pytest.mark.parametrize("command", [(), *((name,) for name in cli.COMMANDS)])
def test_short_option_for_help(command: tuple[str, ...], mfbpi: Command) -> None:
    """``-h`` is ``--help`` of every command."""
    ended = mfbpi(*command, "-h")

    assert ended.code == 0
    assert ended.out == mfbpi(*command, "--help").out
    assert "-h, --help" in ended.out


def test_help_and_version_of_the_short_program(capsys: pytest.CaptureFixture[str]) -> None:
    """``mfbpi-run`` has both, too; ``mfbpi run`` has no version of its own."""
    assert cli.run_main(["-h"]) == 0
    assert "--version" in capsys.readouterr().out
    assert cli.run_main(["--version"]) == 0
    assert capsys.readouterr().out == f"mfbpi-run, version {version('mfbpi-run')}\n"


def test_versions_come_from_the_metadata() -> None:
    """One source; anything else is missing as always."""
    assert mfbpi_core.__version__ == version("mfbpi-core")
    assert mfbpi_run.__version__ == version("mfbpi-run")
    with pytest.raises(AttributeError, match="module 'mfbpi_core' has no attribute 'other'"):
        _ = mfbpi_core.other
    with pytest.raises(AttributeError, match="module 'mfbpi_run' has no attribute 'other'"):
        _ = mfbpi_run.other


def test_package_can_be_run() -> None:
    """``python -m mfbpi_run`` is ``mfbpi``."""
    done = subprocess.run(
        [sys.executable, "-m", "mfbpi_run", "--version"], capture_output=True, text=True, check=True
    )

    assert done.stdout == f"mfbpi, version {version('mfbpi-run')}\n"


@pytest.mark.parametrize("command", ["new", "list", "show"])
def test_help_lists_the_kinds(command: str, mfbpi: Command) -> None:
    """Where a kind is asked for."""
    shown = " ".join(mfbpi(command, "--help").out.split())

    assert "KIND is one of: agent, environment" in shown


def test_scaffold_of_an_installed_name_is_a_warning(mfbpi: Command) -> None:
    """Whether the distribution exists, or another one has the name; it is written all the same."""
    ended = mfbpi("new", "executor", "serial", "--out", "x")
    assert ended.code == 0
    assert ended.err == (
        "warning: mfbpi-executor-serial is installed already; "
        "installing the new package replaces it\n"
    )

    ended = mfbpi("new", "agent", "biased", "--out", "y")
    assert ended.err == (
        "warning: mfbpi-toy has agent biased already; with both installed, choose with "
        "mfbpi-agent-biased:biased\n"
    )
    assert Path("y/pyproject.toml").is_file()

    assert mfbpi("new", "agent", "unheard_of", "--out", "z").err == ""


@pytest.mark.parametrize("kind", ["experiment", "agnt"])
def test_kind_without_scaffold_lists_those_with_one(kind: str, mfbpi: Command) -> None:
    """In the error."""
    ended = mfbpi("new", kind, "x")

    assert ended.code == 2
    assert f"expected {', '.join(scaffold.offered())}" in ended.err
