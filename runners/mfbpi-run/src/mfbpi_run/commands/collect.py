"""``mfbpi collect``: one table of all the results in one or several directories."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import click
import pyarrow as pa
import pyarrow.csv

from mfbpi.results.collected import Found, collected, once_each, planned_in_all
from mfbpi.results.storage import table
from mfbpi.results.storage.directory import COLLECTED, MANIFEST, Store, unwritable
from mfbpi.results.storage.files import atomic_write, make_folder
from mfbpi_core.errors import UsageError
from mfbpi_run.command import PATH, Command
from mfbpi_run.screen.output import say, show_json

#: In a folder of its own: a reader's ``DIR/*.parquet`` would find ``DIR/_collected.parquet`` too.
_NAME = f"{COLLECTED}/all.parquet"

_SUFFIXES = (".parquet", ".csv")


@click.command(cls=Command, name="collect")
@click.argument("directories", type=PATH, nargs=-1, required=True, metavar="DIRECTORY...")
@click.option(
    "--out",
    type=PATH,
    metavar="FILE",
    help=f"File to write, .parquet or .csv. Default: {_NAME} in the directory, if it is one.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def collect(directories: tuple[Path, ...], out: Path | None, as_json: bool) -> None:
    """Join the results in each DIRECTORY into one table, sorted by agent, environment and seed."""
    target = _target(directories, out)
    found = [Found.read(directory) for directory in directories]
    everything = [result for each in found for result in each.results]
    once = once_each(everything)
    joined, n_tasks = collected(once), len(once)
    content = _csv(joined) if target.suffix.lower() == ".csv" else table.to_bytes(joined)
    try:
        if out is None:
            make_folder(target.parent)
        atomic_write(target, content)
    except OSError as error:
        raise unwritable(target, error) from error
    planned = planned_in_all(found, len(everything) - n_tasks)
    if as_json:
        told = {"tasks": n_tasks, "planned": planned, "rows": joined.num_rows}
        show_json({"out": str(target), **told})
    else:
        of = f"{n_tasks} of {planned}" if planned is not None else f"{n_tasks}"
        say(f"{joined.num_rows} rows of {of} tasks: {target}")


def _target(directories: Sequence[Path], out: Path | None) -> Path:
    """The file to write.

    Raises:
        UsageError: when it is not said, is of no known kind, or would be read as a result.
    """
    if out is None:
        if len(directories) > 1:
            raise UsageError("several directories are given; say with --out FILE where to write")
        return directories[0] / _NAME
    if out.suffix.lower() not in _SUFFIXES:
        raise UsageError(f"--out {out}: expected a name that ends in {' or '.join(_SUFFIXES)}")
    beside = Store(out.parent).rows() or (out.parent / MANIFEST).exists()
    is_csv = out.suffix.lower() == ".csv"
    if beside and not (is_csv and out.name.startswith(("_", "."))):
        advice = "begin its name with _" if is_csv else f"leave --out away for {_NAME} there"
        raise UsageError(
            f"--out {out} would be read as a part of the results beside it; {advice}, or write "
            "elsewhere"
        )
    return out


def _csv(joined: pa.Table) -> bytes:
    """The content of a CSV file, with a line of headings."""
    plain = pa.schema(
        pa.field(field.name, field.type.value_type)
        if pa.types.is_dictionary(field.type)
        else pa.field(field.name, field.type)
        for field in joined.schema
    )
    buffer = io.BytesIO()
    pyarrow.csv.write_csv(joined.replace_schema_metadata(None).cast(plain), buffer)
    return buffer.getvalue()
