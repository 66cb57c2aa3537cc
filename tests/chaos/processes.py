"""Which processes a run consists of, read from /proc."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterable
from pathlib import Path

#: How multiprocessing starts a worker, whose resource tracker is started otherwise; and what Ray
#: calls one.
_WORKERS = (b"spawn_main", b"ray::Worker")

#: Seconds in which a process must be gone once it is killed.
_PATIENCE_S = 30.0


def workers(driver: int) -> list[int]:
    """The worker processes of a driver, those that are only starting included."""
    return [pid for pid in _below(driver) if any(w in _read(pid, "cmdline") for w in _WORKERS)]


def _below(pid: int) -> list[int]:
    """The children of a process, and theirs."""
    own = _children(pid)
    return [*own, *(below for child in own for below in _below(child))]


def kill(pids: Iterable[int]) -> None:
    """Kill processes at once, as the system does for lack of memory."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def wait_for_end(pids: Iterable[int]) -> None:
    """Wait until processes are gone."""
    deadline = time.monotonic() + _PATIENCE_S
    while any(is_alive(pid) for pid in pids):
        assert time.monotonic() < deadline, f"one of {list(pids)} does not end"
        time.sleep(0.01)


def is_alive(pid: int) -> bool:
    """Whether a process is there and has not ended; one not waited for has."""
    state = _read(pid, "stat").rpartition(b")")[2].split()
    return bool(state) and state[0] not in (b"Z", b"X")


def _children(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += [int(child) for child in task.read_text().split()]
    return found


def _read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""
