"""``mfbpi collect``: one table of all the results in one or several directories."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import attrs
import click
import pyarrow as pa
import pyarrow.csv

from mfbpi.results import manifest, table
from mfbpi.results import reading as results
from mfbpi.results.directory import MANIFEST, Store, unwritable
from mfbpi.results.files import atomic_write
from mfbpi.results.reading import Result
from mfbpi_core.errors import UsageError
from mfbpi_run.command import Command
from mfbpi_run.output import note, say, show_json, warn

_NAME = "_collected.parquet"

_SUFFIXES = (".parquet", ".csv")


@click.command(cls=Command, name="collect")
@click.argument(
    "directories", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="DIRECTORY..."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=f"File to write, .parquet or .csv. Default: {_NAME} in the directory, if it is one.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def collect(directories: tuple[Path, ...], out: Path | None, as_json: bool) -> None:
    """Join the results in each DIRECTORY into one table, sorted by agent, environment and seed."""
    target = _target(directories, out)
    found = [_Found.read(directory) for directory in directories]
    everything = [result for each in found for result in each.results]
    joined, n_tasks = _joined(everything)
    content = _csv(joined) if target.suffix.lower() == ".csv" else table.to_bytes(joined)
    try:
        atomic_write(target, content)
    except OSError as error:
        raise unwritable(target, error) from error
    planned = _planned(found, len(everything) - n_tasks)
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
    if beside and not out.name.startswith(("_", ".")):
        raise UsageError(
            f"--out {out} would be read as a part of the results beside it; begin its name "
            "with _ or write elsewhere"
        )
    return out


@attrs.frozen(kw_only=True, eq=False)
class _Found:
    """The results of a directory, and how many there will be; None where that is not said."""

    results: list[Result]
    planned: int | None

    @classmethod
    def read(cls, directory: Path) -> _Found:
        """Read what is there, and say what is not."""
        store = Store(directory)
        problems: list[str] = []
        found = list(results.read_all(store.rows(), problems))
        for problem in problems:
            warn(problem)
        if not found:
            raise UsageError(
                f"{directory} holds no results; give a directory that `mfbpi run` wrote"
            )
        planned = manifest.planned(directory)
        cls._say(directory, len(found), planned, len(store.errors()))
        return cls(results=found, planned=planned)

    @staticmethod
    def _say(directory: Path, n_found: int, planned: int | None, failed: int) -> None:
        if failed:
            warn(f"{directory}: {failed} tasks failed and are not in the table")
        if planned is None:
            warn(f"{directory} does not say how many tasks it should have: some may be missing")
        elif n_found < planned:
            warn(f"{directory} has {n_found} of {planned} tasks; the others are not done")
        elif n_found > planned:
            warn(f"{directory} has {n_found} tasks, more than the {planned} of its {MANIFEST}")


def _planned(found: Sequence[_Found], repeated: int) -> int | None:
    """How many tasks there will be in all; None where a directory does not say, or is wrong."""
    total = 0
    for each in found:
        if each.planned is None or each.planned < len(each.results):
            return None
        total += each.planned
    return total - repeated


def _joined(found: Sequence[Result]) -> tuple[pa.Table, int]:
    """One table, each task once, and the number of tasks."""
    once = {result.task.task_id: result for result in reversed(found)}
    repeated = len(found) - len(once)
    if repeated:
        warn(f"{repeated} tasks are in several directories; each is in the table once")
    message = results.mixed_versions(results.versions_of(each.origin) for each in once.values())
    if message:
        note(message)
    return collected(list(once.values())), len(once)


def collected(found: Sequence[Result]) -> pa.Table:
    """The tables of these results in one, in an order that does not depend on who wrote first."""
    return table.concatenate([result.content for result in sorted(found, key=_place)])


def _place(result: Result) -> tuple[str, str, int, str]:
    task = result.task
    return (task.agent.shown, task.environment.shown, task.seed, task.task_id)


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
