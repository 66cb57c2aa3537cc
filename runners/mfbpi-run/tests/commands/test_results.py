"""A result counts as done only when it is what its name says."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from mfbpi.results.storage import reading as results
from mfbpi.results.storage import table
from mfbpi.results.storage.directory import Store
from mfbpi.results.storage.reading import ResultError

Command = Callable[..., Any]


def rows_in(directory: str) -> list[Any]:
    """Rows of every task, but for the time that they took."""
    found = [results.read(path).content for path in Store(Path(directory)).rows()]
    return [content.drop_columns(["elapsed_s"]).to_pylist() for content in found]


def pipe(path: Path) -> None:
    """A pipe that nobody writes to."""
    path.unlink()
    os.mkfifo(path)


def link(path: Path) -> None:
    """A link to the very content, elsewhere."""
    path.rename("elsewhere.parquet")
    path.symlink_to(Path("elsewhere.parquet").absolute())


def bent(path: Path) -> None:
    """One byte of a page is another one."""
    content = bytearray(path.read_bytes())
    content[60] ^= 255
    path.write_bytes(content)


SPOILERS: dict[str, Callable[[Path], Any]] = {
    "empty": lambda path: path.write_bytes(b""),
    "random": lambda path: path.write_bytes(os.urandom(5_000)),
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-100]),
    "bent": bent,
    "other schema": lambda path: path.write_bytes(table.to_bytes(pa.table({"a": [1]}))),
    "no origin": lambda path: path.write_bytes(
        table.to_bytes(table.read(path).replace_schema_metadata(None))
    ),
    "other seed": lambda path: path.write_bytes(other_than(path).read_bytes()),
    "newer": lambda path: path.write_bytes(edited(path, schema_version=99)),
    "pipe": pipe,
    "link": link,
}


def other_than(path: Path) -> Path:
    """Another result beside it."""
    return next(other for other in Store(path.parent).rows() if other != path)


def edited(path: Path, **changes: Any) -> bytes:
    """The file with another origin."""
    content = table.read(path)
    return table.to_bytes(table.with_provenance(content, {**table.provenance(content), **changes}))


@pytest.mark.parametrize("spoiler", SPOILERS)
def test_spoilt_result_is_set_aside_and_run_again(spoiler: str, toy_run: Command) -> None:
    """It is named, kept elsewhere, and the table is in the end what it was."""
    toy_run("--out", "x", "--seeds", "0:3")
    rows = rows_in("x")
    path = Store(Path("x")).rows()[1]
    SPOILERS[spoiler](path)

    shown = toy_run("--out", "x", "--seeds", "0:3", "--if-exists", "resume", "--dry-run")
    assert str(path) in shown.err
    assert not Path("x/_set_aside").exists()
    ended = toy_run("--out", "x", "--seeds", "0:3", "--if-exists", "resume", "--json")

    assert sorted(task["status"] for task in ended.json["tasks"]) == ["done", "kept", "kept"]
    [line] = ended.err.splitlines()
    assert line.startswith(f"warning: {path} is not a result of mfbpi: ")
    assert os.path.lexists(Path("x/_set_aside", path.name))
    assert rows_in("x") == rows


@pytest.mark.parametrize("spoiler", SPOILERS)
def test_spoilt_result_is_not_collected(spoiler: str, toy_run: Command, mfbpi: Command) -> None:
    """Neither twice nor half: it is named and left out."""
    toy_run("--out", "x", "--seeds", "0:3")
    path = Store(Path("x")).rows()[1]
    SPOILERS[spoiler](path)
    ended = mfbpi("collect", "x", "--json")

    assert (ended.code, ended.json["tasks"], ended.json["planned"]) == (0, 2, 3)
    assert f"warning: {path} is not a result of mfbpi: " in ended.err
    assert "x has 2 of 3 tasks" in ended.err


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_planted_temporary_names_are_of_no_use(kind: str, toy_run: Command) -> None:
    """The names that writers once used are neither followed nor waited for."""
    planned = toy_run("--out", "x", "--seeds", "0:2", "--dry-run", "--json").json["tasks"]
    Path("precious").write_bytes(b"mine")
    Path("x").mkdir()
    for name in (f"{planned[0]['task_id']}.parquet", "_run.json"):
        temporary = Path("x", f".{name}.tmp")
        temporary.symlink_to("../precious") if kind == "link" else os.mkfifo(temporary)
    ended = toy_run("--out", "x", "--seeds", "0:2", "--json")

    assert [task["status"] for task in ended.json["tasks"]] == ["done", "done"]
    assert Path("precious").read_bytes() == b"mine"


def test_rows_without_their_arrays_are_run_again(toy_run: Command) -> None:
    """A task that keeps arrays is done when both are there."""
    arguments = ("--out", "x", "--arrays", "--seeds", "0:2")
    toy_run(*arguments)
    spoilt, missing = sorted(Path("x/_arrays").iterdir())
    spoilt.write_bytes(b"")
    missing.unlink()
    ended = toy_run(*arguments, "--if-exists", "resume", "--json")

    assert [task["status"] for task in ended.json["tasks"]] == ["done", "done"]
    assert {path.name for path in Path("x/_set_aside").glob("*.parquet")} == {
        spoilt.name,
        missing.name,
    }
    for path in (spoilt, missing):
        assert results.read(path, table.ARRAYS).content.num_rows == 1


def test_result_of_other_rows_is_refused(toy_run: Command) -> None:
    """The columns must agree with the task of the metadata."""
    toy_run("--out", "x", "--seeds", "0:2")
    one, other = Store(Path("x")).rows()
    content = table.with_provenance(table.read(other), table.provenance(table.read(one)))
    one.write_bytes(table.to_bytes(content))

    with pytest.raises(ResultError, match=f"{one} is not a result of mfbpi: it is that of task"):
        results.read(one)


def test_results_of_other_versions_are_listed(toy_run: Command, mfbpi: Command) -> None:
    """They are kept; what was made with which version is said on resume and on collecting."""
    toy_run("--out", "x", "--seeds", "0:3")
    path = Store(Path("x")).rows()[0]
    origin = table.provenance(table.read(path))
    plugins = {**origin["plugins"], "mfbpi-toy": "0.1"}
    path.write_bytes(edited(path, plugins=plugins))
    ended = toy_run("--out", "x", "--seeds", "0:3", "--if-exists", "resume")

    kept = "note: 1 of the results that are kept were made with other versions: "
    assert ended.err.splitlines() == [
        f"{kept}mfbpi-toy 0.1 then and 1.0 now (1)",
        "note: results were made with different versions: mfbpi-toy 0.1 in 1, mfbpi-toy 1.0 in 2",
    ]
    assert "different versions: mfbpi-toy 0.1 in 1" in mfbpi("collect", "x").err


def test_resume_goes_on_with_the_metrics_of_the_run(toy_run: Command) -> None:
    """A metric that has become a default since is not measured, and the note says so."""
    toy_run("--out", "x", "--seeds", "0:1")
    manifest = json.loads(Path("x/_run.json").read_text())
    metrics = manifest["environments"]["ring"]["metrics"]
    left_out = sorted(metrics)[-1]
    arguments = [arg for name in sorted(metrics)[:-1] for arg in ("--metric", name)]
    toy_run("--out", "y", "--seeds", "0:1", *arguments)
    ended = toy_run("--out", "y", "--seeds", "0:2", "--if-exists", "resume", "--json")

    assert [task["status"] for task in ended.json["tasks"]] == ["kept", "done"]
    assert ended.err.startswith(f"note: {left_out} on ring: not measured, as the run that is")


def test_missing_manifest_is_said(toy_run: Command, mfbpi: Command) -> None:
    """On resuming and on collecting; so is one that does not say how many tasks there are."""
    toy_run("--out", "x", "--seeds", "0:2")
    manifest = json.loads(Path("x/_run.json").read_text())
    assert (manifest["tasks"], manifest["seeds"]) == (2, {"biased on ring": "0:2"})
    Path("x/_run.json").write_text(json.dumps({**manifest, "tasks": None}))
    assert "x does not say how many tasks it should have" in mfbpi("collect", "x").err
    Path("x/_run.json").unlink()
    assert mfbpi("collect", "x", "--json").json["planned"] is None
    ended = toy_run("--out", "x", "--seeds", "0:2", "--if-exists", "resume")

    assert "warning: x has results and no _run.json: whether other results" in ended.err
