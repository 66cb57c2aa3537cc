"""Parts of a grid that processes run without knowing of each other."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import mfbpi as library
from mfbpi.results.storage.directory import Store

Command = Callable[..., Any]

SIX = ("--out", "x", "--seeds", "0:6")


def rows_of(directory: str) -> dict[str, Any]:
    """The rows of each task, but for the time that they took."""
    return {
        path.name: pq.read_table(path).drop_columns(["elapsed_s"]).to_pylist()
        for path in Store(Path(directory)).rows()
    }


def test_shards_together_are_the_whole(toy_run: Command) -> None:
    """In any order, each once: the rows are those of one run, and each has its manifest."""
    for index in (2, 0, 1):
        assert toy_run(*SIX, "--shard", f"{index}/3").code == 0
    toy_run("--out", "whole", "--seeds", "0:6")

    assert rows_of("x") == rows_of("whole")
    assert {p.name for p in Path("x").glob("_run*")} == {f"_run-{i}-of-3.json" for i in range(3)}
    manifest = json.loads(Path("x/_run-1-of-3.json").read_text())
    assert manifest["tasks"] == 6
    assert manifest["shard"] == {"index": 1, "count": 3, "tasks": 2, "finished": True}


def test_missing_shard_is_named(toy_run: Command, mfbpi: Command) -> None:
    """Those that have not begun, and those that have not ended."""
    toy_run(*SIX, "--shard", "0/4")
    toy_run(*SIX, "--shard", "3/4")
    manifest = json.loads(Path("x/_run-3-of-4.json").read_text())
    manifest["shard"]["finished"] = False
    Path("x/_run-3-of-4.json").write_text(json.dumps(manifest))

    ended = mfbpi("collect", "x")

    assert "x has 3 of 6 tasks; the others are not done" in ended.err
    assert "shards 1/4, 2/4 have not begun; shard 3/4 has not ended" in ended.err


def test_rest_can_be_run_otherwise(toy_run: Command, mfbpi: Command) -> None:
    """What a lost shard has left is completed without shards, or with another number of them."""
    toy_run(*SIX, "--shard", "0/3")
    assert toy_run(*SIX, "--shard", "1/2", "--if-exists", "resume").code == 0
    assert "2 done, 4 kept" in toy_run(*SIX, "--if-exists", "resume").out.replace(
        "4 kept, 2 done", "2 done, 4 kept"
    )

    ended = mfbpi("collect", "x")
    assert ended.err == ""
    assert "of 6 of 6 tasks" in ended.out


def test_shard_is_run_again_when_asked(toy_run: Command) -> None:
    """Not by itself; the others' results are never in the way."""
    toy_run(*SIX, "--shard", "0/2")
    refused = toy_run(*SIX, "--shard", "0/2")
    again = toy_run(*SIX, "--shard", "0/2", "--if-exists", "overwrite")

    assert refused.code == 2
    assert "x already holds results of shard 0/2; add --if-exists resume" in refused.err
    assert "3 tasks: 3 done" in again.out
    assert "3 tasks: 3 done" in toy_run(*SIX, "--shard", "1/2").out


def test_shards_of_other_settings_are_refused(toy_run: Command) -> None:
    """One directory holds one configuration, whichever shard was first; nothing of it stays."""
    toy_run(*SIX, "--shard", "0/2")
    ended = toy_run(*SIX, "--shard", "1/2", "--steps", "80")

    assert ended.code == 2
    assert "environments.ring.horizon is 60 there and 80 here" in ended.err
    assert not Path("x/_run-1-of-2.json").exists()


@pytest.mark.parametrize("given", ["3/3", "-1/3", "0/0", "1", "/16", "a/b", "0/3/1", "0/1000000"])
def test_bad_shards_are_refused(given: str, toy_run: Command) -> None:
    """Such as that of a variable that is not set."""
    ended = toy_run(*SIX, "--shard", given)

    assert ended.code == 2
    assert f"--shard is {given!r}; expected I/N with I from 0 to N-1" in ended.err
    assert not Path("x").exists()


def test_shard_needs_a_directory(toy_run: Command) -> None:
    """A new one for each would be of no use."""
    assert "--shard needs --out" in toy_run("--shard", "0/2").err


def test_more_shards_than_tasks(toy_run: Command) -> None:
    """The last have nothing to do, and have done it."""
    ended = toy_run("--out", "x", "--seeds", "0:2", "--shard", "3/4")

    assert ended.code == 0
    assert "0 tasks" in ended.out


def test_plan_of_a_shard(toy_run: Command) -> None:
    """Only its tasks are counted."""
    assert "2 tasks; results would go to x" in toy_run(*SIX, "--shard", "0/3", "--dry-run").out


def test_shards_from_python() -> None:
    """The tasks of the shard are what is returned."""
    parts = [
        library.run("plain", "ring", range(5), out="x", executor="inline", shard=f"{index}/2")
        for index in range(2)
    ]

    assert [len(part.tasks) for part in parts] == [3, 2]
    assert len(library.load("x").tasks) == 5


def test_study_has_no_shards(mfbpi: Command) -> None:
    """It is one table."""
    ended = mfbpi("sweep", "paper/instances", "--quick", "--out", "x", "--shard", "0/2")

    assert ended.code == 2
    assert "leave out --shard" in ended.err
