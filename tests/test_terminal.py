"""Who may write on the terminal: the command alone, through one module."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]

LIBRARY = ROOT / "runners/mfbpi/src/mfbpi"


def test_library_leaves_the_terminal_to_the_command() -> None:
    """It imports neither click nor rich, nor the command; and names no option."""
    strange = re.compile(
        r"^\s*(from|import) (click|rich|mfbpi_run)\b|--(out|seeds|env|agent|metric|steps)\b",
        re.MULTILINE,
    )

    assert [p.name for p in LIBRARY.rglob("*.py") if strange.search(p.read_text())] == []


def test_output_goes_through_one_module() -> None:
    """Nothing of a plugin reaches a terminal except made visible: no other echo, no console."""
    source = ROOT / "runners/mfbpi-run/src/mfbpi_run"
    allowed = {"output.py", "cli.py"}  # cli.py shows click's own help
    found = {
        path.name
        for path in source.rglob("*.py")
        if "click.echo" in path.read_text() or "console.print" in path.read_text()
    }

    assert found <= allowed | {"progress.py"}  # the line above the bar, made visible there
