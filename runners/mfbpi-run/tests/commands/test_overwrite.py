"""``mfbpi run --if-exists overwrite``: a directory holds the results of one run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mfbpi.results.storage import reading
from mfbpi.results.storage.directory import Store

Command = Callable[..., Any]


def ran(directory: str) -> set[tuple[str, int]]:
    """Agent and seed of every result."""
    tasks = [reading.read(file).task for file in Store(Path(directory)).rows()]
    return {(task.agent.shown, task.seed) for task in tasks}


def test_overwrite_leaves_the_results_of_one_run(toy_run: Command) -> None:
    """A mean over fewer seeds counts no others, and another agent stands alone."""
    toy_run("--out", "x", "--seeds", "0:3")
    fewer = toy_run("--out", "x", "--seeds", "1:2", "--if-exists", "overwrite")
    assert fewer.code == 0
    assert "2 results in x are of other tasks and go to _set_aside" in " ".join(fewer.err.split())
    assert ran("x") == {("biased", 1)}
    assert len(list(Path("x/_set_aside").glob("*.parquet"))) == 2
    assert list(json.loads(Path("x/_run.json").read_text())["seeds"].values()) == ["1"]

    other = toy_run("-A", "bias=0.25", "--out", "x", "--if-exists", "overwrite")
    assert other.code == 0
    assert {agent for agent, _ in ran("x")} == {"biased(bias=0.25)"}
    assert len(json.loads(Path("x/_run.json").read_text())["agents"]) == 1


def test_overwrite_asks_for_no_equal_settings(toy_run: Command) -> None:
    """What was edited is run again under its label, and what was there is set aside."""
    toy_run("--out", "x", "--seeds", "0:3", "--steps", "40")
    longer = toy_run("--out", "x", "--seeds", "0:2", "--steps", "50", "--if-exists", "overwrite")

    assert longer.code == 0
    assert "3 results in x are of other tasks and go to _set_aside" in " ".join(longer.err.split())
    assert ran("x") == {("biased", 0), ("biased", 1)}
    assert len(list(Path("x/_set_aside").glob("*.parquet"))) == 3
    refused = toy_run("--out", "x", "--steps", "40", "--if-exists", "resume")
    assert "is 50 there and 40 here" in " ".join(refused.err.split())


def test_overwrite_that_is_only_tried_touches_nothing(toy_run: Command) -> None:
    """``--dry-run``."""
    toy_run("--out", "x", "--seeds", "0:3")
    before = sorted(Path("x").rglob("*"))

    assert toy_run("--out", "x", "--if-exists", "overwrite", "--dry-run").code == 0
    assert sorted(Path("x").rglob("*")) == before
