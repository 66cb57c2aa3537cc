from __future__ import annotations

import io
from types import ModuleType

import pytest

from mfbpi_core import NoConfig, Outcome
from mfbpi_executor_process.executor import Process


def run_one(kit: ModuleType, action: str, **config: object) -> Outcome:
    """The outcome of one task."""
    (outcome,) = Process(1, NoConfig()).map(kit.run, [kit.make_task(action, **config)])
    return outcome


def test_what_tasks_print_goes_to_standard_error(
    kit: ModuleType, capfd: pytest.CaptureFixture[str]
) -> None:
    """From Python, C and subprocesses, each line after its task, and nothing acts there."""
    outcome = run_one(kit, "print", text="one\rtwo\u202e\n\nthree")
    printed = capfd.readouterr()

    assert outcome.status == "done"
    assert printed.out == ""
    lines = printed.err.splitlines()
    assert all(line.startswith("[print on none, seed 0] ") for line in lines)
    texts = {line.partition("] ")[2] for line in lines}
    assert texts >= {"one", "two\\u202e", "three", "from C", "from a subprocess"}
    assert "raw \\x1b[31m and unfinished" in printed.err
    assert "\x1b" not in printed.err


def test_much_is_printed(kit: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than a pipe holds."""
    screen = io.StringIO()
    monkeypatch.setattr("sys.stderr", screen)
    outcome = run_one(kit, "print", text="%" * 300_000)

    assert outcome.status == "done"
    assert screen.getvalue().count("%") == 300_000


def test_standard_error_that_is_closed(kit: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is printed is lost, and nothing else."""
    monkeypatch.setattr("sys.stderr", None)
    assert run_one(kit, "print", text="x").status == "done"

    full = open("/dev/full", "w")  # noqa: PTH123, SIM115 - closed below, as far as it can be
    monkeypatch.setattr("sys.stderr", full)
    assert run_one(kit, "print", text="x").status == "done"
    with pytest.raises(OSError, match="No space left"):
        full.close()


def test_last_words_of_a_task_that_dies(kit: ModuleType, capfd: pytest.CaptureFixture[str]) -> None:
    """What it printed before is shown, attributed to it."""
    outcome = run_one(kit, "print_and_die")

    assert outcome.status == "failed"
    assert capfd.readouterr().err == "[print_and_die on none, seed 0] last words\n"


def test_task_that_forks(kit: ModuleType) -> None:
    """Only the worker itself reports."""
    tasks = [kit.make_task("fork", seed=s) for s in range(3)]
    outcomes = list(Process(1, NoConfig()).map(kit.run, tasks))

    assert [o.tables[".txt"] for o in outcomes] == [b"parent"] * 3
