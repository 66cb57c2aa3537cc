"""``mfbpi collect``: one table of all the results in a directory."""

from __future__ import annotations

from pathlib import Path

import click
import pyarrow as pa

from mfbpi_core.errors import UsageError
from mfbpi_run import table
from mfbpi_run.output import show_json, warn
from mfbpi_run.store import Store, atomic_write, unwritable

_NAME = "collected.parquet"


@click.command(name="collect")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE.parquet",
    help=f"File to write. Default: {_NAME} in the directory.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def collect(directory: Path, out: Path | None, as_json: bool) -> None:
    """Join the results in DIRECTORY into one table, sorted by agent, environment and seed."""
    files = Store(directory).results()
    rows = [f for f in files if f.suffix == ".parquet" and ".arrays" not in f.suffixes]
    failed = sum(f.suffix == ".json" for f in files)
    if not rows:
        raise UsageError(f"{directory} holds no results; give a directory that `mfbpi run` wrote")
    if failed:
        warn(f"{failed} tasks failed and are not in the table")
    joined = collected(rows)
    target = out or directory / _NAME
    try:
        atomic_write(target, table.to_bytes(joined))
    except OSError as error:
        raise unwritable(target, error) from error
    if as_json:
        show_json({"out": str(target), "tasks": len(rows), "rows": joined.num_rows})
    else:
        click.echo(f"{joined.num_rows} rows of {len(rows)} tasks: {target}")


def collected(files: list[Path]) -> pa.Table:
    """The tables of these files in one, in an order that does not depend on who wrote first."""
    tables = [table.read(file) for file in files]
    return table.concatenate(sorted(tables, key=_place))


def _place(content: pa.Table) -> tuple[str, str, int, str]:
    task = table.task_of(content)
    return (task.agent.shown, task.environment.shown, task.seed, task.task_id)
