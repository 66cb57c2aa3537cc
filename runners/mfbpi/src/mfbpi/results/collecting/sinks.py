"""Where a stream of rows goes: a Parquet file, a CSV file, or a folder of Parquet files by key."""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from mfbpi.results.storage import files, table
from mfbpi.results.storage.places import Place
from mfbpi_core.errors import UsageError

#: Columns by which a folder may be parted, in the order of its levels.
KEYS = ("agent", "env", "metric")

#: Open files at the same time, in a folder by key.
_MOST_OPEN = 500


class Sink(Protocol):
    """Takes batches of rows in their order, in the schema of rows."""

    def write(self, batch: pa.Table) -> None:
        """Take some."""


@contextmanager
def parquet(path: Place, metadata: Mapping[bytes, bytes]) -> Iterator[Sink]:
    """One Parquet file, there when the block has ended."""
    schema = table.ROWS.with_metadata(dict(metadata))
    with (
        files.atomic_stream(path) as stream,
        pq.ParquetWriter(stream, schema, write_page_checksum=True) as writer,
    ):
        yield _Writer(writer, schema)


@contextmanager
def csv(path: Place) -> Iterator[Sink]:
    """One CSV file with a line of headings."""
    schema = _plain(table.ROWS)
    with (
        files.atomic_stream(path) as stream,
        pyarrow.csv.CSVWriter(stream, schema) as writer,
    ):
        yield _Writer(writer, schema)


@contextmanager
def partitioned(folder: Place, keys: Sequence[str]) -> Iterator[Sink]:
    """A folder ``agent=.../env=.../rows.parquet``, as DuckDB, polars, pandas and Arrow read it.

    It is there when the block has ended; one that was there before is replaced.

    Raises:
        UsageError: when a key is no column to part by.
    """
    wrong = [key for key in keys if key not in KEYS]
    if wrong or len(set(keys)) < len(keys) or not keys:
        raise UsageError(
            f"`partition` is {','.join(keys)!r}; expected some of {','.join(KEYS)}, each once"
        )
    with files.atomic_folder(folder) as place:
        sink = _Parted(place, [key for key in KEYS if key in keys])
        try:
            yield sink
        finally:
            sink.close()


class _Writer:
    """A writer of Arrow's."""

    def __init__(self, writer: Any, schema: pa.Schema) -> None:
        self._writer, self._schema = writer, schema

    def write(self, batch: pa.Table) -> None:
        """Take some."""
        self._writer.write_table(batch.cast(self._schema))


class _Parted:
    """Each combination of keys has a file, which is open until too many are."""

    def __init__(self, folder: Path, keys: Sequence[str]) -> None:
        self._folder, self._keys = folder, keys
        self._open: dict[tuple[str, ...], pq.ParquetWriter] = {}
        self._parts: dict[tuple[str, ...], int] = {}
        names = [name for name in table.ROWS.names if name not in keys]
        self._schema = pa.schema([table.ROWS.field(name) for name in names])

    def write(self, batch: pa.Table) -> None:
        """Take some."""
        plain = [batch[key].cast(pa.string()) for key in self._keys]
        found = pa.table(plain, list(self._keys)).group_by(self._keys).aggregate([])
        for row in found.to_pylist():
            wanted = tuple(row[key] for key in self._keys)
            mask = None
            for values, value in zip(plain, wanted, strict=True):
                equal = pc.equal(values, value)
                mask = equal if mask is None else pc.and_(mask, equal)
            own = batch.filter(mask).select(self._schema.names).cast(self._schema)
            self._writer(wanted).write_table(own)

    def _writer(self, wanted: tuple[str, ...]) -> pq.ParquetWriter:
        if wanted not in self._open:
            if len(self._open) >= _MOST_OPEN:
                self.close()
            number = self._parts[wanted] = self._parts.get(wanted, -1) + 1
            levels = zip(self._keys, wanted, strict=True)
            place = self._folder.joinpath(
                *(f"{key}={urllib.parse.quote(value, safe='')}" for key, value in levels)
            )
            place.mkdir(parents=True, exist_ok=True)
            path = place / f"rows-{number}.parquet"
            self._open[wanted] = pq.ParquetWriter(str(path), self._schema)
        return self._open[wanted]

    def close(self) -> None:
        """Complete the files that are open."""
        while self._open:
            self._open.popitem()[1].close()


def _plain(schema: pa.Schema) -> pa.Schema:
    """The schema without encoded dictionaries."""
    return pa.schema(
        pa.field(field.name, field.type.value_type)
        if pa.types.is_dictionary(field.type)
        else pa.field(field.name, field.type)
        for field in schema
    )
