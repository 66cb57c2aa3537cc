"""One worker process: what runs in it, and the driver's handle on it.

Each worker has a connection of its own. Its death closes that connection, so that the driver
knows at once which task is lost, and nothing that a dying worker held, such as a lock or half a
message, can hold up another. A pool whose workers share one queue does not have this property.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from mfbpi_core import Outcome
from mfbpi_core.executor import Work
from mfbpi_executor_process.isolation import SINGLE_THREAD, environment, leave_interrupts_to_driver

#: Sent by a worker that is ready for its first task.
READY = "ready"

#: Seconds to wait for a process to end after its connection closed or it was killed.
END_TIMEOUT_S = 10.0

#: What most often sends SIGKILL.
_MEMORY_HINT = " (perhaps for lack of memory: try fewer --jobs)"


class Worker:
    """The driver's handle on one process.

    Attributes:
        connection: yields READY, then one message for each task sent.
        sentinel: ready for reading once the process has ended.
        task: what it is running, or None.
        ready: whether it has ever been ready.
    """

    def __init__(self, pickled_run: bytes) -> None:
        """Start the process; it works with ``run`` as pickled by the driver."""
        self.connection, theirs = multiprocessing.get_context("spawn").Pipe()
        self._process = multiprocessing.get_context("spawn").Process(
            target=serve, args=(theirs, pickled_run), name="mfbpi-worker", daemon=True
        )
        with environment(SINGLE_THREAD):
            self._process.start()
        theirs.close()  # ours would keep the connection open when the worker dies
        self.sentinel = self._process.sentinel
        self.task: Work | None = None
        self.ready = False

    def send(self, task: Work) -> None:
        """Give it a task; if it has just died, the next :meth:`receive` says so."""
        self.task = task
        with contextlib.suppress(OSError):
            self.connection.send(task.to_json())

    def receive(self) -> Any:
        """The next message, or None if the process died; call it when there is something."""
        try:
            return self.connection.recv() if self.connection.poll() else None
        except (EOFError, OSError):
            return None

    def kill(self) -> None:
        """End the process without waiting for it."""
        self._process.kill()

    def close(self) -> None:
        """Wait for the end of a dead or killed process, and release what it used."""
        self.connection.close()
        self._process.join(END_TIMEOUT_S)
        self._process.close()

    def end_of_life(self) -> str:
        """How a process that died ended, in words."""
        self._process.join(END_TIMEOUT_S)
        code = self._process.exitcode
        if code is not None and code < 0:
            return f"was killed by {_signal_name(-code)}{_MEMORY_HINT if code == -9 else ''}"
        return f"ended with exit code {code}"


def serve(connection: Connection, pickled_run: bytes) -> None:
    """What a worker process does: run tasks until the driver closes the connection."""
    leave_interrupts_to_driver()
    threading.Thread(target=_end_with_driver, daemon=True).start()
    with contextlib.suppress(EOFError, OSError):
        try:
            run = pickle.loads(pickled_run)
        except Exception:
            connection.send(traceback.format_exc())
            return
        connection.send(READY)
        while True:
            _send(connection, _attempt(run, connection.recv()))


def _attempt(run: Callable[[str], Any], text: str) -> Outcome | str:
    """The outcome of a task, or the traceback of what it raised."""
    try:
        outcome = run(text)
    except (Exception, SystemExit):  # a task that exits must not look like a dead process
        return traceback.format_exc()
    if not isinstance(outcome, Outcome):
        return f"{run!r} returned {type(outcome).__name__}; expected an Outcome"
    return outcome


def _send(connection: Connection, message: Outcome | str) -> None:
    try:
        connection.send(message)
    except (pickle.PicklingError, TypeError, AttributeError):
        connection.send(traceback.format_exc())


def _end_with_driver() -> None:
    """End this process when the driver dies, however it dies."""
    driver = multiprocessing.parent_process()
    if driver is not None:
        driver.join()
    os._exit(1)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
