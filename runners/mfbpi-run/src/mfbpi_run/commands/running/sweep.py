"""``mfbpi sweep``: an experiment by name, or a grid written in a TOML file."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from mfbpi.execute.working import compiled
from mfbpi.plan import experiments
from mfbpi.results.drawing import figures
from mfbpi.results.storage.places import Place
from mfbpi_core.contracts.experiment import Experiment
from mfbpi_core.plugins.registry import Registry
from mfbpi_run import job, study_report
from mfbpi_run.arguments.options import (
    KeepsArguments,
    execution,
    execution_and_shown,
    note_on_seeds,
)
from mfbpi_run.screen.output import note, tell, warn_of_problems

_EPILOG = """
Example: mfbpi sweep paper/bounds --quick

Exit codes: 0 all done, 1 some task failed, 2 bad usage, 130 interrupted.
"""


@click.command(cls=KeepsArguments, name="sweep", epilog=_EPILOG)
@click.argument("what", metavar="EXPERIMENT|FILE.toml")
@click.option("--quick", is_flag=True, help="The small size of an experiment.")
@click.option("--seeds", metavar="SEEDS", help="Other seeds: 0:10, 3, or 0,2,5.")
@execution
@click.pass_context
def sweep(ctx: click.Context, /, what: str, quick: bool, seeds: str | None, **options: Any) -> int:
    """Run an experiment (see `mfbpi list experiment`), or the grid of a TOML file.

    Writes Parquet tables, and the experiment's figures as PNG files.
    """
    registry = Registry.discover()
    warn_of_problems(registry)
    compiled.find_place(registry)
    experiment = experiments.find(registry, what, quick)
    finish = partial(_finish, experiment) if options["shard"] is None else None
    how, shown = execution_and_shown(ctx, options, finish=finish)
    if experiment.runs is None:
        experiments.refuse_for_studies(what, seeds, how)
        return study_report.run(registry, what, experiment, how, shown)
    planned = experiments.planned(registry, experiment, seeds)
    note_on_seeds(seeds)
    return job.run(registry, planned, how, shown)


def _finish(experiment: Experiment, directory: Place) -> None:
    """Draw the figures, and say what a reader of the results should know."""
    for path in figures.draw_runs(experiment.figures, directory):
        tell(f"figure: {path}")
    if experiment.notes:
        note(experiment.notes)
