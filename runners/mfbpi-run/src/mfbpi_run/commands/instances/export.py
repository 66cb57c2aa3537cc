"""``mfbpi export``: a model written to a file."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import click

from mfbpi.execute.working import compiled
from mfbpi.instances import environment_files, instance
from mfbpi_core.plugins.registry import Registry
from mfbpi_run.arguments import instance_options
from mfbpi_run.command import PATH, Command
from mfbpi_run.screen.output import say, warn_of_problems


@click.command(cls=Command, name="export")
@instance_options.instance
@click.option(
    "--out",
    required=True,
    type=PATH,
    metavar="FILE",
    help="Where to; the ending says the format: .npz, .csv, .json, .parquet, .drn, .mdp.",
)
def export(out: Path, **where: Unpack[instance_options.Where]) -> None:
    """Write the model of an environment, or of another file, to a file.

    Example: mfbpi export --env riverswim -E n_states=20 --out riverswim.csv
    """
    registry = Registry.discover()
    warn_of_problems(registry)
    compiled.find_place(registry)
    found = instance.find(registry, **where)
    environment_files.write(registry, found.mdp, found.environment, found.discount, out)
    say(
        f"{found.label}: {found.mdp.n_states} states, {found.mdp.n_actions} actions; written: {out}"
    )
