"""Joins the results of directories into one table, or one data set."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack

import attrs
import pyarrow as pa

from mfbpi.results.collected import say, total_planned
from mfbpi.results.collecting import sinks
from mfbpi.results.collecting.entries import MOST_ORIGINS, Entries, Entry
from mfbpi.results.collecting.runs import runs_table
from mfbpi.results.failures import failures_in
from mfbpi.results.storage import files, manifest, reading, table
from mfbpi.results.storage.ahead import ahead
from mfbpi.results.storage.directory import COLLECTED, MANIFEST, Store, unwritable
from mfbpi.results.storage.places import Place, parse
from mfbpi.results.storage.reading import ResultError
from mfbpi.results.storage.remote.place import Remote
from mfbpi_core.errors import UsageError

#: In a folder of its own: a reader's ``DIR/*.parquet`` would find ``DIR/_collected.parquet`` too.
ALL, RUNS, PARTED = (f"{COLLECTED}/{name}" for name in ("all.parquet", "_runs.parquet", "parted"))

_SUFFIXES = (".parquet", ".csv")

#: Rows that are held at a time.
_BATCH = 262_144


@attrs.frozen(kw_only=True)
class Collected:
    """A table that was written.

    Attributes:
        path: the file, or the folder.
        n_tasks: how many tasks are in it.
        planned: how many there will be; None where that is not said.
        n_rows: how many rows it has.
    """

    path: Place
    n_tasks: int
    planned: int | None
    n_rows: int


def collect(
    *directories: str | Place, out: str | Place | None = None, partition: Sequence[str] = ()
) -> Collected:
    """Join results into one table, sorted by agent, environment and seed, each task once.

    Rows are read and written bit by bit, so that memory does not grow with them. Where ``out`` is
    left out, ``_collected/_runs.parquet`` is written too, with one row for each task.

    Args:
        directories: one or several.
        out: a file that ends in .parquet or .csv, or, with ``partition``, a folder; a place in
            the directory, if it is one, where None.
        partition: columns by which a data set is parted, of ``"agent"``, ``"env"``, ``"metric"``.

    Raises:
        UsageError: when there is nothing to join, or no place to write to.
    """
    places = [parse(directory) for directory in directories]
    target = _target(places, None if out is None else parse(out), bool(partition))
    entries = Entries.of(places)
    counts = _Counts()
    try:
        with ExitStack() as stack:
            if out is None:
                files.make_folder(places[0] / COLLECTED)
            sink = stack.enter_context(_sink(target, partition, entries))
            for batch in _batches(entries, counts):
                sink.write(batch)
            if not counts.tasks:
                raise UsageError(f"no file of {', '.join(map(str, places))} is a result of mfbpi")
        if out is None:
            _write_runs(places[0] / RUNS, entries)
    except OSError as error:
        raise unwritable(target, error) from error
    planned = _planned(places, entries)
    return Collected(path=target, n_tasks=counts.tasks, planned=planned, n_rows=counts.rows)


@attrs.define
class _Counts:
    tasks: int = 0
    rows: int = 0


def _sink(
    target: Place, partition: Sequence[str], entries: Entries
) -> AbstractContextManager[sinks.Sink]:
    if partition:
        return sinks.partitioned(target, partition)
    if target.suffix.lower() == ".csv":
        return sinks.csv(target)
    origin = {"schema_version": table.SCHEMA_VERSION, "runs": entries.origins}
    if len(entries.listed) > MOST_ORIGINS:
        origin["runs"] = {}
    return sinks.parquet(target, {table.METADATA_KEY: json.dumps(origin).encode()})


def _batches(entries: Entries, counts: _Counts) -> Iterator[pa.Table]:
    """The rows in their order; a file whose pages are damaged is left out, and named."""
    held: list[pa.Table] = []
    n_held = 0
    for entry, content in _contents(entries):
        if isinstance(content, ResultError):
            entries.leave_out(entry.directory, content)
            continue
        held.append(content)
        n_held += content.num_rows
        counts.tasks, counts.rows = counts.tasks + 1, counts.rows + content.num_rows
        if n_held >= _BATCH:
            yield _joined(held)
            held, n_held = [], 0
    if held:
        yield _joined(held)


def _contents(entries: Entries) -> Iterator[tuple[Entry, pa.Table | ResultError]]:
    """Each result with its rows, or with what is wrong with them."""

    def one(entry: Entry) -> tuple[Entry, pa.Table | ResultError]:
        path = entries.path(entry)
        return entry, reading.attempt(lambda p: reading.rows(p, entry.task_id, entry.seed), path)

    places = [store.directory for store in entries.stores]
    far = next((place for place in places if isinstance(place, Remote)), places[0])
    return ahead(one, entries.listed, far)


def _joined(tables: Sequence[pa.Table]) -> pa.Table:
    return pa.concat_tables(tables).unify_dictionaries().combine_chunks()


def _write_runs(path: Place, entries: Entries) -> None:
    failures = [each for store in entries.stores for each in failures_in(store.directory)]
    done = {entry.task_id for entry in entries.listed}
    failed = [each for each in failures if each.task.task_id not in done]
    files.atomic_write(path, table.to_bytes(runs_table(entries, failed)))


def _planned(places: Sequence[Place], entries: Entries) -> int | None:
    """How many tasks there will be in all; what is missing of each directory is said."""
    each = []
    for number, store in enumerate(entries.stores):
        n_found = len(store.rows()) - entries.left_out[number]
        planned = manifest.planned(places[number])
        say(places[number], n_found, planned, len(store.errors()))
        each.append((n_found, planned))
    return total_planned(each, entries.repeated)


def _target(directories: Sequence[Place], out: Place | None, parted: bool) -> Place:
    """The file or folder to write.

    Raises:
        UsageError: when it is not said, is of no known kind, or would be read as a result.
    """
    if not directories:
        raise UsageError("no directory is given; give one or several")
    name = PARTED if parted else ALL
    if out is None:
        if len(directories) > 1:
            raise UsageError("several directories are given; say with `out` where to write")
        return directories[0] / name
    if not parted and out.suffix.lower() not in _SUFFIXES:
        raise UsageError(f"`out` {out}: expected a name that ends in {' or '.join(_SUFFIXES)}")
    beside = Store(out.parent).rows() or (out.parent / MANIFEST).exists()
    hidden = out.name.startswith(("_", "."))
    is_csv = out.suffix.lower() == ".csv" or parted
    if beside and not (is_csv and hidden):
        advice = "begin its name with _" if is_csv else f"leave `out` away for {name} there"
        raise UsageError(
            f"`out` {out} would be read as a part of the results beside it; {advice}, or write "
            "elsewhere"
        )
    return out
