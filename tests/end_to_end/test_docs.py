"""What the pages of the documentation show works as it is written, page by page."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(page for page in DOCS.rglob("*.md") if "```" in page.read_text())

#: Blocks of these languages are run; `text` is for what needs another machine or the network.
_BLOCK = re.compile(r'```(python|console|toml|csv)(?: title="([^"]+)")?\n(.*?)```', re.DOTALL)

#: Long experiments are only planned: that the command is understood is what can be shown here.
_PLANNED = re.compile(r"^mfbpi(-run| run| sweep)\b.*(paper/|\bdbmf_bpi\b|\bids\b|\bbpi/)")


@pytest.mark.usefixtures("one_core")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_blocks_of_a_page_run_in_order(
    page: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    """In one directory; Python blocks of a page share their names, files are written.

    Blocks of Python that follow each other are one program.
    """
    scripts = Path(sys.executable).parent
    environment["PATH"] = f"{scripts}{os.pathsep}{environment['PATH']}"
    for arguments in _steps(page.read_text(), tmp_path):
        done = subprocess.run(
            arguments, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{arguments[-1]}\n{done.stdout}{done.stderr}"


def _steps(text: str, directory: Path) -> Iterator[list[str]]:
    before, waiting = "", False
    for language, title, code in [*_BLOCK.findall(text), ("", "", "")]:
        is_program = language == "python" and not title
        if waiting and not is_program:
            yield [sys.executable, "-c", before]
        waiting = is_program
        if title:
            (directory / title).write_text(code)
        elif is_program:
            before += code
        elif language == "console":
            for line in code.replace("\\\n", " ").splitlines():
                yield ["sh", "-c", _quick(line)]


def _quick(line: str) -> str:
    command = line.split("  #")[0].removeprefix("$ ")
    return f"{command} --dry-run" if _PLANNED.search(command) else command
