"""``mfbpi run``: a grid of agents, environments and seeds."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs
import click

from mfbpi_core.registry import Registry
from mfbpi_run import plan, session
from mfbpi_run.output import warn_of_problems

_ARGUMENTS = "mfbpi_run.arguments"

#: Options that the message on how to continue sets itself.
_REPLACED = ("--out", "--if-exists")

_EPILOG = """
Example: mfbpi-run --agent mf_bpi --env riverswim -E n_states=10 --seeds 0:4

Exit codes: 0 all done, 1 some task failed, 2 bad usage, 130 interrupted.
"""


class _Command(click.Command):
    """Keeps the arguments as given, for the message on how to continue."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_ARGUMENTS] = list(args)
        return super().parse_args(ctx, args)


@click.command(cls=_Command, name="run", epilog=_EPILOG)
@click.option(
    "--agent", "agents", multiple=True, required=True, metavar="NAME", help="Agent; repeatable."
)
@click.option(
    "--env",
    "environments",
    multiple=True,
    required=True,
    metavar="NAME",
    help="Environment; repeatable.",
)
@click.option(
    "-A",
    "agent_settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Parameter of every agent that has it; NAME.KEY=VALUE for one agent; repeatable.",
)
@click.option(
    "-E",
    "environment_settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Parameter of every environment that has it; NAME.KEY=VALUE for one; repeatable.",
)
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="Metric; repeatable. Default: all that apply.",
)
@click.option("--seeds", metavar="SEEDS", help="0:10 for 0 to 9, 3 for 3 alone, or 0,2,5.")
@click.option("--steps", type=click.IntRange(min=1), metavar="N", help="Steps of each run.")
@click.option("--episodes", type=click.IntRange(min=1), metavar="N", help="Episodes of each run.")
@click.option(
    "--eval-every", type=click.IntRange(min=1), metavar="N", help="Steps between evaluations."
)
@click.option("--discount", type=float, metavar="GAMMA", help="Discount factor, in (0, 1).")
@click.option("--arrays", is_flag=True, help="Keep the metrics' arrays too.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Directory of the results. Default: a new one below results/.",
)
@click.option(
    "--if-exists",
    type=click.Choice(["fail", "resume", "overwrite"]),
    default="fail",
    show_default=True,
    help="What to do where DIR holds results.",
)
@click.option(
    "--executor", default="process", show_default=True, metavar="NAME", help="Where tasks run."
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Tasks at the same time. Default: one per core.",
)
@click.option("--dry-run", is_flag=True, help="Show the plan; run and write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
@click.option("--quiet", is_flag=True, help="Show no progress bar.")
@click.pass_context
def run(ctx: click.Context, /, **options: Any) -> int:
    """Run a grid of agents, environments and seeds.

    What is not given follows the environment's published protocol: its number of steps,
    evaluation interval, discount and seeds. Results are Parquet files in one directory.
    """
    registry = Registry.discover()
    warn_of_problems(registry)
    request = plan.Request(**{f.name: options.pop(f.name) for f in attrs.fields(plan.Request)})
    settings = session.Settings(
        progress=not options.pop("quiet"), resume_command=_resume_command(ctx), **options
    )
    return session.carry_out(registry, plan.make(registry, request), settings)


def _resume_command(ctx: click.Context) -> Callable[[Path], str]:
    arguments = _without(ctx.meta[_ARGUMENTS], _REPLACED)

    def command(directory: Path) -> str:
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
