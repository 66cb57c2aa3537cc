"""What tests of own classes share."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest


@pytest.fixture
def printed() -> Callable[..., set[str]]:
    """What programs print in processes that keep sets in other orders."""

    def run(*arguments: str) -> set[str]:
        return {
            subprocess.run(
                [sys.executable, *arguments],
                env={**os.environ, "PYTHONHASHSEED": seed},
                capture_output=True,
                text=True,
                check=True,
            ).stdout.strip()
            for seed in ("1", "2", "3")
        }

    return run
