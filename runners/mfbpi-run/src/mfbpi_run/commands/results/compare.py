"""``mfbpi compare``: which agent is better, as far as the seeds allow to say."""

from __future__ import annotations

import attrs
import click

from mfbpi.results.comparing.contrasts import BY_SEED, COLUMNS, INDEPENDENT
from mfbpi.results.loaded import load
from mfbpi.results.storage.places import Place
from mfbpi_run.command import PLACE, Command
from mfbpi_run.screen.output import note, show_json, show_table


@click.command(cls=Command, name="compare")
@click.argument("directories", type=PLACE, nargs=-1, required=True, metavar="DIRECTORY...")
@click.option(
    "--metric",
    required=True,
    metavar="NAME",
    help="The column to compare, at the end of each run: successes, value_ratio, stopping_time...",
)
@click.option(
    "--reaches",
    metavar="LEVEL",
    help="Compare the first evaluation from which on the column is at the level until the end of "
    "the run, by ranks: '>=0.99', '<=0.05'; a number alone means >=.",
)
@click.option(
    "--baseline",
    metavar="AGENT",
    help="Compare every other agent against this one. Default: each with each.",
)
@click.option(
    "--contrast",
    "contrasts",
    nargs=2,
    multiple=True,
    metavar="AGENT AGENT",
    help="Compare the first against the second, and no others; several of them are one family.",
)
@click.option(
    "--pairs",
    type=click.Choice([BY_SEED, INDEPENDENT]),
    help="How runs belong together. Default: by seed where two agents have the same seeds.",
)
@click.option(
    "--level",
    type=float,
    default=0.05,
    show_default=True,
    help="Of significance, for all verdicts.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def compare(
    directories: tuple[Place, ...],
    metric: str,
    reaches: str | None,
    baseline: str | None,
    contrasts: tuple[tuple[str, str], ...],
    pairs: str | None,
    level: float,
    as_json: bool,
) -> None:
    """Compare the agents in each DIRECTORY: permutation tests over seeds, corrected together.

    Example: mfbpi compare results/k2 --metric value_ratio --baseline psrl

    How soon, and not how well: mfbpi compare results/k2 --metric value_ratio --reaches '>=0.99'
    """
    found = load(*directories).compare(
        metric,
        reaches=reaches,
        baseline=baseline,
        contrasts=contrasts,
        pairs=pairs,
        level=level,
    )
    if as_json:
        told = [{**attrs.asdict(c), "verdict": c.verdict} for c in found.contrasts]
        what = {"metric": metric, "reaches": found.reaches}
        show_json({**what, "contrasts": told, "notes": found.notes})
        return
    rows = [each.cells for each in found.contrasts]
    show_table(COLUMNS, rows, right=COLUMNS[3:8], wrap=COLUMNS[:3], caption=found.caption)
    for each in found.notes:
        note(each)
