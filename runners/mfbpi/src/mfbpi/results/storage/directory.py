"""A directory of results: whole files only, one writer at a time.

What a reader's ``DIR/*.parquet`` finds is exactly the rows: ``DIR/<task_id>.parquet``, and nothing
else. Everything else begins with ``_`` or lies in a folder that does, which is what pandas, Arrow
and others leave out when they read a directory.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import attrs

from mfbpi.plan.sharding import Shard
from mfbpi.results.storage import files, locks
from mfbpi.results.storage.places import Place
from mfbpi.results.storage.provenance import without_paths
from mfbpi.results.storage.table import SCHEMA_VERSION
from mfbpi_core.contracts.executor import Outcome
from mfbpi_core.data.task import Task
from mfbpi_core.errors import MfbpiError, UsageError

#: What the directory's results have in common.
MANIFEST = "_run.json"

#: The rows of a study, alone in its directory.
STUDY = "study.parquet"

#: Where everything else lies.
ARRAYS, ERRORS, CHECKPOINTS, FIGURES = "_arrays", "_errors", "_checkpoints", "_figures"
CERTIFICATES, AGENTS = "_certificates", "_agents"

#: Where it is told what is going on, while it is.
RUNNING, DRIVER = "_running", "driver"

#: Where all rows are, in one table.
COLLECTED = "_collected"

#: Where files go that are not what their names say.
SET_ASIDE = "_set_aside"

#: Suffix of an outcome's table to the folder of such files: of nothing else is a file made.
_FOLDERS = {
    ".parquet": ".",
    ".arrays.parquet": ARRAYS,
    ".certificate.json": CERTIFICATES,
    ".agent.npz": AGENTS,
}

#: Beside a certificate: large arrays, by their hash.
_BESIDE = re.compile(r"\.certificate/([0-9a-f]{64}\.npz)")

_ROWS = re.compile(r"[0-9a-f]{16}\.parquet")

# Once all files of a task lay side by side.
_OLD = re.compile(r"run\.json|[0-9a-f]{16}\.(arrays\.parquet|error\.json|checkpoint\.npz)")


class StoreError(MfbpiError):
    """A result could not be written."""


@attrs.frozen
class Store:
    """Results in a directory.

    Attributes:
        directory: the directory; created by :meth:`writing`.
        shard: the part of its tasks that is written; None for all of them.
        elsewhere: directory in which the checkpoints lie; None for the same.
    """

    directory: Place
    shard: Shard | None = None
    elsewhere: Place | None = None

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the directory for this process, and clear away what killed writers left half done.

        Raises:
            UsageError: when the directory cannot be written to, or another process writes to it.
        """
        with contextlib.ExitStack() as held:
            try:
                held.enter_context(locks.held(self.directory, self.shard))
                for name in (*_FOLDERS.values(), ERRORS, FIGURES, COLLECTED, RUNNING):
                    files.remove_stale(self.directory / name, self._mark)
                files.remove_stale(self.checkpoints, self._mark)
            except OSError as error:
                raise unwritable(self.directory, error) from error
            yield

    @property
    def _mark(self) -> str:
        return "" if self.shard is None else self.shard.tag

    def path(self, task_id: str, suffix: str = ".parquet") -> Place:
        """Where a file of a task is: its rows, its arrays, its certificate, or its agent."""
        beside = _BESIDE.fullmatch(suffix)
        if beside is not None:
            return self.directory / CERTIFICATES / beside[1]
        ending = suffix if suffix.endswith(".json") else f".{suffix.rpartition('.')[2]}"
        return self.directory / _FOLDERS[suffix] / f"{task_id}{ending}"

    def error(self, task_id: str) -> Place:
        """Where it is said why a task failed."""
        return self.directory / ERRORS / f"{task_id}.json"

    def checkpoint(self, work_id: str) -> Place:
        """Where unfinished work is saved."""
        return self.checkpoints / f"{work_id}.npz"

    def forget(self, work_id: str) -> None:
        """Remove the checkpoint of some work, if there is one."""
        self._remove(self.checkpoint(work_id))

    @property
    def checkpoints(self) -> Place:
        """Where all checkpoints are."""
        return (self.elsewhere or self.directory) / CHECKPOINTS

    @property
    def log(self) -> Place:
        """Where it is said what has happened, a line each."""
        return self.directory / f"_log{self._suffix}.txt"

    @property
    def driver(self) -> Place:
        """Where the process that carries out the plan says how far it has come."""
        return self.directory / RUNNING / f"{DRIVER}{self._suffix}.json"

    def running(self, work_id: str) -> Place:
        """Where a worker says how far it has come."""
        return self.directory / RUNNING / f"{self._mark or 'all'}-{work_id}.json"

    def clear_running(self) -> None:
        """Remove what was told of what is going on, by this process and by its workers.

        Raises:
            OSError: when that is not possible, as where the folder is a link.
        """
        files.remove(self.driver)
        folder = self.directory / RUNNING
        for path in folder.glob(self.running("*").name):
            files.remove(path)
        with contextlib.suppress(OSError):  # others are still running
            folder.rmdir()

    @property
    def _suffix(self) -> str:
        return f"-{self._mark}" if self._mark else ""

    def rows(self) -> list[Place]:
        """The file of rows of every task that is done, sorted by name."""
        return self._found(_ROWS)

    def errors(self) -> list[Place]:
        """The file of every task that failed, sorted by name."""
        old = [path for path in self._found(_OLD) if path.name.endswith(".error.json")]
        return old + sorted((self.directory / ERRORS).glob("*.json"))

    @property
    def has_old_layout(self) -> bool:
        """Whether an earlier version wrote here; such results can be read and not added to."""
        return bool(self._found(_OLD))

    def _found(self, pattern: re.Pattern[str]) -> list[Place]:
        if isinstance(self.directory, Path) and not self.directory.is_dir():
            return []
        return sorted(p for p in self.directory.iterdir() if pattern.fullmatch(p.name))

    def set_aside(self, task_id: str) -> list[Place]:
        """Move the tables of a task away, as if it was not run; returns where they are now.

        Raises:
            UsageError: when the directory cannot be written to.
        """
        folder = self.directory / SET_ASIDE
        found = [self.path(task_id, suffix) for suffix in _FOLDERS]
        try:
            return [
                files.move_aside(
                    path, folder if path.parent == self.directory else folder / path.parent.name
                )
                for path in found
                if path.is_symlink() or path.exists()
            ]
        except OSError as error:
            raise unwritable(self.directory, error) from error

    def save(self, task: Task, outcome: Outcome) -> Place:
        """Write what became of a task; returns the file of its rows, or of its error.

        Raises:
            StoreError: naming the file and the cause.
        """
        if outcome.status == "failed":
            return self._save_error(task, outcome)
        for suffix in outcome.tables.keys() - _FOLDERS.keys():
            if not _BESIDE.fullmatch(suffix):
                raise StoreError(f"a table called {suffix!r}; expected {' or '.join(_FOLDERS)}")
        # The rows come last: where they are, the task is complete.
        for suffix in sorted(outcome.tables, key=len, reverse=True):
            self.write(self.path(task.task_id, suffix), outcome.tables[suffix])
        self._remove(self.error(task.task_id))
        return self.path(task.task_id)

    def _save_error(self, task: Task, outcome: Outcome) -> Place:
        path = self.error(task.task_id)
        report = {
            "schema_version": SCHEMA_VERSION,
            "task_id": task.task_id,
            "task": task.as_dict(),
            "cause": without_paths(cause(outcome)),
            "error": without_paths(outcome.error),
        }
        self.write(path, pretty(report))
        # Where all is run again, rows of an earlier run would pass for this one's.
        for suffix in _FOLDERS:
            self._remove(self.path(task.task_id, suffix))
        return path

    def _remove(self, path: Place) -> None:
        try:
            files.remove(path)
        except OSError as error:
            raise StoreError(f"cannot remove {path}: {error.strerror or error}") from error

    def write(self, path: Place, content: bytes, patience_s: float | None = None) -> None:
        """Write a file of this directory whole; raises :class:`StoreError`.

        Args:
            path: the file.
            content: all of it.
            patience_s: how long a remote file system is tried; None for as long as may help.
        """
        try:
            if path.parent != self.directory:
                files.make_folder(path.parent)
            files.atomic_write(path, content, self._mark, patience_s)
        except OSError as error:
            raise StoreError(f"cannot write {path}: {error.strerror or error}") from error


