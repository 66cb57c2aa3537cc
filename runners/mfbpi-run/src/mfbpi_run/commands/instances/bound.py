"""``mfbpi bound``: how many samples an instance needs, and how to spend them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Unpack

import click
import numpy as np
import numpy.typing as npt

from mfbpi.execute.working import compiled
from mfbpi.instances import allocation_file, allocations, bounds, heat_map, instance
from mfbpi.plan import selection as choices
from mfbpi_core.contracts.bound import BoundSolution, Constraint
from mfbpi_core.plugins import bounding
from mfbpi_core.plugins.registry import Registry
from mfbpi_run.arguments import instance_options
from mfbpi_run.command import PATH, Command
from mfbpi_run.screen.output import say, show_json, show_table, tell, warn, warn_of_problems

#: Allocations are shown state by state up to this many states.
_SHOWN_STATES = 30


@click.command(cls=Command, name="bound")
@click.option("--bound", "name", required=True, metavar="NAME", help="The bound.")
@click.option("-B", "bound_settings", multiple=True, metavar="KEY=VALUE", help="Its parameters.")
@instance_options.instance
@click.option(
    "--constraint",
    type=click.Choice(["generative", "navigation"]),
    default="generative",
    show_default=True,
    help="Any allocation, or those that a walk can follow.",
)
@click.option(
    "--method",
    metavar="NAME",
    help="How to minimise: the same as -B method=NAME, for bounds that have the choice.",
)
@click.option(
    "--epsilon",
    type=float,
    metavar="E",
    help="Loss of value that is accepted: the same as -B epsilon=E. Above 0, ties are no obstacle.",
)
@click.option(
    "--allocation",
    default="optimal",
    show_default=True,
    metavar="optimal|uniform|FILE",
    help="Where to evaluate. FILE: .npy, .npz (array `allocation`), or the output of --json.",
)
@click.option("--plot", type=PATH, metavar="FILE.png", help="Heat map.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def bound(
    name: str,
    bound_settings: tuple[str, ...],
    constraint: Constraint,
    method: str | None,
    epsilon: float | None,
    allocation: str,
    plot: Path | None,
    as_json: bool,
    **where: Unpack[instance_options.Where],
) -> None:
    """Minimise or evaluate a bound on the number of samples.

    Example: mfbpi bound --bound u --env riverswim --constraint navigation
    """
    from mfbpi_lib_tabular.analysis import description

    registry = Registry.discover()
    warn_of_problems(registry)
    compiled.find_place(registry)
    short = {"method": method, "epsilon": epsilon}
    given = [f"{key}={value}" for key, value in short.items() if value is not None]
    chosen = choices.bound(registry, name, (*bound_settings, *given))
    found = instance.find(registry, **where)
    built = bounds.build(chosen, found.discount)
    diagnosis = description.diagnose(found.mdp)
    for message in diagnosis:
        warn(message)
    if allocation == "optimal":
        solution = bounding.solved(built, found.mdp, constraint)
    else:
        solution = bounds.evaluated(built, found.mdp, _allocation(allocation, found), constraint)
    title = f"{chosen.label} on {found.label}, discount {found.discount:g}, {constraint}"
    if as_json:
        origin = {"bound": chosen.label, "origin": chosen.plugin.origin_shown}
        show_json({**origin, **bounds.as_json(solution), "diagnosis": diagnosis})
    else:
        _show(solution, f"{title}; bound of {chosen.plugin.origin_shown}", found)
    if plot is not None:
        _plot(solution, plot, title)


def _allocation(given: str, found: instance.Instance) -> npt.NDArray[np.float64]:
    if given == "uniform":
        return allocations.uniform(found.mdp)
    return allocation_file.read(Path(given), (found.mdp.n_states, found.mdp.n_actions))


def _show(solution: BoundSolution, caption: str, found: instance.Instance | None = None) -> None:
    """Show a solution, with the names that states and actions of the instance have."""
    if math.isinf(solution.value):
        say(f"infinite: {solution.reason}")
    else:
        if solution.allocation is not None and len(solution.allocation) <= _SHOWN_STATES:
            n_states, n_actions = solution.allocation.shape
            named = None if found is None else (found.state_names, found.action_names)
            state_names, action_names = named or (None, None)
            actions = action_names or [f"a={a}" for a in range(n_actions)]
            states = state_names or list(map(str, range(n_states)))
            weights = [[f"{w:.4g}" for w in row] for row in solution.allocation]
            rows = [(s, *row) for s, row in zip(states, weights, strict=True)]
            show_table(("state", *actions), rows, right=actions)
        say(f"value {solution.value:.6e} ({solution.status})")
        if not math.isnan(solution.relative_gap):
            say(f"certified relative gap {solution.relative_gap:.1e}")
        say(f"largest violation of the flow equations {solution.residual:.1e}")
        if solution.reason:
            say(solution.reason)
        if solution.details.get("covers"):
            say(f"covers: {solution.details['covers']}")
    say(f"{caption}; {solution.solver}.")


def _plot(solution: BoundSolution, file: Path, title: str) -> None:
    if solution.allocation is None:
        warn(f"nothing to plot, {file} is not written: {solution.reason}")
    else:
        heat_map.write(solution.allocation, file, title)
        tell(f"plot: {file}")
