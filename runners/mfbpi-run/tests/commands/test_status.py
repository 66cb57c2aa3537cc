"""How far runs have come, seen from another process."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

import mfbpi as library
from mfbpi.execute.batches import TaskBatch
from mfbpi.execute.events import Observer
from mfbpi.execute.reports import progress, running
from mfbpi.execute.reports.progress import Reporting
from mfbpi.results.state import duration
from mfbpi.results.storage.directory import Store
from mfbpi_core.data.task import PluginRef, Task

Command = Callable[..., Any]

TASK = Task(
    agent=PluginRef(name="biased"),
    environment=PluginRef(name="ring"),
    metrics=(),
    seed=0,
    horizon=100,
    eval_every=10,
    discount=0.9,
)


def test_ended_run(toy_run: Command, mfbpi: Command) -> None:
    """Done and failed, with the cause; nothing is left of what was told while it ran."""
    toy_run("--out", "x", "--seeds", "0:3", "-A", "fail_at_seed=1")
    told = mfbpi("status", "x")

    assert told.code == 0
    assert "x: 2 of 3 tasks done, 1 failed\n" in told.out
    assert "failed: biased" in told.out
    assert "seed 1: " in told.out
    assert not Path("x/_running").exists()


def test_a_label_cannot_forge_a_line(toy_run: Command, mfbpi: Command) -> None:
    """Whatever the files of others call a task, and whatever they say of it, is on one line."""
    toy_run("--out", "x", "--seeds", "0")
    agent = PluginRef(name="biased", label="a\nx: 9 of 9 tasks done\x1b[2J")
    failed = attrs.evolve(TASK, agent=agent, seed=7)
    Path("x/_errors").mkdir()
    told = {"task": failed.as_dict(), "error": "one\ntwo\x1b[2J", "type": "ValueError"}
    Path(f"x/_errors/{failed.task_id}.json").write_text(json.dumps(told))
    ended = mfbpi("status", "x")

    assert ended.code == 0, ended.err
    assert len(ended.out.splitlines()) == 2
    assert r"failed: a\nx: 9 of 9 tasks done\x1b[2J" in ended.out


def test_log_beside_the_results(toy_run: Command) -> None:
    """What was begun, what failed, and how it ended, with the time; further runs go on in it."""
    toy_run("--out", "x", "--seeds", "0:3", "-A", "fail_at_seed=1")
    toy_run("--out", "x", "--seeds", "0:3", "-A", "fail_at_seed=1", "--if-exists", "resume")
    lines = Path("x/_log.txt").read_text().splitlines()

    assert [line[20:].partition(":")[0] for line in lines] == 2 * ["begun", "failed", "ended"]
    assert lines[2].endswith("2 of 3 tasks done, 1 failed")


def test_log_that_is_a_link_is_not_written_to(toy_run: Command) -> None:
    """Who can write into the directory cannot have us write elsewhere; the run goes on."""
    toy_run("--out", "x", "--seeds", "0")
    Path("precious").write_text("mine")
    Path("x/_log.txt").unlink()
    Path("x/_log.txt").symlink_to(Path("precious").absolute())

    assert toy_run("--out", "x", "--seeds", "0:2", "--if-exists", "resume").code == 0
    assert Path("precious").read_text() == "mine"


def test_running_tasks_are_told_of(toy_run: Command, mfbpi: Command) -> None:
    """Step, rate and time left of a long one; how many run, and how fast tasks end."""
    toy_run("--out", "x", "--seeds", "0:9")
    for path in list(Path("x").glob("*.parquet"))[3:]:
        path.unlink()
    store = Store(Path("x"))
    state = {"total": 9, "kept": 1, "done": 3, "failed": 0, "at_once": 2}
    times = {"began": time.time() - 60.0, "written": time.time(), "every_s": 15.0}
    store.write(store.driver, json.dumps({**state, **times}).encode())
    report = running.Reports(directory=Path("x"), every_s=0.0).of(TaskBatch((TASK,)), horizon=100)
    report._began -= 10.0
    report.reached(0)
    report.reached(50)

    told = mfbpi("status", "x")
    found = library.status("x")

    assert "2 running; 2 tasks a minute" in told.out
    assert "biased on ring, seed 0" in told.out
    (each,) = found.running
    assert (each.step, each.horizon) == (50, 100)
    assert each.steps_per_s == pytest.approx(5.0, rel=0.1)
    assert each.left_s == pytest.approx(10.0, rel=0.2)
    assert json.loads(mfbpi("status", "x", "--json").out)["running"][0]["step"] == 50
    report.ended()
    assert library.status("x").running == ()


def test_killed_driver_is_named(toy_run: Command, mfbpi: Command) -> None:
    """It has told nothing for a minute."""
    toy_run("--out", "x", "--seeds", "0:3")
    next(Path("x").glob("*.parquet")).unlink()
    store = Store(Path("x"))
    state = {"total": 3, "kept": 0, "done": 2, "failed": 0, "at_once": 2, "every_s": 15.0}
    store.write(store.driver, json.dumps({**state, "began": 0.0, "written": 1.0}).encode())

    told = mfbpi("status", "x", "--watch").out

    assert "1 missing; nothing is running" in told
    assert "1 process has ended without a word" in told


@pytest.mark.parametrize("content", ["", "[]", '{"label": 3}', "{" * 10_000, '{"total": NaN}'])
def test_other_files_are_passed_over(content: str, toy_run: Command, mfbpi: Command) -> None:
    """Whatever somebody has put there."""
    toy_run("--out", "x", "--seeds", "0:3")
    Path("x/_running").mkdir()
    for name in ("driver.json", "all-0123456789abcdef.json"):
        Path("x/_running", name).write_text(content)

    assert mfbpi("status", "x").code == 0


def test_directory_without_runs(mfbpi: Command) -> None:
    """It may be misspelt."""
    ended = mfbpi("status", "nowhere")

    assert ended.code == 2
    assert "nowhere holds no runs" in ended.err


def test_missing_shard_is_shown(toy_run: Command, mfbpi: Command) -> None:
    """One that has not begun."""
    toy_run("--out", "x", "--seeds", "0:4", "--shard", "0/2")

    assert "shard 1/2 has not begun" in mfbpi("status", "x").out


def test_line_a_minute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the log, and to whoever observes; and the file for status is renewed."""
    monkeypatch.setattr(progress, "UPDATE_S", 0.01)
    told: list[str] = []

    class Listening(Observer):
        def told(self, line: str) -> None:
            told.append(line)

    reporting = Reporting(Listening(), Store(tmp_path), line_s=0.02)
    reporting.begun(4, 1, 2)
    reporting.finished()
    before = time.monotonic()
    while not told and time.monotonic() - before < 10.0:
        time.sleep(0.01)
    reporting.ended()

    assert told[0].startswith("2 of 4 tasks done, 0 failed, 2 running; ")
    assert told[0] in (tmp_path / "_log.txt").read_text()


def test_durations_in_words() -> None:
    """As short as they may be."""
    assert [duration(s) for s in (0.4, 119, 600, 8000)] == ["0 s", "119 s", "10 min", "2.2 h"]
