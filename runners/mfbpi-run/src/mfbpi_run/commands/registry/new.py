"""``mfbpi new``: the scaffold of a plugin."""

from __future__ import annotations

from pathlib import Path

import click

from mfbpi_core.plugins.kinds import kind_called
from mfbpi_core.plugins.registry import Registry
from mfbpi_run import scaffold
from mfbpi_run.command import PATH, KindCommand
from mfbpi_run.screen.output import say, warn


@click.command(cls=KindCommand, name="new", kinds=scaffold.offered)
@click.argument("kind")
@click.argument("name")
@click.option(
    "--out",
    type=PATH,
    metavar="DIR",
    help="Folder of the package. Default: one called as the distribution.",
)
def new(kind: str, name: str, out: Path | None) -> None:
    """Write a new plugin, called NAME, of a KIND: a package that installs, runs and is checked."""
    kind = kind_called(kind, scaffold.offered()).name
    distribution = scaffold.distribution(kind, name)
    for message in scaffold.clashes(Registry.discover(), kind, name):
        warn(message)
    folder = out or Path(distribution)
    for path in scaffold.write(kind, name, folder):
        say(f"wrote {path}")
    say(f"next: python -m pip install -e {folder} && mfbpi check {distribution}")
