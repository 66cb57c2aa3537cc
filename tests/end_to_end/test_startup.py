"""How soon the first step is taken."""

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: Seconds from the start to the end of a run of one step, once compiled code is cached.
START_S = 3.0


def test_second_start_is_quick(mfbpi_run: Callable[..., Any], tmp_path: Path) -> None:
    """Compiled code comes from the cache; counted in processor time, which load does not stretch.

    The whole command is counted, summary included, and so more than up to the first step.
    """
    short = ("--agent", "mf_bpi", "--env", "riverswim", "--steps", 1, "--seeds", 0)
    first = mfbpi_run(*short, "--executor", "serial", "--out", "first")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    second = mfbpi_run(*short, "--executor", "serial", "--out", "second")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)

    assert (first.returncode, second.returncode) == (0, 0)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert spent < START_S
