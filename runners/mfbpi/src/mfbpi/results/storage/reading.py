"""Results that can be relied on: a file is read whole and compared with what its name says."""

from __future__ import annotations

import json
import reprlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import attrs
import pyarrow as pa

from mfbpi.results.storage import provenance, sources, table
from mfbpi.results.storage.ahead import ahead
from mfbpi.results.storage.directory import Store
from mfbpi.results.storage.places import Place
from mfbpi.results.storage.remote.causes import RemoteError
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.data.task import Task
from mfbpi_core.errors import MfbpiError

T = TypeVar("T")

#: What a result was made with: group, program, version.
Versions = tuple[tuple[str, str, str], ...]

#: Groups of the provenance that name other things than programs.
_NAMED = ("git", "platform", "skipped_metrics")

#: Longest cause that is repeated in a message.
_SHORT = 200


class ResultError(MfbpiError):
    """A file is not the result that its name says; the message names the file and the cause."""


@attrs.frozen(kw_only=True, eq=False)
class Result:
    """What is in the file of a task.

    Attributes:
        task: the task.
        content: its table.
        origin: how it was made.
    """

    task: Task
    content: pa.Table
    origin: JsonObject


def read(path: Place, schema: pa.Schema = table.ROWS, task_id: str = "") -> Result:
    """Read a table that is named after its task.

    Args:
        path: the file.
        schema: its columns.
        task_id: the task whose table it must be; that of its name if empty.

    Raises:
        ResultError: when it cannot be read, or is another task's, or another kind of table.
    """
    with _named(path):
        return _checked(task_id or path.stem, table.read(path), schema)


def look(path: Place) -> tuple[Task, int, JsonObject]:
    """The task of a file, its number of rows and its provenance, without reading the rows.

    Raises:
        ResultError: when it cannot be read, or is another task's, or another kind of table.
    """
    with _named(path):
        n_rows, schema = table.look(path)
        _check_columns(schema, table.ROWS)
        origin = table.origin_of(schema)
        return _checked_task(path.stem, origin), n_rows, origin


def rows(path: Place, task_id: str, seed: int) -> pa.Table:
    """The rows of a task at whose file one has looked, without metadata.

    Raises:
        ResultError: when they are damaged, or another task's.
    """
    with _named(path):
        content = table.read(path)
        _check_columns(content.schema, table.ROWS)
        _check_rows(content, task_id, seed)
        return content.replace_schema_metadata(None)


@contextmanager
def _named(path: Place) -> Iterator[None]:
    """Name the file in what is raised in this block."""
    try:
        yield
    except RemoteError:  # which says nothing about the file
        raise
    # A file may hold anything, and Arrow has an exception for each.
    except Exception as error:
        strerror = error.strerror if isinstance(error, OSError) else None
        cause = " ".join(str(strerror or error).split())[:_SHORT] or type(error).__name__
        raise ResultError(f"{path} is not a result of mfbpi: {cause}") from error


def _checked(task_id: str, content: pa.Table, schema: pa.Schema) -> Result:
    _check_columns(content.schema, schema)
    origin = table.provenance(content)
    task = _checked_task(task_id, origin)
    _check_rows(content, task_id, task.seed)
    return Result(task=task, content=content, origin=origin)


def _check_columns(found: pa.Schema, expected: pa.Schema) -> None:
    if found.remove_metadata() != expected:
        raise ValueError(f"its columns are {', '.join(found.names) or 'none'}")


def _checked_task(task_id: str, origin: JsonObject) -> Task:
    if origin.get("schema_version") != table.SCHEMA_VERSION:
        raise ValueError(
            f"its schema has version {origin.get('schema_version')}; "
            f"expected {table.SCHEMA_VERSION}"
        )
    task = Task.from_json(json.dumps(origin["task"]))
    _check_owner({task.task_id, origin["task_id"]}, task_id)
    _check_groups(origin)
    return task


def _check_groups(origin: JsonObject) -> None:
    """Whether it tells as we do what it was made with; an early result tells less."""
    for group in (*provenance.GROUPS, *_NAMED):
        told = origin.get(group, {})
        if not isinstance(told, dict):
            raise ValueError(f"its {group} are {_shortened(told)}; expected an object of names")
    for group in provenance.GROUPS:
        for name, version in origin.get(group, {}).items():
            if not isinstance(version, str):
                raise ValueError(
                    f"its {group} give {_shortened(name)} as {_shortened(version)}; expected a text"
                )


