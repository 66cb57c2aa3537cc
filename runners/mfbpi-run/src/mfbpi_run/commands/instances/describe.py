"""``mfbpi describe``: the quantities that say how hard an instance is."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import click

from mfbpi.execute.working import compiled
from mfbpi.instances import instance
from mfbpi_core.plugins.registry import Registry
from mfbpi_core.text import listed
from mfbpi_run.arguments import instance_options
from mfbpi_run.command import PATH, Command
from mfbpi_run.screen.output import say, show_json, show_table, tell, warn, warn_of_problems

#: Names of states or actions that are shown.
NAMED = 30


@click.command(cls=Command, name="describe")
@instance_options.instance
@click.option(
    "--plot",
    type=PATH,
    metavar="FILE",
    help="Draw V*, the best actions and the gaps: .png, .svg or .pdf; a grid or a chain in its own "
    "shape, any other as a graph of up to 200 states.",
)
@click.option(
    "--values",
    type=PATH,
    metavar="FILE",
    help="Write V*, Q*, the gap of every pair and which are optimal: .csv or .parquet.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def describe(
    plot: Path | None,
    values: Path | None,
    as_json: bool,
    **where: Unpack[instance_options.Where],
) -> None:
    """Describe an instance: sizes, gaps, variances, spans, moments, ties, structure.

    Example: mfbpi describe --env riverswim -E n_states=20 --discount 0.95
    """
    # Imported here because `mfbpi --help` and `mfbpi list` do without.
    from mfbpi_lib_tabular.analysis import description, shown

    registry = Registry.discover()
    warn_of_problems(registry)
    compiled.find_place(registry)
    found = instance.find(registry, **where)
    for message in description.diagnose(found.mdp):
        warn(message)
    described = description.describe(found.mdp, found.discount)
    if plot is not None:
        _draw(found, plot)
    if values is not None:
        _write(found, values)
    if as_json:
        names = {"state_names": found.state_names, "action_names": found.action_names}
        named = {key: value for key, value in names.items() if value is not None}
        show_json({"discount": found.discount, **described.to_dict(), **named})
        return
    headings = ("quantity", "value", "meaning")
    show_table(headings, shown.rows(described), right=("value",), wrap=("meaning",))
    for kind, called in (("states", found.state_names), ("actions", found.action_names)):
        if called is not None:
            say(f"{kind}: {_numbered(called)}")
    say(f"{found.label} at discount {found.discount:g}.")


def _draw(found: instance.Instance, file: Path) -> None:
    """The picture; where it is, is said on standard error."""
    from mfbpi.instances import drawing

    where = found.environment
    positions = None if where is None else where.positions
    figure = drawing.instance(found.mdp, found.discount, positions, found.state_names)
    drawing.write(figure, file)
    tell(f"plot: {file}")


def _write(found: instance.Instance, file: Path) -> None:
    """The table of values; where it is, is said on standard error."""
    from mfbpi.instances import solution

    solution.solve(found).write(file)
    tell(f"values: {file}")


def _numbered(names: tuple[str, ...]) -> str:
    """``0 hall, 1 cellar``, and how many there are where they are many."""
    return listed([f"{number} {name}" for number, name in enumerate(names)], most=NAMED)
