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
    command = script(
        tmp_path,
        """
        import pathlib, signal, time
        if __name__ == "__main__":
            signal.signal(signal.SIGINT, lambda *_: None)  # a driver that decides to go on
            tasks = [kit.make_task("work", seed=s) for s in range(2)]
            print([o.status for o in Process(2, NoConfig()).map(kit.run, tasks)])
        else:
            pathlib.Path("starting").touch()
            time.sleep(1.0)
        """,
    )
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with started(command, cwd=tmp_path, **pipes) as driver:
        kit.wait_for((tmp_path / "starting").exists)
        os.killpg(driver.pid, signal.SIGINT)
        output, messages = driver.communicate(timeout=30)

    assert output == b"['done', 'done']\n"
    assert messages == b""


def test_script_without_main_guard(kit: ModuleType, tmp_path: Path) -> None:
    """Workers that cannot start fail the tasks with advice; nothing is started for ever."""
    command = script(
        tmp_path,
        """
        tasks = [kit.make_task("work", seed=s) for s in range(5)]
        for outcome in Process(2, NoConfig()).map(kit.run, tasks):
            print(outcome.status, outcome.error)
        """,
    )
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert done.returncode == 0
    assert done.stdout.count("failed no worker process could start") == 5
    assert "if __name__ == '__main__':" in done.stdout
