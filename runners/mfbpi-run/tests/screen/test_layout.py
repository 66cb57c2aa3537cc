"""A directory read as a whole is exactly its rows; directories of the earlier layout."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mfbpi.results.storage.directory import Store

Command = Callable[..., Any]


@pytest.fixture
def full(toy_run: Command, mfbpi: Command) -> Path:
    """A directory with rows, arrays, an error, a collected table and what was set aside."""
    arguments = ("--out", "x", "--seeds", "0:4", "--arrays", "-A", "fail_at_seed=3")
    toy_run(*arguments)
    Store(Path("x")).rows()[0].write_bytes(b"")
    toy_run(*arguments, "--if-exists", "resume")
    mfbpi("collect", "x")
    (Path("x") / "_checkpoints").mkdir(exist_ok=True)
    (Path("x") / "_checkpoints/0123456789abcdef.npz").write_bytes(b"")
    return Path("x")


def test_readers_of_directories_find_the_rows(full: Path) -> None:
    """With pandas, with pyarrow's datasets, and with a glob, which is what DuckDB has."""
    pandas = pytest.importorskip("pandas")
    dataset = pytest.importorskip("pyarrow.dataset")
    names = {path.name for path in full.iterdir()}
    assert {"_run.json", "_arrays", "_errors", "_set_aside", "_collected"} < names
    expected = 3 * 3  # seeds, and evaluations of the one metric after step 0

    frame = pandas.read_parquet(full)
    assert len(frame) == len(frame.drop_duplicates()) == expected
    assert set(frame.seed) == {0, 1, 2}
    assert dataset.dataset(full).to_table().num_rows == expected
    assert sorted(full.glob("*.parquet")) == Store(full).rows()


def test_collecting_twice_counts_once(full: Path, mfbpi: Command) -> None:
    """The collected table is no part of itself, whatever it is called."""
    first = mfbpi("collect", full, "--json").json
    assert mfbpi("collect", full, "--json").json == first
    for name, advice in (
        ("all.parquet", "leave --out away"),
        ("_all.parquet", "leave --out away"),
        ("all.csv", "begin its name with _"),
    ):
        refused = mfbpi("collect", full, "--out", full / name)
        assert refused.code == 2
        assert f"would be read as a part of the results beside it; {advice}" in refused.err
    assert mfbpi("collect", full, "--out", full / "_all.csv").code == 0


def old(directory: Path) -> Path:
    """The directory as earlier versions wrote it."""
    (directory / "_run.json").rename(directory / "run.json")
    for path in (directory / "_arrays").iterdir():
        path.rename(directory / f"{path.stem}.arrays.parquet")
    for path in (directory / "_errors").iterdir():
        path.rename(directory / f"{path.stem}.error.json")
    return directory


def test_old_layout_is_read(full: Path, mfbpi: Command) -> None:
    """The same table, and the failure is counted."""
    before = mfbpi("collect", full, "--json").json
    ended = mfbpi("collect", old(full), "--json")

    assert ended.json["rows"] == before["rows"]
    assert "1 tasks failed and are not in the table" in ended.err


@pytest.mark.parametrize("mode", ["fail", "resume", "overwrite"])
def test_old_layout_is_not_added_to(mode: str, full: Path, toy_run: Command) -> None:
    """One sentence, and nothing is touched."""
    old(full)
    names = {path.name for path in full.iterdir()}
    ended = toy_run("--out", full, "--if-exists", mode)

    assert ended.code == 2
    assert len(ended.err.splitlines()) == 1
    assert "was written by an earlier version" in ended.err
    assert {path.name for path in full.iterdir()} == names


def test_runs_and_studies_do_not_mix(full: Path, mfbpi: Command, toy_run: Command) -> None:
    """Each has a directory of its own: a reader would find two kinds of rows."""
    study = ("sweep", "toy/study", "--quick", "--out")
    into_runs = mfbpi(*study, full)
    assert mfbpi(*study, "y").code == 0
    into_study = toy_run("--out", "y")

    assert (into_runs.code, into_study.code) == (2, 2)
    assert "x holds runs; choose another directory" in into_runs.err
    assert "y holds a study; choose another directory" in into_study.err


def test_study_is_its_rows(mfbpi: Command) -> None:
    """Its figures lie in a folder that readers leave out; a study of before is refused."""
    pandas = pytest.importorskip("pandas")
    again = ("sweep", "toy/study", "--quick", "--out", "y", "--if-exists", "resume")
    mfbpi(*again)
    assert len(pandas.read_parquet("y")) == 34
    Path("y/_figures/counts.png").rename("y/counts.png")
    ended = mfbpi(*again)

    assert ended.code == 2
    assert "with figures beside the table" in ended.err


def test_spoilt_study_is_named(mfbpi: Command) -> None:
    """One line, and how to go on."""
    again = ("sweep", "toy/study", "--quick", "--out", "y", "--if-exists")
    mfbpi(*again, "fail")
    Path("y/study.parquet").write_bytes(b"nonsense")
    ended = mfbpi(*again, "resume")

    assert ended.code == 2
    assert "y/study.parquet is not a study of mfbpi" in ended.err
    assert mfbpi(*again, "overwrite").code == 0
