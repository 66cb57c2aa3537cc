from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

HERE = Path(__file__).parent


def script(tmp_path: Path, body: str) -> list[str]:
    """A command that runs a driver of its own."""
    path = tmp_path / "driver.py"
    head = f"""
        import contextlib, signal, sys
        # A job in the background inherits an ignored SIGINT.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.path.insert(0, {str(HERE)!r})
        import process_test_tasks as kit
        from mfbpi_core import NoConfig
        from mfbpi_executor_process.executor import Process
        """
    path.write_text(textwrap.dedent(head) + textwrap.dedent(body), encoding="utf-8")
    return [sys.executable, str(path)]


@contextlib.contextmanager
def started(command: list[str], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A driver that is killed at the end, should it still run."""
    with subprocess.Popen(command, start_new_session=True, **options) as driver:
        try:
            yield driver
        finally:
            driver.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_orphans_when_the_driver_ends(
    kit: ModuleType, tmp_path: Path, number: signal.Signals
) -> None:
    """Interrupted, terminated or killed, the driver takes its workers with it."""
    marks = tmp_path / "pids"
    marks.mkdir()
    command = script(
        tmp_path,
        f"""
        if __name__ == "__main__":
            tasks = [kit.make_task("sleep", seed=s, directory={str(marks)!r}) for s in range(4)]
            with contextlib.closing(Process(2, NoConfig()).map(kit.run, tasks)) as outcomes:
                try:
                    list(outcomes)
                except KeyboardInterrupt:
                    sys.exit(130)
        """,
    )
    with started(command, stderr=subprocess.PIPE) as driver:
        kit.wait_for(lambda: len(list(marks.iterdir())) == 2)
        pids = [int(path.name) for path in marks.iterdir()]

        if number == signal.SIGINT:
            os.killpg(driver.pid, number)  # as a terminal does: to every process
        else:
            driver.send_signal(number)
        _, messages = driver.communicate(timeout=30)

    kit.wait_for(lambda: not any(kit.is_alive(pid) for pid in pids), seconds=10)
    assert driver.returncode == (130 if number == signal.SIGINT else -number)
    assert messages == b""


def test_interrupt_while_workers_start(kit: ModuleType, tmp_path: Path) -> None:
    """Ctrl-C does not reach workers even before they have begun to run our code."""
    (tmp_path / "sitecustomize.py").write_text(
        "import pathlib, sys, time\n"
        "if '--multiprocessing-fork' in sys.orig_argv:\n"
        "    pathlib.Path('starting').touch()\n"
        "    time.sleep(1.0)\n"
    )
    command = script(
        tmp_path,
        """
        signal.signal(signal.SIGINT, lambda *_: None)  # a driver that decides to go on
        tasks = [kit.make_task("work", seed=s) for s in range(2)]
        print([o.status for o in Process(2, NoConfig()).map(kit.run, tasks)])
        """,
    )
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    path = {**os.environ, "PYTHONPATH": str(tmp_path)}
    with started(command, cwd=tmp_path, env=path, **pipes) as driver:
        kit.wait_for((tmp_path / "starting").exists)
        os.killpg(driver.pid, signal.SIGINT)
        output, messages = driver.communicate(timeout=30)

    assert output == b"['done', 'done']\n"
    assert messages == b""


def test_worker_held_by_compiled_code_ends_with_the_driver(kit: ModuleType, tmp_path: Path) -> None:
    """A thread of the worker has no say while compiled code holds the interpreter."""
    command = script(
        tmp_path,
        f"""
        task = kit.make_task("hold", directory={str(tmp_path)!r})
        list(Process(1, NoConfig()).map(kit.run, [task]))
        """,
    )
    with started(command) as driver:
        kit.wait_for(lambda: any(path.name.isdecimal() for path in tmp_path.iterdir()))
        [pid] = [int(path.name) for path in tmp_path.iterdir() if path.name.isdecimal()]
        driver.kill()
        driver.wait()

    kit.wait_for(lambda: not kit.is_alive(pid), seconds=10)


TWO_TASKS = """
    tasks = [kit.make_task("work", seed=s) for s in range(5)]
    print([o.status for o in Process(2, NoConfig()).map(kit.run, tasks)])
    """


@pytest.mark.parametrize("how", ["file", "input", "argument"])
def test_driver_without_main_guard_or_file(how: str, kit: ModuleType, tmp_path: Path) -> None:
    """A script without ``if __name__``, ``python -`` and ``python -c`` all work."""
    command = script(tmp_path, TWO_TASKS)
    code = Path(command[1]).read_text(encoding="utf-8")
    given = {"file": command, "input": [command[0], "-"], "argument": [command[0], "-c", code]}
    done = subprocess.run(
        given[how], input=code, capture_output=True, text=True, timeout=60, check=False
    )

    assert done.stdout == f"{['done'] * 5}\n"
    assert done.stderr == ""


def test_function_of_an_unguarded_script(kit: ModuleType, tmp_path: Path) -> None:
    """A script that workers must import, and that starts workers when imported: one sentence."""
    command = script(
        tmp_path,
        """
        from mfbpi_core.errors import ExecutorError
        def run(text):
            return kit.run(text)
        try:
            list(Process(2, NoConfig()).map(run, [kit.make_task("work")]))
        except ExecutorError as error:
            print(error)
        """,
    )
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert len(done.stdout.splitlines()) == 1
    assert "put that part below `if __name__ == '__main__':`" in done.stdout
    assert done.stderr == ""


def test_function_of_a_session(kit: ModuleType, tmp_path: Path) -> None:
    """A function that only exists in ``python -`` is refused with what to do."""
    code = Path(script(tmp_path, "def run(text): pass\nProcess(1, NoConfig()).map(run, [])")[1])
    done = subprocess.run(
        [sys.executable, "-"], input=code.read_bytes(), capture_output=True, check=False
    )

    assert b"is defined in a session without a file" in done.stderr
