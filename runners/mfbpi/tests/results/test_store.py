"""Whole files only, one configuration, one writer at a time."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from mfbpi.results.storage import manifest
from mfbpi.results.storage.directory import (
    MANIFEST,
    Store,
    StoreError,
    create_first,
    default_directories,
)
from mfbpi.results.storage.files import atomic_write
from mfbpi_core.contracts.executor import Outcome
from mfbpi_core.data.task import PluginRef, Task
from mfbpi_core.errors import UsageError

MANIFEST_1 = {
    "agents": {"biased": {"bias": 0.5}},
    "environments": {"ring": {"environment": {"n_states": 3}, "horizon": 60}},
    "arrays": False,
    "seeds": {"biased on ring": "0:2"},
}

TASK = Task(
    agent=PluginRef(name="biased"),
    environment=PluginRef(name="ring"),
    metrics=(),
    seed=0,
    horizon=10,
    eval_every=5,
    discount=0.9,
)


def full_disk(*_: object, **__: object) -> None:
    """Stands for a system call on a disk without space."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def changed(*path: str, to: Any) -> dict[str, Any]:
    """The manifest with one entry changed or added."""
    edited: dict[str, Any] = json.loads(json.dumps(MANIFEST_1))
    inner = edited
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = to
    return edited


def opened(directory: Path) -> Store:
    """A store that holds the manifest."""
    store = Store(directory)
    with store.writing():
        manifest.record(directory, MANIFEST_1)
    return store


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_failed_write_leaves_the_previous_file(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk the old content is readable and no temporary file stays."""
    path = Path("x.parquet")
    atomic_write(path, b"before")
    monkeypatch.setattr(os, call, full_disk)

    with pytest.raises(OSError, match="No space left"):
        atomic_write(path, b"after")

    assert path.read_bytes() == b"before"
    assert list(Path().iterdir()) == [path]


def test_interrupted_write_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the middle of a write is no different."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        atomic_write(Path("x.parquet"), b"after")

    assert not list(Path().iterdir())


def test_done_task_has_all_its_files(tmp_path: Path) -> None:
    """The rows are written last, and an earlier error is removed."""
    store = Store(tmp_path)
    store.save(TASK, Outcome(task_id=TASK.task_id, status="failed", error="boom"))
    tables = {".parquet": b"rows", ".arrays.parquet": b"arrays"}
    file = store.save(TASK, Outcome(task_id=TASK.task_id, status="done", tables=tables))

    assert file.read_bytes() == b"rows"
    assert store.rows() == [file]
    assert store.path(TASK.task_id, ".arrays.parquet").read_bytes() == b"arrays"
    assert store.errors() == []


def test_rows_are_absent_when_arrays_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task counts as done only when everything is there."""
    monkeypatch.setattr(os, "fsync", full_disk)
    tables = {".parquet": b"rows", ".arrays.parquet": b"arrays"}
    with pytest.raises(StoreError, match=r"cannot write .*_arrays/.*\.parquet: No space left"):
        Store(tmp_path).save(TASK, Outcome(task_id=TASK.task_id, status="done", tables=tables))

    assert Store(tmp_path).rows() == []


def test_failed_task_leaves_its_error_without_paths(tmp_path: Path) -> None:
    """The cause is kept; where on this machine it happened is nobody's business."""
    error = f'File "{tmp_path}/a/b.py", line 1\nOSError: /home/somebody/data/x.csv is missing'
    file = Store(tmp_path).save(TASK, Outcome(task_id=TASK.task_id, status="failed", error=error))
    report = json.loads(file.read_text())

    assert report["task"]["agent"]["name"] == "biased"
    assert report["error"].endswith("OSError: x.csv is missing")
    assert report["cause"] == "OSError: x.csv is missing"
    assert str(tmp_path) not in file.read_text()
    assert "somebody" not in file.read_text()


@pytest.mark.parametrize(
    ("now", "difference"),
    [
        (
            changed("agents", "biased", "bias", to=0.25),
            "agents.biased.bias is 0.5 there and 0.25 here",
        ),
        (
            changed("environments", "ring", "horizon", to=500),
            "environments.ring.horizon is 60 there and 500 here",
        ),
        (
            changed("environments", "ring", "environment", "n_states", to=5),
            "environments.ring.environment.n_states is 3 there and 5 here",
        ),
        (changed("agents", "biased", "k", to=1), "agents.biased.k is on one side only"),
        (changed("arrays", to=True), "arrays is false there and true here"),
    ],
)
def test_changed_settings_are_refused(now: dict[str, Any], difference: str, tmp_path: Path) -> None:
    """One label, one configuration: the message names the keys and both values."""
    with pytest.raises(UsageError) as raised:
        manifest.check(opened(tmp_path / "run").directory, now)

    assert difference in str(raised.value)


def test_agents_and_environments_may_be_added(tmp_path: Path) -> None:
    """The manifest then holds the old and the new."""
    store = opened(tmp_path / "run")
    more = {
        "agents": {"plain": {"weight": 1}},
        "environments": MANIFEST_1["environments"],
        "arrays": False,
        "seeds": {"biased on ring": "1:5,7", "plain on ring": "0"},
    }
    manifest.check(store.directory, more)
    with store.writing():
        manifest.record(store.directory, more)
    joined = json.loads((store.directory / MANIFEST).read_text())

    assert set(joined["agents"]) == {"biased", "plain"}
    assert joined["seeds"] == {"biased on ring": "0:5,7", "plain on ring": "0"}
    assert joined["tasks"] == manifest.planned(store.directory) == 7


@pytest.mark.parametrize("content", ["{", "[]", '{"seeds": 3}', '{"seeds": {"a": 3}}'])
def test_unreadable_manifest_is_refused(content: str, tmp_path: Path) -> None:
    """A file that is no manifest is left alone."""
    (tmp_path / MANIFEST).write_text(content)

    with pytest.raises(UsageError, match=r"_run\.json"):
        manifest.check(tmp_path, MANIFEST_1)


def test_second_writer_is_refused(tmp_path: Path) -> None:
    """Until the first has ended."""
    store = Store(tmp_path / "run")
    with (
        store.writing(),
        pytest.raises(UsageError, match="another mfbpi process is writing"),
        store.writing(),
    ):
        pass
    with store.writing():
        pass


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_lock_in_the_way_is_refused(kind: str, tmp_path: Path) -> None:
    """A link's target is not emptied, and a pipe is not waited for."""
    (tmp_path / "precious").write_text("mine")
    lock = tmp_path / ".lock"
    lock.symlink_to(tmp_path / "precious") if kind == "link" else os.mkfifo(lock)

    message = r"\.lock is not a regular file; remove it"
    with pytest.raises(UsageError, match=message), Store(tmp_path).writing():
        pass
    assert (tmp_path / "precious").read_text() == "mine"


def test_table_of_unknown_kind_is_not_written(tmp_path: Path) -> None:
    """What a worker calls its tables is no path: only known suffixes have a place."""
    tables = {".parquet": b"rows", "/../../x": b"out"}
    with pytest.raises(StoreError, match=r"a table called '/\.\./\.\./x'; expected \.parquet"):
        Store(tmp_path).save(TASK, Outcome(task_id=TASK.task_id, status="done", tables=tables))
    assert Store(tmp_path).rows() == []


def test_directory_that_is_a_file_is_refused(tmp_path: Path) -> None:
    """For checking and for writing."""
    file = tmp_path / "file"
    file.write_text("")

    with pytest.raises(UsageError, match="is a file"):
        manifest.check(file, MANIFEST_1)
    with pytest.raises(UsageError, match="cannot write to"), Store(file).writing():
        pass
    with pytest.raises(UsageError, match="cannot write to"), Store(file / "below").writing():
        pass


def test_default_directories_are_distinct(tmp_path: Path) -> None:
    """Two runs of one second get directories of their own, named after what they hold."""
    one = create_first(default_directories(["mf_bpi"], ["bsuite:deep_sea/0"]))
    names = default_directories(["mf_bpi"], ["bsuite:deep_sea/0"])
    taken = next(names)
    taken.mkdir(parents=True, exist_ok=True)
    other = create_first(iter([one, taken, next(names)]))

    assert one.is_dir()
    assert one.parent == Path("results")
    assert one.name.endswith("-mf_bpi-bsuite_deep_sea_0")
    assert other.name.endswith("-2")
