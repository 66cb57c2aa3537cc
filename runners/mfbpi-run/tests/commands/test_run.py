"""``mfbpi run`` in this process: results, summary, directories, resuming, failures."""

from __future__ import annotations

import errno
import json
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mfbpi.results.collected import collected
from mfbpi.results.storage import reading as results
from mfbpi.results.storage import table
from mfbpi.results.storage.directory import Store
from mfbpi_run import cli

Command = Callable[..., Any]


def rows_in(directory: Path | str) -> list[dict[str, Any]]:
    """Every row in a directory, but for the time that it took."""
    found = [results.read(file) for file in Store(Path(directory)).rows()]
    return collected(found).drop_columns(["elapsed_s"]).to_pylist()


def names_in(directory: Path | str) -> set[str]:
    """Every file in a directory, except the lock."""
    return {path.name for path in Path(directory).iterdir() if path.is_file()} - {
        ".lock",
        "_log.txt",
    }


def test_run_writes_a_file_for_each_task(toy_run: Command) -> None:
    """Into a new directory below results, which is printed."""
    ended = toy_run("--json")

    assert ended.code == 0
    directory = Path(ended.json["out"])
    assert directory.parent == Path("results")
    assert not directory.is_absolute()
    expected = {f"{task['task_id']}.parquet" for task in ended.json["tasks"]}
    assert names_in(directory) == expected | {"_run.json"}
    assert len(rows_in(directory)) == 2 * 3


def test_json_is_the_only_thing_on_standard_output(toy_run: Command) -> None:
    """Tasks with their files, and the summary with numbers."""
    ended = toy_run("--json", "--metric", "rate", "--out", "x")

    assert set(ended.json) == {"out", "tasks", "summary"}
    assert [task["status"] for task in ended.json["tasks"]] == ["done", "done"]
    assert all(Path(task["file"]).is_file() for task in ended.json["tasks"])
    [line] = ended.json["summary"]
    assert (line["agent"], line["env"], line["metric"]) == ("biased", "ring", "rate")
    assert (line["step"], line["n"]) == (60, 2)
    last = [row["value"] for row in rows_in("x") if row["step"] == 60]
    assert line["mean"] == pytest.approx(sum(last) / 2)
    assert 0.0 <= line["low"] <= line["mean"] <= line["high"] <= 1.0


def test_summary_names_statistic_level_and_n(toy_run: Command) -> None:
    """For people: a table, its caption, and where the results are."""
    ended = toy_run("--out", "x")

    assert "rate" in ended.out
    assert "95 % t-interval (n - 1 degrees of freedom)" in ended.out
    assert "results: x" in ended.out
    assert "n = 1" not in ended.out


def test_single_seed_has_no_interval(toy_run: Command) -> None:
    """And the summary says so."""
    assert "n = 1: no interval" in toy_run("--seeds", "0").out
    [line] = toy_run("--seeds", "0", "--json").json["summary"]
    assert (line["low"], line["high"], line["n"]) == (None, None, 1)


def test_nothing_but_results_is_printed_when_not_a_terminal(toy_run: Command) -> None:
    """No progress bar where nobody can see it."""
    assert toy_run().err == ""


def test_episodes_end_the_run(mfbpi: Command) -> None:
    """Four laps of five steps, by the environment's protocol."""
    ended = mfbpi("run", "--agent", "plain", "--env", "lap", "--executor", "inline", "--out", "x")
    last = rows_in("x")[-1]

    assert ended.code == 0
    assert (last["step"], last["episode"]) == (20, 4)


def test_arrays_are_written_on_request(toy_run: Command) -> None:
    """In a folder beside the rows."""
    ended = toy_run("--arrays", "--seeds", "0", "--json")
    file = Path(ended.json["tasks"][0]["file"])
    arrays = table.read(file.parent / "_arrays" / file.name)

    assert arrays.column("metric").to_pylist() == ["rate"]


def test_dry_run_writes_and_runs_nothing(toy_run: Command) -> None:
    """It shows the plan, or gives it as JSON."""
    ended = toy_run("--dry-run", "--json", "--seeds", "0:3")

    assert ended.code == 0
    assert [task["status"] for task in ended.json["tasks"]] == ["pending"] * 3
    assert ended.json["tasks"][0]["task"]["horizon"] == 60
    assert "3 tasks" in toy_run("--dry-run", "--seeds", "0:3").out
    assert not list(Path().iterdir())


