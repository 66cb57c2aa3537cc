"""``mfbpi collect`` as a stream: tables of runs, data sets by key, damaged files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.dataset as ds
import pytest

import mfbpi as library
from mfbpi.results.collecting import collect as collecting
from mfbpi.results.storage import table
from mfbpi.results.storage.directory import Store

Command = Callable[..., Any]


def three_agents() -> None:
    """A grid whose labels have parentheses and equal signs."""
    biased = library.agent("biased", bias=(0.1, 0.9))
    library.run(["plain", biased], "ring", range(3), out="x", executor="inline")


@pytest.mark.parametrize("batch", [1, 4, 10**6])
def test_table_does_not_depend_on_batches(
    batch: int, mfbpi: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However few rows are held at a time, it is that of the library, which holds them all."""
    monkeypatch.setattr(collecting, "_BATCH", batch)
    three_agents()
    mfbpi("collect", "x")
    found = table.read(Path("x/_collected/all.parquet"))

    expected = library.load("x").table.select(found.column_names)
    assert found.to_pylist() == expected.to_pylist()


def test_table_of_runs(toy_run: Command, mfbpi: Command) -> None:
    """One row for each task: configuration, durations, and why it failed."""
    toy_run("--out", "x", "--seeds", "0:3", "-A", "fail_at_seed=1", "-E", "n_states=4")
    mfbpi("collect", "x")
    runs = pd.read_parquet("x/_collected/_runs.parquet")

    assert list(runs.seed) == [0, 2, 1]
    assert list(runs.status) == ["done", "done", "failed"]
    assert "seed 1" in runs.cause[2] or "Error" in runs.cause[2]
    assert list(runs["env.n_states"]) == [4, 4, 4]
    assert list(runs["agent.fail_at_seed"]) == [1, 1, 1]
    assert (runs.total_s[:2] > 0.0).all()
    assert list(runs.n_rows[:2]) == [len(pd.read_parquet("x").query("seed == 0"))] * 2


@pytest.mark.parametrize("keys", ["agent,env", "metric", "env,metric,agent"])
def test_data_set_by_key(keys: str, mfbpi: Command) -> None:
    """Readers that know such folders find the rows by a predicate; labels may be anything."""
    three_agents()
    ended = mfbpi("collect", "x", "--partition", keys)
    mfbpi("collect", "x")
    whole = pd.read_parquet("x/_collected/all.parquet")
    dataset = ds.dataset("x/_collected/parted", partitioning="hive")

    assert ended.code == 0
    assert dataset.count_rows() == len(whole)
    for key in keys.split(","):
        value = whole[key].iloc[0]
        part = dataset.to_table(filter=ds.field(key) == value).to_pandas()
        expected = whole[whole[key] == value]
        assert sorted(part.value) == sorted(expected.value)
    assert len(pd.read_parquet("x/_collected/parted")) == len(whole)


def test_data_set_is_replaced_whole(toy_run: Command, mfbpi: Command) -> None:
    """Nothing of an earlier one stays; a link in its place is refused."""
    toy_run("--out", "x", "--seeds", "0:3")
    mfbpi("collect", "x", "--partition", "agent,env")
    mfbpi("collect", "x", "--partition", "metric")

    assert {p.name.partition("=")[0] for p in Path("x/_collected/parted").iterdir()} == {"metric"}
    assert not list(Path("x/_collected").glob(".mfbpi*"))
    Path("elsewhere").mkdir()
    Path("link").symlink_to("elsewhere")
    assert mfbpi("collect", "x", "--partition", "metric", "--out", "link").code == 2
    assert not list(Path("elsewhere").iterdir())


@pytest.mark.parametrize("keys", ["", "seed", "agent,agent", "value"])
def test_other_keys_are_refused(keys: str, toy_run: Command, mfbpi: Command) -> None:
    """What would make a file for each row, or is no column."""
    toy_run("--out", "x")
    ended = mfbpi("collect", "x", "--partition", keys)

    assert ended.code == 2
    assert "expected some of agent,env,metric, each once" in ended.err


def test_damaged_pages_are_left_out(toy_run: Command, mfbpi: Command) -> None:
    """A file whose end is right and whose rows are not: named, and missing from the count."""
    toy_run("--out", "x", "--seeds", "0:3")
    path = Store(Path("x")).rows()[0]
    content = bytearray(path.read_bytes())
    content[60] ^= 255
    path.write_bytes(content)
    ended = mfbpi("collect", "x")

    assert f"{path} is not a result of mfbpi" in ended.err
    assert "x has 2 of 3 tasks" in ended.err
    assert "of 2 of 3 tasks" in ended.out
    assert len(pd.read_parquet("x/_collected/all.parquet").seed.unique()) == 2
