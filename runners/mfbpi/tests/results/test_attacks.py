"""What somebody who can write into a directory of results might try on those who use it."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

import attrs
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import mfbpi
from mfbpi.results.collecting.collect import collect
from mfbpi.results.storage import files, table
from mfbpi.results.storage.directory import Store

#: A pickle that creates the file ``pwned``.
PICKLE = b"cposix\nsystem\n(S'touch pwned'\ntR."

FOLDERS = ("_arrays", "_errors", "_running", "_collected", "_figures", "_checkpoints")


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> mfbpi.Results:
    """A run in ``DIR``, below a directory with a file that is precious."""
    monkeypatch.chdir(tmp_path)
    Path("precious").mkdir()
    return run()


def run(**settings: Any) -> mfbpi.Results:
    """The run."""
    return mfbpi.run(
        "q_learning", "riverswim", seeds=[2], steps=200, out="DIR", executor="serial", **settings
    )


def everyone_reads() -> None:
    """All that reads a directory, whatever it says of it."""
    for look in (
        mfbpi.load,
        mfbpi.status,
        collect,
        lambda d: collect(d, partition=["agent", "env"]),
    ):
        try:
            look("DIR")
        except (mfbpi.UsageError, mfbpi.MfbpiWarning, OSError):
            continue


@pytest.mark.parametrize("folder", FOLDERS)
def test_folders_that_are_links_lead_nowhere(results: mfbpi.Results, folder: str) -> None:
    """Nothing is written, replaced or removed behind them, by readers or by writers."""
    names = [f"{path.stem}.{kind}" for path in results.files for kind in ("json", "npz", "parquet")]
    for name in (*names, "driver.json", "all-x.json", "all.parquet", "_runs.parquet", "scores.svg"):
        Path("precious", name).write_text("mine")
    before = sorted(Path("precious").iterdir())
    if Path("DIR", folder).exists():
        Path("DIR", folder).rename("aside")
    Path("DIR", folder).symlink_to(Path("precious").absolute())
    everyone_reads()
    for again in ("resume", "overwrite"):
        try:
            run(if_exists=again, checkpoint_every=1e-9, arrays=again == "overwrite")
        except (mfbpi.MfbpiError, mfbpi.MfbpiWarning):
            continue
    with contextlib.suppress(mfbpi.UsageError):
        results.plot(kinds=["scores"]).save("DIR/_figures")

    assert sorted(Path("precious").iterdir()) == before
    assert {path.read_text() for path in before} == {"mine"}


def test_a_folder_exchanged_at_the_last_moment_leads_nowhere(
    results: mfbpi.Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer that has looked at it keeps to what it has looked at."""
    folder = Path("DIR/_collected")
    folder.mkdir()
    real = os.open

    def exchanged(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if str(path).endswith(".tmp"):
            folder.rename("DIR/aside")
            folder.symlink_to(Path("precious").absolute())
        return real(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", exchanged)
    files.atomic_write(folder / "all.parquet", b"new")

    assert not list(Path("precious").iterdir())
    assert Path("DIR/aside/all.parquet").read_bytes() == b"new"


def test_names_that_are_links_pipes_or_folders_are_not_followed(results: mfbpi.Results) -> None:
    """Of rows, manifest, log, lock and reports: no reader waits, and nothing is changed."""
    target = Path("precious/file")
    target.write_text("mine")
    for number, name in enumerate(("_run.json", "_log.txt", "_running/driver.json")):
        for make in (_link_to(target), os.mkfifo, os.mkdir):
            place = Path("DIR", name)
            place.parent.mkdir(exist_ok=True)
            if place.is_dir():
                place.rename(f"aside{number}")
            place.unlink(missing_ok=True)
            make(place)
            everyone_reads()
    for make in (_link_to(target), os.mkfifo, os.mkdir):
        make(Path("DIR", f"{len(make.__name__):016x}.parquet"))
        everyone_reads()

    assert target.read_text() == "mine"


def _link_to(target: Path) -> Any:
    def link(place: Path) -> None:
        place.symlink_to(target.absolute())

    return link


def test_pickles_are_not_loaded(results: mfbpi.Results) -> None:
    """Neither out of metadata nor out of arrays, whatever reads them."""
    evil = {
        b"pandas": PICKLE,
        b"ARROW:extension:name": b"arrow.py_extension_type",
        b"ARROW:extension:metadata": PICKLE,
    }
    for path in results.files:
        content = table.read(path)
        about = {**(content.schema.metadata or {}), **evil}
        fields = [field.with_metadata(about) for field in content.schema]
        pq.write_table(content.cast(pa.schema(fields, metadata=about)), path)
    for name in ("_checkpoints", "_running", "_errors"):
        Path("DIR", name).mkdir(exist_ok=True)
        for task in results.tasks:
            for suffix in ("npz", "json"):
                Path("DIR", name, f"{task.task_id}.{suffix}").write_bytes(PICKLE)
    everyone_reads()
    for path in results.files:
        path.unlink()
    with pytest.warns(mfbpi.MfbpiWarning, match="starts again from its beginning"):
        run(if_exists="resume")

    assert not Path("pwned").exists()


def test_labels_with_dots_and_slashes_make_no_paths(results: mfbpi.Results) -> None:
    """A task may call its agent what it likes: a data set stays in its folder."""
    task = results.tasks[0]
    for label in ("../../precious/x", "/tmp/x", "..", "\0", "a=b/../.."):
        agent = attrs.evolve(task.agent, label=label)
        other = attrs.evolve(task, agent=agent)
        content = table.read(results.files[0])
        columns = {name: content[name].to_pylist() for name in content.column_names}
        n = content.num_rows
        columns |= {"agent": [label] * n, "task_id": [other.task_id] * n}
        origin = {**table.provenance(content), "task": other.as_dict(), "task_id": other.task_id}
        made = pa.Table.from_pydict(
            {
                k: pa.array(v).dictionary_encode() if isinstance(v[0], str) else v
                for k, v in columns.items()
            }
        ).cast(table.ROWS)
        path = Store(Path("DIR")).path(other.task_id)
        path.write_bytes(table.to_bytes(table.with_provenance(made, origin)))
    before = sorted(Path().glob("*"))
    everyone_reads()

    parts = {path.name for path in Path("DIR/_collected/parted").iterdir()}
    assert {"agent=..%2F..%2Fprecious%2Fx", "agent=.."} <= parts
    assert sorted(Path().glob("*")) == before
    assert not list(Path("precious").iterdir())


def test_a_manifest_as_large_as_it_likes_is_an_error(results: mfbpi.Results) -> None:
    """Of depth, of numbers: a sentence, and no end of the process."""
    for text in (
        "[" * 1_000_000,
        json.dumps({"tasks": 10**400}),
        '{"seeds": {"a": "0:1000000000"}}',
    ):
        Path("DIR/_run.json").write_text(text)
        everyone_reads()
