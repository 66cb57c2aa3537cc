"""Ctrl-C while a command is still being imported."""

from __future__ import annotations

import subprocess
import sys

import pytest

#: Ctrl-C in the middle of an import, as seen by whoever imports.
SOURCE = """
import builtins, sys
genuine = builtins.__import__

def interrupted(name, *rest, **more):
    if name.startswith({module!r}):
        raise KeyboardInterrupt
    return genuine(name, *rest, **more)

from mfbpi_run.cli import main
builtins.__import__ = interrupted
sys.argv = ["mfbpi", "list"]
sys.exit(main())
"""


@pytest.mark.parametrize("module", ["mfbpi_core", "numpy", "mfbpi_run.screen.output"])
def test_interrupt_while_importing_is_one_line(module: str) -> None:
    """Without a traceback, and with its own exit code."""
    command = [sys.executable, "-c", SOURCE.format(module=module)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)

    said = ended.stderr.strip()  # click begins a new line, after the terminal's ^C
    assert (ended.returncode, said, ended.stdout) == (130, "error: interrupted", "")


def test_help_does_without_numpy() -> None:
    """Nothing but click is needed to say how a command is used."""
    source = (
        "import sys\nfrom mfbpi_run.cli import main\nsys.argv = ['mfbpi', '--help']\nmain()\n"
        "print(sorted({'numpy', 'mfbpi_core', 'rich'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", source]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)

    assert ended.stdout.splitlines()[-1] == "[]"