def _shortened(told: object) -> str:
    return reprlib.repr(told)


def _check_rows(content: pa.Table, task_id: str, seed: int) -> None:
    _check_owner(set(content["task_id"].unique().to_pylist()), task_id)
    if not set(content["seed"].unique().to_pylist()) <= {seed}:
        raise ValueError(f"it has rows of other seeds than {seed}")


def _check_owner(found: set[str], task_id: str) -> None:
    if not found <= {task_id}:
        raise ValueError(f"it is that of task {min(found - {task_id})}")


def examine(store: Store, tasks: Iterable[Task]) -> Iterator[Result | ResultError | None]:
    """The result of each task as it is in a directory; None where there is none.

    In its place an error, where what is there is not the task's result.
    """
    there = {path.name for path in store.rows()}

    def one(task: Task) -> Result | ResultError | None:
        path = store.path(task.task_id)
        if path.name not in there:
            return None
        found = attempt(read, path)
        if task.arrays and isinstance(found, Result):
            arrays = store.path(task.task_id, ".arrays.parquet")
            beside = attempt(lambda path: read(path, table.ARRAYS), arrays)
            return beside if isinstance(beside, ResultError) else found
        return found

    return ahead(one, tasks, store.directory)


def attempt(function: Callable[[Place], T], path: Place) -> T | ResultError:
    """What a function reads from a file, or why the file cannot be relied on."""
    try:
        return function(path)
    except ResultError as error:
        return error


def read_all(paths: Iterable[Place], problems: list[str]) -> Iterator[Result]:
    """Read every file that can be relied on; what is wrong with the others is added to the list."""
    listed = list(paths)
    where = listed[0] if listed else Path()
    for found in ahead(lambda path: attempt(read, path), listed, where):
        if isinstance(found, ResultError):
            problems.append(f"{found}; it is left out")
        else:
            yield found


def versions_of(origin: JsonObject) -> Versions:
    """The versions that a result names, by group and program."""
    return tuple(
        (group, name, version)
        for group in provenance.GROUPS
        for name, version in sorted(origin.get(group, {}).items())
    )


def comparable(found: Result, parts: Collection[str]) -> Versions:
    """Those versions that are compared with what is here now.

    Of files and modules only those that the task of the result asks for, or its environment as it
    is now: the file of a result may name any, and none is read for that.

    Args:
        found: a result.
        parts: what its environment is made of now, as :func:`sources.named` calls it.
    """
    config = found.task.environment.config
    return tuple(
        each
        for each in versions_of(found.origin)
        if each[0] != "made_of" or each[1] in parts or sources.is_asked_for(each[1], config)
    )


def mixed_versions(found: Iterable[Versions]) -> str:
    """A sentence on programs that results were made with in several versions; or nothing."""
    counts = Counter((name, version) for own in found for _, name, version in own)
    names = Counter(name for name, _ in counts)
    parts = [
        f"{name} {version} in {count}"
        for (name, version), count in sorted(counts.items())
        if names[name] > 1
    ]
    return f"results were made with different versions: {', '.join(parts)}" if parts else ""


def other_versions(kept: Iterable[Versions]) -> str:
    """A sentence on results that other versions made than are installed; or nothing.

    Args:
        kept: of each result, what :func:`comparable` tells.
    """
    counts: Counter[str] = Counter()
    total = 0
    for own, count in Counter(kept).items():
        before: dict[str, dict[str, str]] = {group: {} for group in provenance.GROUPS}
        for group, name, version in own:
            before[group][name] = version
        made_of = {name: sources.content(name) for name in before["made_of"]}
        changed = provenance.changes(before, provenance.installed(before, made_of))
        counts.update(dict.fromkeys(changed, count))
        total += count if changed else 0
    if not total:
        return ""
    listed = ", ".join(f"{change} ({count})" for change, count in counts.items())
    return f"{total} of the results that are kept were made with other versions: {listed}"
