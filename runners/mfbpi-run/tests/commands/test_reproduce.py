"""A task run again from what is said with its rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mfbpi.results.storage import table
from mfbpi.results.storage.directory import Store

Command = Callable[..., Any]


def first(toy_run: Command) -> Path:
    """The file of a task."""
    toy_run("--out", "x", "--seeds", "3")
    return Store(Path("x")).rows()[0]


def test_same_numbers(toy_run: Command, mfbpi: Command) -> None:
    """Bit for bit; the time that it took is no matter."""
    path = first(toy_run)
    ended = mfbpi("reproduce", path)

    assert ended.code == 0
    assert ended.out.startswith("biased on ring, seed 3: ")
    assert ended.out.endswith("the same, bit for bit\n")
    assert mfbpi("reproduce", path, "--json").json["same"] is True


def test_other_number_is_named(toy_run: Command, mfbpi: Command) -> None:
    """With its metric and step, and both values."""
    path = first(toy_run)
    content = table.read(path)
    index = content.schema.get_field_index("value")
    moved = pc.if_else(
        pc.equal(content["step"], 40), pc.add(content["value"], 1.0), content["value"]
    )
    path.write_bytes(table.to_bytes(content.set_column(index, content.schema.field(index), moved)))

    ended = mfbpi("reproduce", path)

    assert ended.code == 1
    assert " at step 40: value " in ended.out
    assert "differences" in ended.out


def test_other_version_and_platform_are_named(toy_run: Command, mfbpi: Command) -> None:
    """Even where the numbers are the same."""
    path = first(toy_run)
    content = table.read(path)
    origin = table.provenance(content)
    origin["libraries"]["numpy"] = "1.0"
    origin["platform"]["machine"] = "abacus"
    path.write_bytes(table.to_bytes(table.with_provenance(content, origin)))

    ended = mfbpi("reproduce", path)

    assert ended.code == 0
    assert "note: numpy 1.0 then and " in ended.err
    assert "note: platform machine abacus then and " in ended.err


def test_other_files_are_refused(toy_run: Command, mfbpi: Command) -> None:
    """A table of other columns, and one that is not there."""
    Path("other.parquet").write_bytes(table.to_bytes(pa.table({"a": [1]})))

    for name in ("other.parquet", "nowhere.parquet"):
        ended = mfbpi("reproduce", name)
        assert ended.code == 2
        assert "give the file of one task" in ended.err


def test_file_cannot_have_code_run(toy_run: Command, mfbpi: Command) -> None:
    """An agent without packaging is imported from where the reader says, or not at all."""
    Path("mine.py").write_text(
        "from mfbpi_core import Agent\n"
        "class Mine(Agent):\n"
        "    def select_action(self, observation): return 0\n"
        "    def update(self, transition): pass\n"
        "    def recommend(self, observation): return 0\n"
    )
    few = ("--env", "ring", "--executor", "inline", "--seeds", "0", "--out", "y")
    assert mfbpi("run", "--agent", "./mine.py:Mine", *few).code == 0
    path = Store(Path("y")).rows()[0]

    refused = mfbpi("reproduce", path)
    given = mfbpi("reproduce", path, "--agent", "./mine.py:Mine")

    assert refused.code == 2
    assert "say where it is with --agent" in refused.err
    assert given.code == 0
