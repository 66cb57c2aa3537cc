"""``mfbpi collect``: one table of all the results in one or several directories."""

from __future__ import annotations

import click

from mfbpi.results.collecting import sinks
from mfbpi.results.collecting.collect import ALL, PARTED, RUNS
from mfbpi.results.collecting.collect import collect as join
from mfbpi.results.storage.places import Place
from mfbpi_run.command import PLACE, Command
from mfbpi_run.screen.output import say, show_json


@click.command(cls=Command, name="collect")
@click.argument("directories", type=PLACE, nargs=-1, required=True, metavar="DIRECTORY...")
@click.option(
    "--out",
    type=PLACE,
    metavar="FILE",
    help=f"File to write, .parquet or .csv. Default: {ALL} in the directory, if it is one.",
)
@click.option(
    "--partition",
    metavar="KEYS",
    help=f"Write a data set parted by some of {','.join(sinks.KEYS)}: a folder, {PARTED} in the "
    "directory or --out.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def collect(
    directories: tuple[Place, ...], out: Place | None, partition: str | None, as_json: bool
) -> None:
    """Join the results in each DIRECTORY into one table, sorted by agent, environment and seed."""
    keys = [] if partition is None else [key.strip() for key in partition.split(",")]
    found = join(*directories, out=out, partition=keys)
    if as_json:
        told = {"tasks": found.n_tasks, "planned": found.planned, "rows": found.n_rows}
        show_json({"out": str(found.path), **told})
    else:
        of = f"{found.n_tasks}" if found.planned is None else f"{found.n_tasks} of {found.planned}"
        say(f"{found.n_rows} rows of {of} tasks: {found.path}")
        if out is None:
            say(f"one row for each task: {directories[0] / RUNS}")
