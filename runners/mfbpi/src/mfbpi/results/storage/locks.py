"""One writer at a time for a directory, or for each shard of it: a lock that ends with its process.

Shards need no lock across machines: each writes the files of its own tasks. Where a file system
knows no locks, as some that are mounted from elsewhere, the work goes on without, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import filelock

from mfbpi.notices import warn
from mfbpi.plan.sharding import Shard
from mfbpi.results.storage import files
from mfbpi.results.storage.places import Place
from mfbpi.results.storage.remote import leases
from mfbpi.results.storage.remote.place import Remote
from mfbpi_core.errors import UsageError

_LOCK = ".lock"

#: A file system of fsspec that nobody else sees.
_PASSING = "fsspec+memory:"

_ANY = re.compile(r"\.lock(-\d+-of-(?P<count>\d+))?")


@contextmanager
def held(directory: Place, shard: Shard | None) -> Iterator[None]:
    """Hold a directory, which is created if need be, or one shard of it, for this process.

    Raises:
        UsageError: when another process holds it.
        OSError: when it cannot be written to.
    """
    if isinstance(directory, Remote):
        with _leased(directory, shard):
            yield
        return
    path = directory / (_LOCK if shard is None else f"{_LOCK}-{shard.tag}")
    directory.mkdir(parents=True, exist_ok=True)
    if path.is_symlink() or (path.exists() and not files.is_regular(path)):
        raise UsageError(f"{path} is not a regular file; remove it")
    lock = _acquired(directory, path, shard)
    try:
        _refuse_others(directory, path, shard)
        yield
    finally:
        lock.release()


@contextmanager
def _leased(directory: Remote, shard: Shard | None) -> Iterator[None]:
    """The same on a remote file system."""
    if directory.base.startswith(_PASSING):
        warn(f"{directory} is in the memory of this process: what is written there ends with it")
    with ExitStack() as stack:
        try:
            stack.enter_context(leases.held(directory, shard))
        except leases.TakenError as error:
            again = f" (one that was killed elsewhere counts for {leases.SILENT_S:.0f} s)"
            raise _taken(directory, str(error), again) from None
        yield


def _acquired(directory: Path, path: Path, shard: Shard | None) -> filelock.BaseFileLock:
    lock = filelock.FileLock(path, timeout=0)
    if not files.knows_locks(path):
        warn(
            f"the file system of {directory} knows no locks: nothing keeps another process with "
            "the same `out` and `shard` from running the same tasks; start each once"
        )
        return lock
    try:
        lock.acquire()
    except filelock.Timeout:
        raise _taken(directory, "" if shard is None else f" shard {shard} of") from None
    return lock


def _refuse_others(directory: Path, own: Path, shard: Shard | None) -> None:
    """Refuse to write beside a process whose tasks may be the same, where it can be seen."""
    for path in directory.glob(f"{_LOCK}*"):
        kind = _ANY.fullmatch(path.name)
        beside = kind and shard and kind["count"] == str(shard.count)
        if kind and path != own and not beside and files.is_held(path):
            which = f" shards in another number, or all of it, with {path.name} in"
            raise _taken(directory, which if shard or kind["count"] else "")


def _taken(directory: Place, what: str, again: str = "") -> UsageError:
    return UsageError(
        f"another mfbpi process is writing to{what} {directory}; wait until it has ended{again}, "
        "or choose another directory with `out`"
    )
