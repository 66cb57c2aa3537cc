"""What a process inherits from the one that starts it: environment variables, blocked signals."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator, Mapping
from multiprocessing import resource_tracker

#: How libraries are told to use one thread; they read it when they are imported.
SINGLE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
}

#: Signals that a driver may answer with an exception at any moment.
_INTERRUPTIONS = frozenset({signal.SIGINT, signal.SIGTERM})


@contextlib.contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables, and restore what they were."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextlib.contextmanager
def interruptions_held_back() -> Iterator[None]:
    """Hold back Ctrl-C and the request to terminate until the end of the block.

    Processes started meanwhile inherit the block, so that neither reaches them before they have
    called :func:`leave_interrupts_to_driver`.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # its start, which a spawn causes, would lift the block
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTIONS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def leave_interrupts_to_driver() -> None:
    """Ignore Ctrl-C, which a terminal sends to every process; let a request to terminate in."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _INTERRUPTIONS)
