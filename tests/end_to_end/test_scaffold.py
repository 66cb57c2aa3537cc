"""``mfbpi new`` writes packages that install, pass ``mfbpi check``, and run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mfbpi_run import scaffold

MFBPI = Path(sys.executable).with_name("mfbpi")

PIP = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]


@pytest.mark.parametrize("kind", list(scaffold.offered()))
def test_scaffold_passes_its_own_checks(
    kind: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    """Written, installed beside ours, and checked, without a change."""

    def call(*command: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(word) for word in command],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    written = call(MFBPI, "new", kind, "brand_new", "--out", "package")
    assert written.returncode == 0, written.stderr
    distribution = written.stdout.split()[-1]
    installed = call(
        *PIP, "--no-deps", "--no-build-isolation", "--no-index", "--target", "there", "./package"
    )
    assert installed.returncode == 0, installed.stderr
    environment["PYTHONPATH"] = os.pathsep.join(
        [str(tmp_path / "there"), environment["PYTHONPATH"]]
    )
    checked = call(MFBPI, "check", distribution)

    assert checked.returncode == 0, checked.stdout
    assert "failed" not in checked.stdout
