"""``mfbpi run``: a grid of agents, environments and seeds."""

from __future__ import annotations

from typing import Any

import attrs
import click

from mfbpi.execute.working import compiled
from mfbpi.instances import environment_files
from mfbpi.plan import grid as plan
from mfbpi.plan import selection as choices
from mfbpi_core.contracts.experiment import RunSettings
from mfbpi_core.plugins.registry import Registry
from mfbpi_run import job
from mfbpi_run.arguments.options import (
    KeepsArguments,
    execution,
    execution_and_shown,
    note_on_seeds,
    settings,
)
from mfbpi_run.command import PATH
from mfbpi_run.screen.output import warn_of_problems

_EPILOG = """
Example: mfbpi-run --agent mf_bpi --env riverswim -E n_states=10 --seeds 0:4

Exit codes: 0 all done, 1 some task failed, 2 bad usage, 130 interrupted.
"""


@click.command(cls=KeepsArguments, name="run", epilog=_EPILOG)
@click.option(
    "--agent", "agents", multiple=True, required=True, metavar="NAME", help="Agent; repeatable."
)
@click.option(
    "--env",
    "environments",
    multiple=True,
    metavar="NAME",
    help="Environment; repeatable.",
)
@click.option(
    "--mdp",
    "files",
    multiple=True,
    type=PATH,
    metavar="FILE",
    help="A model in a file as an environment, see `mfbpi describe --help`; repeatable.",
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
@settings
@execution
@click.pass_context
def run(ctx: click.Context, /, **options: Any) -> int:
    """Run a grid of agents, environments and seeds.

    What is not given follows the environment's published protocol: its number of steps,
    evaluation interval, discount and seeds. Results are Parquet files in one directory.
    """
    registry = Registry.discover()
    warn_of_problems(registry)
    compiled.find_place(registry)
    agents = choices.agents(registry, options.pop("agents"), options.pop("agent_settings"))
    files = [environment_files.name(registry, file) for file in options.pop("files")]
    named = [*options.pop("environments"), *files]
    if not named:
        raise click.MissingParameter(param_type="option", param_hint="'--env'")
    environments = choices.environments(registry, named, options.pop("environment_settings"))
    grid = RunSettings(**{f.name: options.pop(f.name) for f in attrs.fields(RunSettings)})
    planned = plan.make(registry, agents, environments, grid)
    note_on_seeds(grid.seeds)
    how, shown = execution_and_shown(ctx, options)
    return job.run(registry, planned, how, shown)