def test_existing_results_are_not_touched_by_default(toy_run: Command) -> None:
    """The message names the ways out."""
    toy_run("--out", "x")
    ended = toy_run("--out", "x")

    assert ended.code == 2
    assert "already holds results" in ended.err
    assert "--if-exists resume" in ended.err
    assert "--if-exists overwrite" in ended.err
    assert toy_run("--out", "x", "--dry-run").code == 2


def test_resume_runs_what_is_missing_only(toy_run: Command) -> None:
    """Files that are there are kept as they are; the table is the same in the end."""
    whole = toy_run("--out", "whole", "--seeds", "0:4", "--json").json
    first = toy_run("--out", "x", "--seeds", "0:2", "--json").json
    before = {task["file"]: Path(task["file"]).stat().st_mtime_ns for task in first["tasks"]}
    ended = toy_run("--out", "x", "--seeds", "0:4", "--if-exists", "resume", "--json")

    statuses = [task["status"] for task in ended.json["tasks"]]
    assert statuses == ["kept", "kept", "done", "done"]
    assert {file: Path(file).stat().st_mtime_ns for file in before} == before
    assert rows_in("x") == rows_in("whole")
    assert ended.json["summary"] == whole["summary"]


def test_resume_may_add_agents(mfbpi: Command, toy_run: Command) -> None:
    """The manifest grows, and both agents are in the table."""
    toy_run("--out", "x")
    more = ("--agent", "plain", "--out", "x", "--if-exists", "resume")

    assert toy_run(*more).code == 0
    assert {row["agent"] for row in rows_in("x")} == {"biased", "plain"}
    agents = json.loads(Path("x/_run.json").read_text())["agents"]
    assert set(agents) == {"biased on ring", "plain on ring"}


def test_overwrite_runs_all_again(toy_run: Command) -> None:
    """The rows are the same, the files new."""
    first = toy_run("--out", "x", "--json").json
    before = {task["file"]: Path(task["file"]).stat().st_ino for task in first["tasks"]}
    rows = rows_in("x")
    ended = toy_run("--out", "x", "--if-exists", "overwrite", "--json")

    assert [task["status"] for task in ended.json["tasks"]] == ["done", "done"]
    assert all(Path(file).stat().st_ino != inode for file, inode in before.items())
    assert rows_in("x") == rows


@pytest.mark.parametrize("mode", ["fail", "resume"])
def test_changed_configuration_is_refused(mode: str, toy_run: Command) -> None:
    """The message names the keys with both values."""
    toy_run("--out", "x")
    ended = toy_run("--steps", "40", "--eval-every", "10", "--out", "x", "--if-exists", mode)

    assert ended.code == 2
    assert "environments.ring.horizon is 60 there and 40 here" in ended.err
    assert "environments.ring.eval_every is 20 there and 10 here" in ended.err
    assert len(ended.err.splitlines()) == 1


def test_other_parameters_are_another_agent(toy_run: Command) -> None:
    """They are in the label, so that both can be in one directory and be told apart."""
    toy_run("--out", "x")

    assert toy_run("-A", "bias=0.25", "--out", "x", "--if-exists", "resume").code == 0
    assert {row["agent"] for row in rows_in("x")} == {"biased", "biased(bias=0.25)"}


@pytest.mark.parametrize(
    ("setting", "old", "new"),
    [
        (("-A", "bias=0.25"), "biased on ring", "biased(bias=0.25) on ring"),
        (("-E", "n_states=4"), "ring", "ring(n_states=4)"),
    ],
)
def test_one_configuration_has_one_label(
    toy_run: Command, setting: tuple[str, str], old: str, new: str
) -> None:
    """Resuming what an earlier version, or a grid, called otherwise would count it twice."""
    toy_run(*setting, "--out", "x")
    file = Path("x/_run.json")
    before = file.read_text()
    file.write_text(before.replace(new.removesuffix(" on ring"), old.removesuffix(" on ring")))

    ended = toy_run(*setting, "--out", "x", "--if-exists", "resume")

    assert ended.code == 2
    assert f"{old!r} there and {new!r} here" in ended.err
    assert len(ended.err.splitlines()) == 1


