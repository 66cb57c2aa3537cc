"""A directory of results: whole files only, one configuration, one writer at a time."""

from __future__ import annotations

import itertools
import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import filelock

from mfbpi_core.errors import MfbpiError, UsageError
from mfbpi_core.task import Task
from mfbpi_core.types import Outcome
from mfbpi_run.provenance import without_paths
from mfbpi_run.table import SCHEMA_VERSION

#: What the directory's results have in common.
MANIFEST = "run.json"

#: Suffix of what a long run goes on from, until its rows are written.
CHECKPOINT = ".checkpoint.npz"

_LOCK = ".lock"

_RESULT = re.compile(r"[0-9a-f]{16}(\.arrays)?\.(parquet|error\.json)")

#: Differences spelled out in a message; beyond, they are counted.
_SHOWN = 5


class StoreError(MfbpiError):
    """A result could not be written."""


def atomic_write(path: Path, content: bytes) -> None:
    """Write a file so that at every moment it is absent, as before, or complete.

    Raises:
        OSError: the file is as before and nothing is left beside it.
    """
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with temporary.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@attrs.frozen
class Store:
    """Results in a directory.

    Attributes:
        directory: the directory; created by :meth:`writing`.
    """

    directory: Path

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the directory for this process.

        Raises:
            UsageError: when the directory cannot be written to, or another process writes to it.
        """
        lock = filelock.FileLock(self.directory / _LOCK, timeout=0)
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            lock.acquire()
        except filelock.Timeout:
            raise UsageError(
                f"another mfbpi process is writing to {self.directory}; wait until it has ended, "
                "or choose another directory with --out"
            ) from None
        except (OSError, NotImplementedError) as error:
            raise unwritable(self.directory, error) from error
        try:
            yield
        finally:
            lock.release()

    def path(self, task_id: str, suffix: str = ".parquet") -> Path:
        """Where a file of a task is."""
        return self.directory / f"{task_id}{suffix}"

    def has(self, task: Task) -> bool:
        """Whether the task was done before."""
        return self.path(task.task_id).is_file()

    def results(self) -> list[Path]:
        """Every file of results, of failures too, sorted by name."""
        if not self.directory.is_dir():
            return []
        return sorted(p for p in self.directory.iterdir() if _RESULT.fullmatch(p.name))

    def save(self, task: Task, outcome: Outcome) -> Path:
        """Write what became of a task; returns the file of its rows, or of its error.

        Raises:
            StoreError: naming the file and the cause.
        """
        if outcome.status == "failed":
            return self._save_error(task, outcome.error)
        # The rows come last: where they are, the task is complete.
        for suffix in sorted(outcome.tables, key=len, reverse=True):
            self.write(self.path(task.task_id, suffix), outcome.tables[suffix])
        self.path(task.task_id, ".error.json").unlink(missing_ok=True)
        return self.path(task.task_id)

    def _save_error(self, task: Task, error: str) -> Path:
        path = self.path(task.task_id, ".error.json")
        report = {
            "schema_version": SCHEMA_VERSION,
            "task_id": task.task_id,
            "task": attrs.asdict(task),
            "error": without_paths(error),
        }
        self.write(path, _pretty(report))
        # Where all is run again, rows of an earlier run would pass for this one's.
        for suffix in (".parquet", ".arrays.parquet"):
            self.path(task.task_id, suffix).unlink(missing_ok=True)
        return path

    def write(self, path: Path, content: bytes) -> None:
        """Write a file whole; raises :class:`StoreError`."""
        try:
            atomic_write(path, content)
        except OSError as error:
            raise StoreError(f"cannot write {path}: {error.strerror or error}") from error

    def check(self, manifest: Mapping[str, Any]) -> None:
        """Refuse a directory whose results were made with other settings.

        One label stands for one configuration; further agents and environments may be added.

        Raises:
            UsageError: naming the settings that differ, with both values.
        """
        if self.directory.exists() and not self.directory.is_dir():
            raise UsageError(f"{self.directory} is a file; give a directory with --out")
        now = {**manifest, "schema_version": SCHEMA_VERSION}
        self.refuse_differences(self._manifest(), now)

    def refuse_differences(self, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
        """Refuse results made with other settings, by what was recorded with them.

        Raises:
            UsageError: naming the settings that differ, with both values.
        """
        differences = list(_differences(before, now))
        if differences:
            more = len(differences) - _SHOWN
            listing = "; ".join(differences[:_SHOWN]) + (f"; and {more} more" if more > 0 else "")
            raise UsageError(
                f"{self.directory} holds results of other settings: {listing}; "
                "choose another directory with --out"
            )

    def record(self, manifest: Mapping[str, Any]) -> None:
        """Write the manifest, joined with the one that is there; call :meth:`check` before.

        Raises:
            UsageError: when the directory cannot be written to.
        """
        before = self._manifest()
        joined = {
            "schema_version": SCHEMA_VERSION,
            **manifest,
            "agents": {**before.get("agents", {}), **manifest["agents"]},
            "environments": {**before.get("environments", {}), **manifest["environments"]},
        }
        try:
            atomic_write(self.directory / MANIFEST, _pretty(joined))
        except OSError as error:
            raise unwritable(self.directory, error) from error

    def _manifest(self) -> dict[str, Any]:
        path = self.directory / MANIFEST
        try:
            loaded = json.loads(path.read_text())
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except (OSError, ValueError) as error:
            raise UsageError(f"{path} cannot be read ({error}); choose another --out") from error
        if not isinstance(loaded, dict):
            raise UsageError(f"{path} is not a manifest of mfbpi; choose another --out")
        return loaded


def unwritable(directory: Path, error: Exception) -> UsageError:
    """The error for a directory that cannot be written to."""
    cause = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return UsageError(
        f"cannot write to {directory}: {cause}; choose a directory you can write to with --out"
    )


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


def _differences(
    before: Mapping[str, Any], now: Mapping[str, Any], prefix: str = ""
) -> Iterator[str]:
    """Settings present on both sides with different values."""
    for key in sorted(before.keys() & now.keys()):
        name, old, new = f"{prefix}{key}", before[key], now[key]
        if isinstance(old, dict) and isinstance(new, dict):
            yield from _differences(old, new, f"{name}.")
            # Labels may be added; a label's parameters may not.
            one_sided = sorted(old.keys() ^ new.keys()) if prefix else []
            yield from (f"{name}.{inner} is on one side only" for inner in one_sided)
        elif old != new:
            yield f"{name} is {json.dumps(old)} there and {json.dumps(new)} here"


def _pretty(data: Mapping[str, Any]) -> bytes:
    return (json.dumps(data, indent=2, sort_keys=True) + "\n").encode()
