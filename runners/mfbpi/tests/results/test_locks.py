"""Locks of directories and shards, and file systems that know none."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path

import pytest

from mfbpi.plan.sharding import Shard
from mfbpi.results.storage import files
from mfbpi.results.storage.directory import Store
from mfbpi_core.errors import MfbpiWarning, UsageError

FIRST, SECOND, HALF = Shard(0, 3), Shard(1, 3), Shard(0, 2)


def refuse_locks(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """A file system that answers every lock with this error."""

    def flock(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", flock)


def left(folder: Path) -> list[str]:
    """The temporary files that are there."""
    return [path.name for path in folder.glob(".mfbpi-*")]


def test_siblings_write_at_the_same_time(tmp_path: Path) -> None:
    """Shards of as many do not see each other."""
    with Store(tmp_path, FIRST).writing(), Store(tmp_path, SECOND).writing():
        pass


@pytest.mark.parametrize("other", [FIRST, HALF, None])
def test_those_with_the_same_tasks_do_not(other: Shard | None, tmp_path: Path) -> None:
    """The same shard, a shard of another number, and a run that is not sharded."""
    message = "another mfbpi process is writing to"
    with (
        Store(tmp_path, FIRST).writing(),
        pytest.raises(UsageError, match=message),
        Store(tmp_path, other).writing(),
    ):
        pass
    with Store(tmp_path, other).writing():
        pass


def test_shard_beside_the_whole_is_refused(tmp_path: Path) -> None:
    """A run that is not sharded has all the tasks."""
    with (
        Store(tmp_path).writing(),
        pytest.raises(UsageError, match="another mfbpi process is writing to"),
        Store(tmp_path, FIRST).writing(),
    ):
        pass


@pytest.mark.parametrize("name", ["ENOLCK", "ENOSYS", "EOPNOTSUPP"])
@pytest.mark.parametrize("shard", [FIRST, None])
def test_file_system_without_locks(
    shard: Shard | None, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The work goes on, and it is said what is not guarded; files are written all the same."""
    refuse_locks(monkeypatch, getattr(errno, name))
    store = Store(tmp_path, shard)

    with pytest.warns(MfbpiWarning, match="knows no locks"), store.writing():
        store.write(tmp_path / "x.json", b"{}")

    assert (tmp_path / "x.json").read_bytes() == b"{}"


def test_temporary_files_of_siblings_stay(tmp_path: Path) -> None:
    """Their writer may live on another machine, whose locks are not seen here."""
    names = {tag: f".mfbpi-{tag}{16 * '0'}.tmp" for tag in ("0-of-3-", "1-of-3-", "1-of-2-", "")}
    for name in names.values():
        (tmp_path / name).touch()

    files.remove_stale(tmp_path, FIRST.tag)

    assert left(tmp_path) == [names["1-of-3-"]]
    files.remove_stale(tmp_path)
    assert left(tmp_path) == []


def test_own_temporary_files_go_without_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody but the shard itself writes under its mark; of others nothing is known."""
    for tag in ("0-of-3-", ""):
        (tmp_path / f".mfbpi-{tag}{16 * '0'}.tmp").touch()
    refuse_locks(monkeypatch, errno.ENOLCK)

    files.remove_stale(tmp_path, FIRST.tag)

    assert left(tmp_path) == [f".mfbpi-{16 * '0'}.tmp"]
