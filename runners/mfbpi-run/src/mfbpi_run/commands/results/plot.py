"""``mfbpi plot``: figures of runs."""

from __future__ import annotations

import click

from mfbpi.results.drawing import plots
from mfbpi.results.drawing.plots import Statistic
from mfbpi.results.loaded import load
from mfbpi.results.storage.directory import FIGURES
from mfbpi.results.storage.places import Place
from mfbpi_core.errors import UsageError
from mfbpi_core.plugins.registry import Registry
from mfbpi_run.command import PLACE, Command
from mfbpi_run.screen.output import note, say, show_json, warn_of_problems


@click.command(cls=Command, name="plot")
@click.argument("directories", type=PLACE, nargs=-1, required=True, metavar="DIRECTORY...")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="A metric, or one of its columns. Default: all that was measured.",
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(plots.KINDS),
    help="Learning curves, final scores, the share of runs that have stopped (of runs with "
    "--stop), or maps of visits and allocations (of runs with --arrays). "
    "Default: all; with --metric curves and scores.",
)
@click.option(
    "--statistic",
    type=click.Choice(["mean", "median"]),
    default="mean",
    show_default=True,
    help="Over seeds: mean with a t-interval, median with a bootstrap interval.",
)
@click.option(
    "--format",
    "suffix",
    type=click.Choice(["svg", "png", "pdf"]),
    default="svg",
    show_default=True,
    help="Of the files.",
)
@click.option(
    "--out",
    type=PLACE,
    metavar="DIR",
    help=f"Directory to write to. Default: {FIGURES} in the directory of results, if it is one.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def plot(
    directories: tuple[Place, ...],
    metrics: tuple[str, ...],
    kinds: tuple[plots.Kind, ...],
    statistic: Statistic,
    suffix: str,
    out: Place | None,
    as_json: bool,
) -> None:
    """Draw the results in each DIRECTORY, together.

    Example: mfbpi plot results/k2 --metric value_ratio --format png
    """
    if out is None and len(directories) > 1:
        raise UsageError("several directories are given; say with --out DIR where to write")
    registry = Registry.discover()
    warn_of_problems(registry)
    drawn = plots.plot(
        load(*directories),
        metrics=metrics,
        kinds=kinds,
        statistic=statistic,
        registry=registry,
    )
    paths = drawn.save(out or directories[0] / FIGURES, suffix)
    for each in drawn.notes:
        note(each)
    if as_json:
        show_json({"figures": [str(path) for path in paths], "notes": drawn.notes})
    else:
        for path in paths:
            say(str(path))
