"""The table of a run: its schema, its provenance, and its content as Parquet."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from mfbpi.results.storage import columns as columns_of
from mfbpi.results.storage import files
from mfbpi.results.storage.places import Place
from mfbpi_core.data.arrays import Array
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.data.row import Row
from mfbpi_core.data.task import Task

#: Version of the schema below; readers refuse what they do not know.
SCHEMA_VERSION = 1

#: Key of the file's metadata under which the provenance is kept, as JSON.
METADATA_KEY = b"mfbpi"

#: Key under which the recommended policy is kept, as JSON, where states are integers.
POLICY_KEY = b"mfbpi.policy"

_TEXT = pa.dictionary(pa.int32(), pa.string())

_RUN = [("task_id", _TEXT), ("agent", _TEXT), ("env", _TEXT), ("seed", pa.int64())]


def _schema(*fields: tuple[str, pa.DataType]) -> pa.Schema:
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in fields])


#: One number a row: ``metric`` had ``value`` after ``step`` steps and ``episode`` episodes.
ROWS = _schema(
    *_RUN,
    ("step", pa.int64()),
    ("episode", pa.int64()),
    ("metric", _TEXT),
    ("value", pa.float64()),
    ("elapsed_s", pa.float64()),
)

#: One array a row, at the end of the run: ``values`` in C order, of the given ``shape``.
ARRAYS = _schema(
    *_RUN,
    ("metric", _TEXT),
    ("array", _TEXT),
    ("shape", pa.list_(pa.int64())),
    ("values", pa.list_(pa.float64())),
)


def rows_table(
    task: Task,
    rows: Sequence[Row],
    provenance: Mapping[str, object],
    policy: Mapping[str, object] | None = None,
) -> pa.Table:
    """The measurements of one task, in the schema :data:`ROWS`.

    Args:
        task: the task.
        rows: what was measured.
        provenance: how it was made.
        policy: what it recommends in the end, beside the rows; None for nothing.
    """
    columns = {
        **_run_columns(task, len(rows)),
        "step": [row.step for row in rows],
        "episode": [row.episode for row in rows],
        "metric": [row.metric for row in rows],
        "value": [row.value for row in rows],
        "elapsed_s": [row.elapsed_s for row in rows],
    }
    made = _table(columns, ROWS, provenance)
    if policy is None:
        return made
    metadata = {**made.schema.metadata, POLICY_KEY: json.dumps(policy).encode()}
    return made.replace_schema_metadata(metadata)


def arrays_table(
    task: Task,
    arrays: Mapping[tuple[str, str], Array],
    provenance: Mapping[str, object],
) -> pa.Table:
    """The arrays of one task by (metric, array), in the schema :data:`ARRAYS`."""
    values = [np.asarray(array, dtype=np.float64) for array in arrays.values()]
    columns = {
        **_run_columns(task, len(values)),
        "metric": [metric for metric, _ in arrays],
        "array": [name for _, name in arrays],
        "shape": [list(array.shape) for array in values],
        "values": [array.ravel() for array in values],
    }
    return _table(columns, ARRAYS, provenance)


def _run_columns(task: Task, n: int) -> dict[str, list[Any]]:
    return {
        "task_id": [task.task_id] * n,
        "agent": [task.agent.shown] * n,
        "env": [task.environment.shown] * n,
        "seed": [task.seed] * n,
    }


def _table(
    columns: Mapping[str, list[Any]], schema: pa.Schema, provenance: Mapping[str, object]
) -> pa.Table:
    arrays = [columns_of.column(columns[field.name], field.type) for field in schema]
    return with_provenance(pa.Table.from_arrays(arrays, schema=schema), provenance)


def with_provenance(content: pa.Table, provenance: Mapping[str, object]) -> pa.Table:
    """The table, saying how it was made."""
    metadata = {METADATA_KEY: json.dumps(provenance, sort_keys=True).encode()}
    return content.replace_schema_metadata(metadata)


def to_bytes(table: pa.Table) -> bytes:
    """The content of a Parquet file."""
    buffer = io.BytesIO()
    pq.write_table(table, buffer, write_page_checksum=True)
    return buffer.getvalue()


def read(path: Place) -> pa.Table:
    """Read a file of results."""
    # Not through a path: pyarrow would read partitions out of names such as "env=x". Without
    # threads: Arrow's pool can abort a process that ends while they start.
    return from_bytes(files.read_regular(path))


def from_bytes(content: bytes) -> pa.Table:
    """The table that :func:`to_bytes` made a file of."""
    return _opened(content).read(use_threads=False)


def look(path: Place) -> tuple[int, pa.Schema]:
    """Number of rows and schema of a file of results, whose rows are not read."""
    source = _opened(files.read_regular(path))
    return source.metadata.num_rows, source.schema_arrow


def _opened(content: bytes) -> pq.ParquetFile:
    return pq.ParquetFile(io.BytesIO(content), pre_buffer=False, page_checksum_verification=True)


def provenance(table: pa.Table) -> JsonObject:
    """What the file says about how it was made."""
    return origin_of(table.schema)


def origin_of(schema: pa.Schema) -> JsonObject:
    """The same, where there is its schema alone."""
    return dict(json.loads((schema.metadata or {}).get(METADATA_KEY, b"{}")))


def task_of(table: pa.Table) -> Task:
    """The task whose results a file holds."""
    return task_in(provenance(table))


def task_in(origin: JsonObject) -> Task:
    """The task that a provenance names."""
    return Task.from_json(json.dumps(origin["task"]))


def concatenate(tables: Sequence[pa.Table]) -> pa.Table:
    """One table of several runs, each with its provenance under its task's identifier."""
    runs = {}
    for table in tables:
        origin = provenance(table)
        runs[origin.get("task_id", "")] = origin
    joined = pa.concat_tables([table.replace_schema_metadata(None) for table in tables])
    metadata = {METADATA_KEY: json.dumps({"schema_version": SCHEMA_VERSION, "runs": runs}).encode()}
    return joined.unify_dictionaries().combine_chunks().replace_schema_metadata(metadata)