def test_failed_task_does_not_stop_the_others(toy_run: Command) -> None:
    """Its cause is on standard error and in a file; the exit code is 1."""
    ended = toy_run("-A", "fail_at_seed=1", "--seeds", "0:3", "--out", "x", "--json")
    by_seed = {task["seed"]: task for task in ended.json["tasks"]}

    assert ended.code == 1
    assert [by_seed[seed]["status"] for seed in range(3)] == ["done", "failed", "done"]
    [line] = ended.err.splitlines()
    assert line.startswith("failed: biased(fail_at_seed=1) on ring, seed 1")
    assert "seed 1 fails" in line
    report = json.loads(Path(by_seed[1]["file"]).read_text())
    assert report["task_id"] == by_seed[1]["task_id"]
    assert "Traceback" in report["error"]
    assert ended.json["summary"][0]["n"] == 2


def test_failed_task_is_tried_again_on_resume(toy_run: Command) -> None:
    """A failure is no result."""
    arguments = ("-A", "fail_at_seed=1", "--out", "x")
    toy_run(*arguments)
    ended = toy_run(*arguments, "--if-exists", "resume", "--json")

    assert [task["status"] for task in ended.json["tasks"]] == ["kept", "failed"]
    assert ended.code == 1


def test_task_that_the_executor_forgets_has_failed(mfbpi: Command) -> None:
    """Every task is accounted for."""
    ended = mfbpi("run", "--agent", "plain", "--env", "ring", "--executor", "forgetful", "--json")

    assert ended.code == 1
    assert [task["status"] for task in ended.json["tasks"]] == ["done", "failed"]
    assert "the executor lost this task" in ended.err


def test_interrupted_run_says_how_to_continue(mfbpi: Command) -> None:
    """Exit code 130, whole files only, and a command that completes to the same table."""
    arguments = ("--agent", "plain", "--env", "ring", "--executor")
    mfbpi("run", *arguments, "inline", "--out", "whole")
    ended = mfbpi("run", *arguments, "interrupted", "--out=x", "--if-exists=fail")

    assert ended.code == 130
    assert ended.out == ""
    assert "interrupted: 1 of 2 tasks done; continue with: mfbpi run --agent plain" in ended.err
    continued = shlex.split(ended.err.partition("continue with: ")[2])
    assert continued[-4:] == ["--out", "x", "--if-exists", "resume"]
    assert "--out=x" not in continued
    assert len(names_in("x")) == 2

    continued[continued.index("interrupted")] = "inline"
    assert mfbpi(*continued[1:]).code == 0
    assert rows_in("x") == rows_in("whole")


def test_full_disk_stops_the_run(toy_run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was written stays readable, no temporary file is left, and the message says why."""
    arguments = ("--out", "x", "--seeds", "0:3")
    toy_run("--out", "x", "--seeds", "0:1")
    rows = rows_in("x")
    room = iter([True])  # for the manifest

    def full_disk(_: int) -> None:
        if not next(room, False):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full_disk)
    ended = toy_run(*arguments, "--if-exists", "resume")

    assert ended.code == 1
    assert "No space left on device: 1 of 3 tasks done; continue with" in ended.err
    assert rows_in("x") == rows
    assert not [name for name in names_in("x") if name.endswith(".tmp")]


def test_metric_that_no_agent_can_give_is_noted(toy_run: Command) -> None:
    """Asked for and not measured: said once, not failed."""
    ended = toy_run("--metric", "aim", "--metric", "rate")

    assert ended.code == 0
    reason = "neither the environment nor the agent has allocation"
    assert ended.err == f"note: aim was not measured for biased on ring: {reason}\n"


def test_mfbpi_run_is_mfbpi_run(capsys: pytest.CaptureFixture[str]) -> None:
    """Both names are one command."""
    code = cli.run_main(
        ["--agent", "plain", "--env", "ring", "--executor", "inline", "--out", "x", "--seeds", "0"]
    )

    assert code == 0
    assert "results: x" in capsys.readouterr().out
