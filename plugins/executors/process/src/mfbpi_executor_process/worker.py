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
import secrets
import signal
import threading
import time
import traceback
from collections.abc import Callable
from multiprocessing import connection
from multiprocessing.connection import Connection
from typing import Any

from mfbpi_core import Outcome
from mfbpi_core.contracts.executor import Work
from mfbpi_executor_process import printed, remains
from mfbpi_executor_process.isolation import (
    SINGLE_THREAD,
    allow_children,
    end_of,
    end_with_driver,
    environment,
    leave_interrupts_to_driver,
    main_left_out,
    nothing_to_read,
)

#: Sent by a worker that is ready for its first task, and by one that has taken a task.
READY, TAKEN = "ready", "taken"

#: Returned by :meth:`Worker.receive` where the worker has sent nothing, and where it has died.
NOTHING, DEAD = "nothing", "dead"

#: Seconds to wait for a process to end after its connection closed or it was killed.
END_TIMEOUT_S = 10.0

#: What most often sends SIGKILL.
_MEMORY_HINT = " (perhaps for lack of memory: try fewer --jobs)"


class Worker:
    """The driver's handle on one process.

    Attributes:
        connection: yields READY, then TAKEN and one message for each task sent.
        printed: what it prints.
        end: ready for reading once the process has ended.
        ready: whether it has ever been ready.
        task: what it was sent and has not ended, or None.
        taken: whether it has taken that task.
        deadline: when the task must have ended, on the clock of :func:`time.monotonic`, or None.
    """

    def __init__(self, pickled_run: bytes, needs_main: bool) -> None:
        """Start the process; it works with ``run`` as pickled by the driver.

        Args:
            pickled_run: the function.
            needs_main: whether it is defined in the driver's main module.

        Raises:
            OSError: when the system has no room for another process.
        """
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        output, their_output = context.Pipe(duplex=False)
        self.printed = printed.Printed(output)
        self._mark = secrets.token_hex(8)
        in_main_thread = threading.current_thread() is threading.main_thread()
        self._process = context.Process(
            target=serve,
            args=(theirs, their_output, pickled_run, in_main_thread),
            name="mfbpi-worker",
            daemon=True,
        )
        main = contextlib.nullcontext() if needs_main else main_left_out()
        try:
            with environment({**SINGLE_THREAD, remains.VARIABLE: self._mark}), main:
                self._process.start()
        except OSError:
            self.connection.close()
            self.printed.close()
            raise
        finally:  # ours would keep them open when the worker dies
            theirs.close()
            their_output.close()
        self.end = end_of(self._process)
        self.ready = False
        self.task: Work | None = None
        self.taken = False
        self.deadline: float | None = None

    @property
    def ends(self) -> list[Any]:
        """What to wait for: a message, something printed, or its death."""
        pipes = [self.printed.pipe] if self.printed.open else []
        return [self.connection, self.end, *pipes]

    def send(self, task: Work) -> None:
        """Give it a task; if it has just died, the next :meth:`receive` says so."""
        self.task, self.taken = task, False
        with contextlib.suppress(OSError):
            self.connection.send(task.to_json())

    def begin(self, limit: float | None) -> None:
        """Note that it has taken its task, which may take so many seconds."""
        self.taken = True
        self.deadline = None if limit is None else time.monotonic() + limit

    def finish(self) -> Work | None:
        """Note that its task has ended, and return that."""
        task, self.task, self.deadline = self.task, None, None
        return task

    def receive(self) -> Any:
        """The next message, NOTHING, or DEAD; what was printed before is shown first."""
        dead = not self._process.is_alive()
        try:
            if self.connection.poll():
                message = self.connection.recv()
                self.show_printed(whole=message != TAKEN)
                return message
        except (EOFError, OSError):
            dead = True
        self.show_printed(whole=dead)
        return DEAD if dead else NOTHING

    def show_printed(self, *, whole: bool) -> None:
        """Pass on what was printed; if this is the whole, an unfinished line too."""
        self.printed.show("worker" if self.task is None else self.task.label, whole=whole)

    def kill(self) -> None:
        """End the process, and what it has started, without waiting for them."""
        self._process.kill()
        remains.end(self._mark)

    def close(self) -> None:
        """Wait for the end of a dead or killed process, and release what it used."""
        self.connection.close()
        connection.wait([self.end], END_TIMEOUT_S)
        remains.end(self._mark)  # what it has started between the look and its own end
        self._process.join(END_TIMEOUT_S)
        self.show_printed(whole=True)
        self.printed.close()
        if self.end != self._process.sentinel:
            os.close(self.end)
        self._process.close()

    def exit_code(self) -> int | None:
        """The exit code of a process that died, negative for a signal."""
        self._process.join(END_TIMEOUT_S)
        return self._process.exitcode


def end_in_words(code: int | None) -> str:
    """How a process that died ended."""
    if code is not None and code < 0:
        return f"was killed by {_signal_name(-code)}{_MEMORY_HINT if code == -9 else ''}"
    return f"ended with exit code {code}"


def serve(driver: Connection, output: Connection, pickled_run: bytes, in_main_thread: bool) -> None:
    """What a worker process does: run tasks until the driver closes the connection."""
    leave_interrupts_to_driver()
    end_with_driver(by_kernel=in_main_thread)
    printed.send_to(output)
    nothing_to_read()
    allow_children()
    with contextlib.suppress(EOFError, OSError):
        try:
            run = pickle.loads(pickled_run)
        except Exception:
            driver.send(traceback.format_exc())
            return
        driver.send(READY)
        while True:
            text = driver.recv()
            driver.send(TAKEN)
            message = _attempt(run, text)
            printed.flush()
            _send(driver, message)


def _attempt(run: Callable[[str], object], text: str) -> Outcome | str:
    """The outcome of a task, or the traceback of what it raised.

    Here even KeyboardInterrupt comes from the task: a worker ignores Ctrl-C. Nothing that a task
    raises must look like a dead process.
    """
    worker = os.getpid()
    try:
        outcome = run(text)
    except BaseException:
        outcome = traceback.format_exc()
    if os.getpid() != worker:  # a task that forks comes back twice
        os._exit(1)
    if isinstance(outcome, str):
        return outcome
    if not isinstance(outcome, Outcome):
        return f"{run!r} returned {type(outcome).__name__}; expected an Outcome"
    return outcome


def _send(driver: Connection, message: Outcome | str) -> None:
    try:
        driver.send(message)
    except (pickle.PicklingError, TypeError, AttributeError):
        driver.send(traceback.format_exc())


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
