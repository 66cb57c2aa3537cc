"""``mfbpi bound``: how many samples an instance needs, and how to spend them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import click
import numpy as np
import numpy.typing as npt

from mfbpi_core.bound import BoundSolution
from mfbpi_core.errors import UsageError
from mfbpi_core.registry import Registry
from mfbpi_run import bounds, instance
from mfbpi_run.output import show_json, show_table, warn, warn_of_problems

#: Allocations are shown state by state up to this many states.
_SHOWN_STATES = 30


@click.command(name="bound")
@click.option("--bound", "name", required=True, metavar="NAME", help="The bound.")
@click.option("-B", "bound_settings", multiple=True, metavar="KEY=VALUE", help="Its parameters.")
@instance.options
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
    "--allocation",
    default="optimal",
    show_default=True,
    metavar="optimal|uniform|FILE",
    help="Where to evaluate. FILE: .npy, .npz (array `allocation`), or the output of --json.",
)
@click.option("--plot", type=click.Path(path_type=Path), metavar="FILE.png", help="Heat map.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def bound(
    name: str,
    bound_settings: tuple[str, ...],
    constraint: Any,
    method: str | None,
    allocation: str,
    plot: Path | None,
    as_json: bool,
    **where: Any,
) -> None:
    """Minimise or evaluate a bound on the number of samples.

    Example: mfbpi bound --bound u --env riverswim --constraint navigation
    """
    from mfbpi_lib_tabular import description

    registry = Registry.discover()
    warn_of_problems(registry)
    found = instance.find(registry, **where)
    settings = (*bound_settings, *([f"method={method}"] if method else []))
    built = bounds.build(registry, name, settings, found.discount)
    diagnosis = description.diagnose(found.mdp)
    if allocation == "optimal":
        solution = built.solve(found.mdp, constraint)
    else:
        weights = _allocation(allocation, found)
        solution = bounds.evaluated(built, found.mdp, weights, constraint)
    if plot is not None:
        _plot(solution, plot, f"{name} on {found.label}, {constraint}")
    if as_json:
        show_json({"bound": name, **bounds.as_json(solution), "diagnosis": diagnosis})
        return
    for message in diagnosis:
        warn(message)
    _show(solution, f"{name} on {found.label}, discount {found.discount:g}, {constraint}")


def _allocation(given: str, found: instance.Instance) -> npt.NDArray[np.float64]:
    shape = (found.mdp.n_states, found.mdp.n_actions)
    if given == "uniform":
        return np.full(shape, 1.0 / (shape[0] * shape[1]))
    weights = _read_allocation(Path(given))
    if weights.shape != shape or (weights < 0).any() or not np.isclose(weights.sum(), 1.0):
        raise UsageError(
            f"{given} holds an array of shape {weights.shape}, minimum {weights.min():.3g} and sum "
            f"{weights.sum():.6g}; expected a distribution of shape {shape}"
        )
    return weights


def _read_allocation(file: Path) -> npt.NDArray[np.float64]:
    if file.suffix == ".npz":
        arrays = instance.read_arrays(file)
        if "allocation" not in arrays:
            raise UsageError(f"{file} has no array `allocation`; it has: {', '.join(arrays)}")
        return arrays["allocation"].astype(np.float64)
    try:
        if file.suffix == ".npy":
            return np.load(file, allow_pickle=False).astype(np.float64)
        return np.array(json.loads(file.read_text())["allocation"], dtype=np.float64)
    except FileNotFoundError as error:
        raise UsageError(
            f"there is no file {file}; --allocation takes optimal, uniform or a file"
        ) from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{file} holds no allocation that can be read ({error})") from error


def _show(solution: BoundSolution, caption: str) -> None:
    if math.isinf(solution.value):
        click.echo(f"infinite: {solution.reason}")
    else:
        if solution.allocation is not None and len(solution.allocation) <= _SHOWN_STATES:
            actions = [f"a={a}" for a in range(solution.allocation.shape[1])]
            rows = [(s, *(f"{w:.4g}" for w in row)) for s, row in enumerate(solution.allocation)]
            show_table(("state", *actions), rows, right=actions)
        click.echo(f"value {solution.value:.6e} ({solution.status})")
        if not math.isnan(solution.relative_gap):
            click.echo(f"certified relative gap {solution.relative_gap:.1e}")
        click.echo(f"largest violation of the flow equations {solution.residual:.1e}")
        if solution.reason:
            click.echo(solution.reason)
    click.echo(f"{caption}; {solution.solver}.")


def _plot(solution: BoundSolution, file: Path, title: str) -> None:
    """Write a heat map of the allocation, one row for each action."""
    if solution.allocation is None:
        raise UsageError(f"there is no allocation to plot: {solution.reason}")
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise UsageError("--plot needs matplotlib: pip install matplotlib") from error

    figure = Figure(figsize=(8, 2.5), layout="constrained")
    axes = figure.add_subplot()
    image = axes.imshow(solution.allocation.T, aspect="auto", cmap="viridis")
    axes.set(xlabel="state", ylabel="action", title=title)
    axes.set_yticks(range(solution.allocation.shape[1]))
    figure.colorbar(image, label="allocation")
    try:
        figure.savefig(file)
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot write the plot {file} ({error})") from error
