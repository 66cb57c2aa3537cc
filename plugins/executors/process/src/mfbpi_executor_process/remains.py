"""What a task has started and left behind: found by a mark in its environment, and ended.

A worker is killed by its process identifier, which its own subprocesses and copies survive: they
would go on computing, and a copy holds every pipe open, so that the worker's end is not seen. Only
Linux tells the environment of other processes; elsewhere they stay.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

#: Environment variable of a worker, which everything that it starts inherits.
VARIABLE = "MFBPI_WORKER"

#: A process that is killed may have just started another one.
_ROUNDS = 10


def end(mark: str) -> None:
    """Kill every process with this mark."""
    for _ in range(_ROUNDS):
        found = list(_marked(f"{VARIABLE}={mark}".encode()))
        for number in found:
            with contextlib.suppress(OSError):
                os.kill(number, signal.SIGKILL)
        if not found:
            return


def _marked(entry: bytes) -> Iterator[int]:
    """Processes that live and have this entry in the environment that they were started with."""
    for folder in Path("/proc").glob("[0-9]*"):
        # Of others' processes nothing is told, and of those that have ended nothing is left.
        with contextlib.suppress(OSError):
            if entry in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name)
