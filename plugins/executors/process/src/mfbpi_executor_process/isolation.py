"""What a process inherits from its driver: environment, main module, signals, and its end."""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import signal
import sys
import threading
import types
from collections.abc import Iterator, Mapping
from multiprocessing import resource_tracker
from multiprocessing.process import BaseProcess

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
_INTERRUPTIONS = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})

#: ``prctl``'s request for a signal at the death of the parent, on Linux.
_PR_SET_PDEATHSIG = 1


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
def main_left_out() -> Iterator[None]:
    """Processes started meanwhile do not import the main module.

    They need it only for what is defined there. A main module may have no file (``python -``, a
    notebook), and a script may start its work without asking whether it is the main module.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def names_main(pickled: bytes) -> bool:
    """Whether a pickle refers to the driver's main module by name.

    Bytes within it may: they are what an object sends of itself by value.
    """
    import pickletools  # not on top: it is slow, and not every run has processes

    texts = (
        argument for _, argument, _ in pickletools.genops(pickled) if isinstance(argument, str)
    )
    return any("__main__" in text for text in texts)


def main_can_be_imported() -> bool:
    """Whether another process can import the main module: it is a module's, or has a file."""
    main = sys.modules["__main__"]
    if getattr(main, "__spec__", None) is not None:
        return True
    return os.path.isfile(getattr(main, "__file__", ""))  # noqa: PTH113 - a text that may be "<stdin>"


def is_importing_main() -> bool:
    """Whether this process is being started and has not yet imported its main module."""
    return bool(getattr(multiprocessing.current_process(), "_inheriting", False))


@contextlib.contextmanager
def interruptions_held_back() -> Iterator[None]:
    """Hold back Ctrl-C and the requests to terminate until the end of the block.

    Processes started meanwhile inherit the block, so that none reaches them before they have
    called :func:`leave_interrupts_to_driver`.
    """
    resource_tracker.ensure_running()  # its start, which a spawn causes, would lift the block
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTIONS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def leave_interrupts_to_driver() -> None:
    """Ignore what a terminal sends to every process; let a request to terminate in."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _INTERRUPTIONS)


def allow_children() -> None:
    """Let tasks use ``multiprocessing``, which allows daemons no children: they end with this."""
    multiprocessing.current_process().daemon = False


def nothing_to_read() -> None:
    """Let what this process starts find its standard input empty, not the driver's terminal."""
    null = os.open(os.devnull, os.O_RDONLY)
    if null == 0:  # it was closed, and this has taken its place
        os.set_inheritable(0, True)
        return
    os.dup2(null, 0)
    os.close(null)


def end_of(process: BaseProcess) -> int:
    """A descriptor that is ready for reading once a process has ended, whatever it has started.

    The process's own sentinel is a pipe, which copies of the process hold open; it serves where
    the system has nothing better.
    """
    if hasattr(os, "pidfd_open") and process.pid is not None:
        with contextlib.suppress(OSError):
            return os.pidfd_open(process.pid)
    return process.sentinel


def end_with_driver(by_kernel: bool) -> None:
    """End this process when the driver dies, however it dies.

    Args:
        by_kernel: ask the system for it as well, where it can: a thread has to wait while
            compiled code holds the interpreter. The system watches the thread that started this
            process, which must therefore be the driver's main one.
    """
    threading.Thread(target=_end_with_driver, daemon=True).start()
    if by_kernel and sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _end_with_driver() -> None:
    driver = multiprocessing.parent_process()
    if driver is not None:
        driver.join()
    os._exit(1)
