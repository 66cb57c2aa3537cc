"""``mfbpi collect``: formats, several directories, unfinished ones, two at the same time."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mfbpi.results.storage import table
from mfbpi.results.storage.directory import Store

Command = Callable[..., Any]


def test_csv_has_the_same_numbers(toy_run: Command, mfbpi: Command) -> None:
    """To the last digit, with a line of headings."""
    toy_run("--out", "x", "--seeds", "0:2")
    mfbpi("collect", "x")
    ended = mfbpi("collect", "x", "--out", "r.csv")

    assert ended.code == 0
    with Path("r.csv").open(newline="") as stream:
        found = list(csv.DictReader(stream))
    expected = table.read(Path("x/_collected/all.parquet"))
    assert list(found[0]) == expected.column_names
    for name in expected.column_names:
        values = expected[name].to_pylist()
        assert [type(values[0])(row[name]) for row in found] == values


@pytest.mark.parametrize("name", ["r.json", "r", "r.parquet.gz", "r.xlsx"])
def test_other_formats_are_refused(name: str, toy_run: Command, mfbpi: Command) -> None:
    """And nothing is written under a name that promises them."""
    toy_run("--out", "x")
    ended = mfbpi("collect", "x", "--out", name)

    assert ended.code == 2
    assert f"--out {name}: expected a name that ends in .parquet or .csv" in ended.err
    assert not Path(name).exists()


def test_several_directories_make_one_table(toy_run: Command, mfbpi: Command) -> None:
    """A task that is in two of them is in the table once, and that is said."""
    toy_run("--out", "x", "--seeds", "0:3")
    toy_run("--out", "y", "--seeds", "2:5")
    toy_run("--out", "whole", "--seeds", "0:5")
    unsaid = mfbpi("collect", "x", "y")
    ended = mfbpi("collect", "x", "y", "--out", "both.parquet", "--json")
    mfbpi("collect", "whole")

    assert unsaid.code == 2
    assert "say with --out where to write" in unsaid.err
    assert (ended.json["tasks"], ended.json["planned"]) == (5, 5)
    assert "1 tasks are in several directories; each is in the table once" in ended.err
    both, whole = (table.read(Path(p)) for p in ("both.parquet", "whole/_collected/all.parquet"))
    without = [each.drop_columns(["elapsed_s"]).to_pylist() for each in (both, whole)]
    assert without[0] == without[1]


def test_unfinished_runs_are_said(toy_run: Command, mfbpi: Command) -> None:
    """How many tasks of how many are there."""
    toy_run("--out", "x", "--seeds", "0:5")
    for path in Store(Path("x")).rows()[:3]:
        path.unlink()
    ended = mfbpi("collect", "x")

    assert "6 rows of 2 of 5 tasks: x/_collected/all.parquet" in ended.out
    assert ended.err == "warning: x has 2 of 5 tasks; the others are not done\n"


def test_two_at_the_same_time_do_not_collide(toy_run: Command, mfbpi: Command) -> None:
    """Each writes a file of its own before one replaces the other."""
    toy_run("--out", "x", "--seeds", "0:3")
    mfbpi("collect", "x")
    before = Path("x/_collected/all.parquet").read_bytes()
    command = [sys.executable, "-c", "from mfbpi_run.cli import main; main(['collect', 'x'])"]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(4)]

    for process in started:
        assert b"9 rows of 3 of 3 tasks" in process.communicate()[0]
        assert process.returncode == 0
    assert Path("x/_collected/all.parquet").read_bytes() == before
    assert not list(Path("x").glob("**/.*.tmp"))


def test_output_that_is_no_regular_file_is_left_alone(toy_run: Command, mfbpi: Command) -> None:
    """A link is replaced, its target not written to."""
    toy_run("--out", "x")
    Path("precious").write_bytes(b"mine")
    Path("x/_collected").mkdir()
    Path("x/_collected/all.parquet").symlink_to(Path("precious").absolute())

    assert mfbpi("collect", "x").code == 0
    assert Path("precious").read_bytes() == b"mine"
