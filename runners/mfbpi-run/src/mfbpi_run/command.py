"""What all subcommands have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from mfbpi_run.screen.streams import plugins_aside

#: ``-h`` is ``--help`` everywhere.
HELP = {"help_option_names": ["-h", "--help"]}


class _GivenPath(click.Path):
    """A path; an empty one, such as that of a shell variable that is not set, is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As click does, but for the empty text, which ``Path`` takes for the working directory."""
        if value == "":
            self.fail("it is empty; expected a path (. is the working directory).", param, ctx)
        if isinstance(value, str) and value.startswith("~"):  # no shell looks into --out=~/x
            # Imported here because help does without it.
            from mfbpi.results.storage.places import at_home

            value = str(at_home(value))
        return super().convert(value, param, ctx)


#: Type of every option and argument that is a path.
PATH = _GivenPath(path_type=Path)


class _GivenPlace(_GivenPath):
    """A path, or the URL of a place on another file system."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """A URL is one before click takes it for a path."""
        if not isinstance(value, str) or ":" not in value:
            return super().convert(value, param, ctx)
        # Imported here because help does without them.
        from mfbpi.results.storage.places import parse
        from mfbpi_core.errors import UsageError

        try:
            return parse(value)
        except UsageError as error:
            self.fail(str(error), param, ctx)


#: Type of every option and argument where results lie, or go to.
PLACE = _GivenPlace(path_type=Path)


class Command(click.Command):
    """A command whose standard output is its own, whatever plugins print."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **{"context_settings": HELP, **settings})

    def invoke(self, ctx: click.Context) -> Any:
        """Run it; what the library has to say is shown line by line."""
        # Imported here because help does without them.
        from mfbpi.notices import routed
        from mfbpi_run.screen.output import note, warn

        with plugins_aside(), routed(warn, note):
            return super().invoke(ctx)


class KindCommand(Command):
    """A command with an argument KIND, whose help lists the kinds that there are.

    Args:
        kinds: returns their names.
    """

    def __init__(
        self, *arguments: Any, kinds: Callable[[], Iterable[str]], **settings: Any
    ) -> None:
        super().__init__(*arguments, **settings)
        self.kinds = kinds

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The kinds."""
        self.epilog = f"KIND is one of: {', '.join(self.kinds())}."
        super().format_epilog(ctx, formatter)
