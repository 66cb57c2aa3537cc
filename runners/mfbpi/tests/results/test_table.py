"""Schema and provenance of the tables."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from mfbpi.results.storage import columns, table
from mfbpi_core.data.row import Row
from mfbpi_core.data.task import PluginRef, Task

TASK = Task(
    agent=PluginRef(name="biased"),
    environment=PluginRef(name="ring"),
    metrics=(),
    seed=7,
    horizon=10,
    eval_every=5,
    discount=0.9,
)

ROWS = [
    Row(step=0, episode=0, metric="rate", value=0.25, elapsed_s=0.0),
    Row(step=5, episode=1, metric="rate", value=0.5, elapsed_s=0.125),
]


def test_rows_survive_the_file(tmp_path: Path) -> None:
    """Types, values and provenance are those that were written."""
    made = table.rows_table(TASK, ROWS, {"schema_version": 1})
    path = tmp_path / "x.parquet"
    path.write_bytes(table.to_bytes(made))
    read = table.read(path)

    assert read.schema.remove_metadata() == table.ROWS
    assert table.provenance(read) == {"schema_version": 1}
    assert read.to_pylist()[1] == {
        "task_id": TASK.task_id,
        "agent": "biased",
        "env": "ring",
        "seed": 7,
        "step": 5,
        "episode": 1,
        "metric": "rate",
        "value": 0.5,
        "elapsed_s": 0.125,
    }


def test_text_columns_are_dictionary_encoded() -> None:
    """Names are stored once, not once a row."""
    schema = table.rows_table(TASK, ROWS, {}).schema

    for name in ("task_id", "agent", "env", "metric"):
        assert pa.types.is_dictionary(schema.field(name).type)


def test_run_without_rows_has_the_same_schema() -> None:
    """When no metric applies the table is empty and still readable."""
    made = table.rows_table(TASK, [], {})

    assert made.num_rows == 0
    assert made.schema.remove_metadata() == table.ROWS


def test_arrays_keep_shape_and_order() -> None:
    """Values are in C order."""
    arrays = {("visits", "counts"): np.array([[1, 2, 3], [4, 5, 6]])}
    made = table.arrays_table(TASK, arrays, {})

    assert made.column("shape").to_pylist() == [[2, 3]]
    assert made.column("values").to_pylist() == [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]]
    assert made.column("array").to_pylist() == ["counts"]


def test_columns_are_what_arrow_makes_of_the_values() -> None:
    """Types, values, dictionaries and lists, and those without anything in them."""
    made: list[tuple[list[object], pa.DataType]] = [
        (["b", "ä", "b", ""], pa.string()),
        ([-(2**63), 0, np.int64(3), 2**63 - 1], pa.int64()),
        ([0.1, np.float32(0.5), float("-inf"), 7], pa.float64()),
        ([[2, 3], [], [5]], pa.list_(pa.int64())),
        ([np.array([0.5, 1.0]), np.empty(0)], pa.list_(pa.float64())),
    ]
    for values, kind in [*made, *(([], kind) for _, kind in made)]:
        expected = pa.array(values, kind)
        is_text = pa.types.is_string(kind)
        if is_text:
            kind, expected = pa.dictionary(pa.int32(), kind), expected.dictionary_encode()
        found = columns.column(values, kind)

        found.validate(full=True)
        assert found.type == expected.type
        assert found.equals(expected)


@pytest.mark.parametrize("values", [[1.5], ["1"], [None]])
def test_what_is_no_integer_is_refused(values: list[object]) -> None:
    """Nothing is rounded or parsed on the way to a table."""
    with pytest.raises(TypeError):
        columns.column(values, pa.int64())


def test_storing_imports_no_pandas() -> None:
    """It takes as long to import as a short run."""
    code = (
        "import sys; import numpy as np; from mfbpi.results.storage import table\n"
        "from mfbpi_core.data.row import Row; from mfbpi_core.data.task import PluginRef, Task\n"
        "ref = PluginRef(name='a')\n"
        "task = Task(agent=ref, environment=ref, metrics=(), seed=7, horizon=10, eval_every=5,\n"
        "            discount=0.9)\n"
        "row = Row(step=0, episode=0, metric='rate', value=0.25, elapsed_s=0.0)\n"
        "rows = table.rows_table(task, [row], {})\n"
        "arrays = table.arrays_table(task, {('visits', 'counts'): np.eye(2)}, {})\n"
        "for each in (rows, arrays):\n"
        "    assert table.from_bytes(table.to_bytes(each)).num_rows == 1\n"
        "assert 'pandas' not in sys.modules\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr


def test_concatenation_keeps_every_provenance() -> None:
    """Rows follow one another, and each run's origin is found under its identifier."""
    tables = [
        table.rows_table(TASK, ROWS, {"task_id": "a", "n": 1}),
        table.rows_table(TASK, ROWS[:1], {"task_id": "b", "n": 2}),
    ]
    joined = table.concatenate(tables)

    assert joined.num_rows == 3
    assert table.provenance(joined)["runs"] == {
        "a": {"task_id": "a", "n": 1},
        "b": {"task_id": "b", "n": 2},
    }


def test_pandas_reads_it(tmp_path: Path) -> None:
    """As the documentation shows."""
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "x.parquet"
    path.write_bytes(table.to_bytes(table.rows_table(TASK, ROWS, {})))
    frame = pandas.read_parquet(path)

    assert frame["value"].tolist() == [0.25, 0.5]
    assert frame["metric"].tolist() == ["rate", "rate"]


def test_reading_starts_no_threads(tmp_path: Path) -> None:
    """Arrow's thread pool can abort a process that ends while its threads start."""
    file = tmp_path / "rows.parquet"
    file.write_bytes(table.to_bytes(pa.table({"value": [1.0, 2.0]})))
    code = (
        "import os, pathlib, sys; from mfbpi.results.storage import table; "
        "count = lambda: len(os.listdir('/proc/self/task')); before = count(); "
        "table.read(pathlib.Path(sys.argv[1])); sys.exit(count() - before)"
    )

    assert subprocess.run([sys.executable, "-c", code, str(file)], check=False).returncode == 0
