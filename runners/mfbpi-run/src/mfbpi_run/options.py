"""The options of commands that run things, and the message on how to continue one."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import click

from mfbpi.execute.session import CHECKPOINT_EVERY_S, Execution
from mfbpi_run.command import Command
from mfbpi_run.job import Shown
from mfbpi_run.output import note

#: A single seed from here on may be meant as a number of seeds.
_FEWEST_MEANT = 2

_ARGUMENTS = "mfbpi_run.arguments"

#: Options that the message on how to continue sets itself.
_REPLACED = ("--out", "--if-exists")

Function = Callable[..., Any]


#: The options of :class:`mfbpi.execute.session.Execution` and :class:`mfbpi_run.job.Shown`.
_EXECUTION = (
    click.option(
        "--out",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Directory of the results. Default: a new one below results/.",
    ),
    click.option(
        "--if-exists",
        type=click.Choice(["fail", "resume", "overwrite"]),
        default="fail",
        show_default=True,
        help="What to do where DIR holds results.",
    ),
    click.option(
        "--executor",
        default="process",
        show_default=True,
        metavar="NAME",
        help="Where tasks run.",
    ),
    click.option(
        "--jobs",
        type=click.IntRange(min=1),
        metavar="N",
        help="Tasks at the same time. Default: one per core.",
    ),
    click.option(
        "--replicas",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        metavar="N",
        help="Seeds that run together in one process, where the agent has replicas. Resume "
        "with the same N.",
    ),
    click.option(
        "--task-timeout",
        type=click.FloatRange(min=0.0, min_open=True),
        metavar="SECONDS",
        help="Stop a task that takes longer, and report it as failed; for seeds that run "
        "together, N times as long. Default: no limit.",
    ),
    click.option(
        "--checkpoint-every",
        type=click.FloatRange(min=0.0),
        default=CHECKPOINT_EVERY_S,
        show_default=True,
        metavar="SECONDS",
        help="Save long runs so often, so that resume goes on inside them; 0: never.",
    ),
    click.option("--dry-run", is_flag=True, help="Show the plan; run and write nothing."),
    click.option(
        "--json", "as_json", is_flag=True, help="Print one JSON object on standard output."
    ),
    click.option("--quiet", is_flag=True, help="Show no progress bar."),
)


def execution(command: Function) -> Function:
    """Give a command the options that say how it is carried out and what it shows."""
    for option in reversed(_EXECUTION):
        command = option(command)
    return command


def execution_and_shown(
    ctx: click.Context, given: Mapping[str, Any], finish: Callable[[Path], None] | None = None
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
    if number.isdecimal() and int(number) >= _FEWEST_MEANT:
        note(f"--seeds {number} is one seed, number {number}; 0:{number} runs {number} seeds")


def resume_command(ctx: click.Context) -> Callable[[Path], str]:
    """The command that continues in a directory, as the user would type it."""
    arguments = _without(ctx.meta[_ARGUMENTS], _REPLACED)

    def command(directory: Path) -> str:
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
