"""What all subcommands have in common."""

from __future__ import annotations

from typing import Any

import click

from mfbpi_run.streams import plugins_aside

#: ``-h`` is ``--help`` everywhere.
HELP = {"help_option_names": ["-h", "--help"]}


class Command(click.Command):
    """A command whose standard output is its own, whatever plugins print."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **{"context_settings": HELP, **settings})

    def invoke(self, ctx: click.Context) -> Any:
        """Run it."""
        with plugins_aside():
            return super().invoke(ctx)
