"""Counting tasks, and the bar."""

from __future__ import annotations

import io

import pytest
from rich import progress as rich_progress
from rich.console import Console

from mfbpi.execute.events import Failure
from mfbpi_run.screen import progress
from mfbpi_run.screen.progress import Progress


def test_tasks_are_counted() -> None:
    """Those kept from before are done; as many run as may and are left."""
    counted = Progress(visible=False)

    counted.begun(total=5, kept=1, at_once=3)
    assert (counted.done, counted.failed, counted.running) == (1, 0, 3)
    counted.finished()
    counted.finished("failed: x")
    counted.ended()
    assert (counted.done, counted.failed, counted.running) == (2, 1, 2)


def test_failure_is_said_without_a_bar_too(capsys: pytest.CaptureFixture[str]) -> None:
    """On a line of standard error."""
    counted = Progress(visible=False)
    counted.begun(total=2, kept=0, at_once=1)
    counted.finished()
    counted.finished("failed: x")
    counted.ended()
    printed = capsys.readouterr()

    assert (printed.out, printed.err) == ("", "failed: x\n")


def test_tasks_that_fail_alike_are_told_together(capsys: pytest.CaptureFixture[str]) -> None:
    """The first at once, the others in the end, each named with its file up to a number."""
    counted = Progress(visible=False)
    counted.begun(total=14, kept=0, at_once=1)
    for seed in range(13):
        counted.finished(Failure(f"odd, seed {seed}", "ValueError: no", f"_errors/{seed}.json"))
    counted.finished(Failure("odd, seed 13", "ValueError: other", "_errors/13.json"))
    at_once = capsys.readouterr().err.splitlines()
    counted.ended()
    (line,) = capsys.readouterr().err.splitlines()

    assert at_once == [
        "failed: odd, seed 0: ValueError: no; see _errors/0.json",
        "failed: odd, seed 13: ValueError: other; see _errors/13.json",
    ]
    assert line.startswith("12 more tasks failed alike: ValueError: no: odd, seed 1 (_errors/1.js")
    assert line.endswith("odd, seed 10 (_errors/10.json), ... (12 in all)")
    assert counted.failed == 14


def test_bar_shows_done_running_and_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal, with the failure above it."""
    screen = io.StringIO()
    bar = rich_progress.Progress(
        rich_progress.TextColumn("{task.description}"),
        rich_progress.MofNCompleteColumn(),
        console=Console(file=screen, force_terminal=True, width=100),
    )
    monkeypatch.setattr(progress, "_bar", lambda: bar)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    counted = Progress(visible=True)
    counted.begun(total=4, kept=1, at_once=2)
    counted.finished("failed: [x]")
    counted.ended()
    shown = screen.getvalue()

    assert "failed: [x]" in shown
    assert "1 done, 2 running, 1 failed" in shown
    assert "2/4" in shown