def cause(outcome: Outcome) -> str:
    """Why a task failed, on one line; without a cause, the last line of what was raised."""
    lines = outcome.error.strip().splitlines() or ["no cause was given"]
    return outcome.cause or lines[-1].strip()


def unwritable(directory: Place, error: Exception) -> UsageError:
    """The error for a directory that cannot be written to."""
    cause = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return UsageError(
        f"cannot write to {directory}: {cause}; choose a directory you can write to with `out`"
    )


def pretty(data: Mapping[str, object]) -> bytes:
    """The content of a JSON file for people."""
    return (json.dumps(data, indent=2, sort_keys=True) + "\n").encode()


def default_directories(agents: Iterable[str], environments: Iterable[str]) -> Iterator[Path]:
    """Names below ``results`` made of the time and the labels, one after the other."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    labels = "-".join("+".join(names) for names in (agents, environments))
    base = Path("results") / f"{stamp}-{re.sub(r'[^A-Za-z0-9_.+-]', '_', labels)[:80]}"
    yield base
    yield from (base.with_name(f"{base.name}-{count}") for count in itertools.count(2))


def create_first(directories: Iterator[Path]) -> Path:
    """Create the first of the directories that does not exist yet, for this process alone.

    Raises:
        UsageError: when it cannot be created.
    """
    directory = next(directories)
    while True:
        try:
            directory.mkdir(parents=True)
        except FileExistsError:
            directory = next(directories)
        except OSError as error:
            raise unwritable(directory, error) from error
        else:
            return directory
