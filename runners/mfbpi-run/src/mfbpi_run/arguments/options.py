"""The options of commands that run things, and the message on how to continue one."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
import click

from mfbpi.api.given import MEANT_AS_NUMBERS
from mfbpi.execute.settings import Execution
from mfbpi.results.storage.places import Place
from mfbpi_core.contracts.experiment import RunSettings
from mfbpi_run.arguments import declared
from mfbpi_run.arguments.declared import Function, Option
from mfbpi_run.command import Command
from mfbpi_run.job import Shown
from mfbpi_run.screen.output import note

_ARGUMENTS = "mfbpi_run.arguments"

#: Options that the message on how to continue sets itself.
_REPLACED = ("--out", "--if-exists")

#: What a command shows, see :class:`mfbpi_run.job.Shown`.
_SHOWN = (
    click.option("--dry-run", is_flag=True, help="Show the plan; run and write nothing."),
    click.option(
        "--json", "as_json", is_flag=True, help="Print one JSON object on standard output."
    ),
    click.option("--quiet", is_flag=True, help="Show no progress bar."),
)


def execution(command: Function) -> Function:
    """Give a command the options that say how it is carried out and what it shows."""
    every: list[Option] = [*declared.options(Execution), *_SHOWN]
    for option in reversed(every):
        command = option(command)
    return command


def settings(command: Function) -> Function:
    """Give a command the options that say how runs are made."""
    for option in reversed(declared.options(RunSettings)):
        command = option(command)
    return command


def execution_and_shown(
    ctx: click.Context, given: Mapping[str, Any], finish: Callable[[Place], None] | None = None
) -> tuple[Execution, Shown]:
    """What the options of :func:`execution` were given."""
    how = Execution(**{field.name: given[field.name] for field in attrs.fields(Execution)})
    shown = Shown(
        dry_run=given["dry_run"],
        as_json=given["as_json"],
        progress=not given["quiet"],
        resume_command=resume_command(ctx),
        finish=finish,
    )
    return how, shown


class KeepsArguments(Command):
    """Keeps the arguments as given, for :func:`resume_command`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as always."""
        ctx.meta[_ARGUMENTS] = list(args)
        return super().parse_args(ctx, args)


def note_on_seeds(given: str | None) -> None:
    """Say what a single number means, where it may be meant as a number of seeds.

    Args:
        given: what ``--seeds`` was given, found valid.
    """
    number = (given or "").strip()
    if number.isdecimal() and int(number) in MEANT_AS_NUMBERS:
        note(f"--seeds {number} is one seed, number {number}; 0:{number} runs {number} seeds")


def resume_command(ctx: click.Context) -> Callable[[Place], str]:
    """The command that continues in a directory, as the user would type it."""
    arguments = _without(ctx.meta[_ARGUMENTS], _REPLACED)

    def command(directory: Place) -> str:
        """The line to type."""
        more = ["--out", str(directory), "--if-exists", "resume"]
        return f"{ctx.command_path} {shlex.join([*arguments, *more])}"

    return command


def _without(arguments: Sequence[str], options: Sequence[str]) -> list[str]:
    """The arguments less these options, given as ``--option value`` or ``--option=value``."""
    kept: list[str] = []
    skip = False
    for argument in arguments:
        if not skip and argument.partition("=")[0] not in options:
            kept.append(argument)
        skip = not skip and argument in options
    return kept
