"""What the workers run in the tests of the process executor; workers import it by name."""

# ruff: noqa: T201 - printing is what is tested
from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from mfbpi_core import Outcome, PluginRef, Task
from mfbpi_executor_process.isolation import SINGLE_THREAD


def make_task(action: str, seed: int = 0, **config: object) -> Task:
    """A task whose agent's name says what :func:`run` does."""
    return Task(
        agent=PluginRef(name=action, config=config),
        environment=PluginRef(name="none"),
        metrics=(),
        seed=seed,
        horizon=1,
        eval_every=1,
        discount=0.9,
    )


def run(text: str) -> Outcome:
    """Do what the task's agent is called."""
    task = Task.from_json(text)
    content = globals()[f"do_{task.agent.name}"](**task.agent.config)
    return Outcome(task_id=task.task_id, status="done", tables={".txt": content})


def returns_nothing(text: str) -> None:
    """Break the contract."""


def do_work(size: int = 1) -> bytes:
    """Return that many bytes."""
    return b"x" * size


def do_raise() -> bytes:
    """Fail."""
    raise ValueError("this task cannot be done")


def do_exit() -> bytes:
    """Ask the interpreter to end."""
    raise SystemExit(3)


def do_die(number: int = signal.SIGKILL) -> bytes:
    """End the process, as the system does when memory is short."""
    os.kill(os.getpid(), number)
    return b"still here"


def do_die_later(size: int) -> bytes:
    """Be killed while the result is being sent."""
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGKILL)).start()
    return b"x" * size


def do_exit_at_once() -> bytes:
    """End the process without a signal or an exception."""
    os._exit(7)


def do_report_pid() -> bytes:
    """The number of the process."""
    return str(os.getpid()).encode()


def do_survive_interrupt() -> bytes:
    """Receive Ctrl-C as every process of a terminal does."""
    os.kill(os.getpid(), signal.SIGINT)
    return b"ignored"


def do_count_threads() -> bytes:
    """Threads of this process after a product of matrices, and the limits it was given."""
    matrix = np.ones((512, 512))
    _ = matrix @ matrix
    limits = {os.environ.get(name) for name in SINGLE_THREAD}
    native = len(list(Path("/proc/self/task").iterdir()))
    return f"{native - threading.active_count() + 1} {sorted(limits)}".encode()


def do_interrupt_itself() -> bytes:
    """Raise what Ctrl-C raises."""
    raise KeyboardInterrupt


def do_fork() -> bytes:
    """Come back twice."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
    return b"parent" if child else b"child"


def do_leave(directory: str, way: str, end: int | None = None) -> bytes:
    """Leave a process behind that would run for a minute; die, stay in it, or go on."""
    number = _left_behind(way)
    Path(directory, str(number)).touch()
    if end == signal.SIGSTOP:
        time.sleep(60.0)
    elif end is not None:
        os.kill(os.getpid(), end)
    return b"left"


def _left_behind(way: str) -> int:
    if way == "subprocess":
        return subprocess.Popen(["sleep", "60"], start_new_session=True).pid
    child = os.fork()
    if child == 0:
        os.setsid()
        time.sleep(60.0)
        os._exit(0)
    return child


def do_use_multiprocessing() -> bytes:
    """Let another process compute."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return str(pool.apply(abs, (-3,))).encode()


def do_read_input() -> bytes:
    """What a subprocess finds on its standard input."""
    return subprocess.run(["cat"], capture_output=True, check=True).stdout


def do_print(text: str) -> bytes:
    """Print from Python, from a library of C, and from a subprocess; the last line is not ended."""
    print(text)
    ctypes.CDLL(None).puts(b"from C")
    subprocess.run(["echo", "from a subprocess"], check=True)
    os.write(2, b"raw \x1b[31m and ")
    print("unfinished", end="", file=sys.stderr)
    return b"printed"


def do_print_and_die() -> bytes:
    """Die in the middle of a line."""
    os.write(1, b"last words")
    os._exit(3)


def do_hold(directory: str) -> bytes:
    """Compute in compiled code that never lets go of the interpreter."""
    Path(directory, str(os.getpid())).touch()
    ctypes.PyDLL(None).sleep(60)
    return b"held"


def do_sleep(directory: str, seconds: float = 60.0) -> bytes:
    """Leave a file named like the process, and stay busy."""
    Path(directory, str(os.getpid())).touch()
    time.sleep(seconds)
    return b"slept"


def is_alive(pid: int) -> bool:
    """Whether the process exists and is not a zombie."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0]
        return state != "Z"
    return False


def wait_for(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)
