"""``mfbpi policy``: what a run recommends."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mfbpi.results.learnt import taking
from mfbpi.results.loaded import load
from mfbpi.results.storage.places import Place
from mfbpi_core.errors import UsageError
from mfbpi_run.arguments import meant
from mfbpi_run.command import PATH, PLACE, Command
from mfbpi_run.screen.output import note, say, show_json, show_table, tell

if TYPE_CHECKING:
    from mfbpi.results.learnt.policy import Policy

#: Most states that are printed.
PRINTED = 200


@click.command(cls=Command, name="policy")
@click.argument("directory", type=PLACE, metavar="DIRECTORY")
@meant.meant
@click.option(
    "--out", type=PATH, metavar="FILE", help="Write it: .csv, .json or .npz, by the ending."
)
@click.option(
    "--plot",
    type=PATH,
    metavar="FILE",
    help="Draw its value and what it loses, where the model is known: .png, .svg or .pdf.",
)
@meant.code
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def policy(
    directory: Place,
    agent: str | None,
    env: str | None,
    seed: int | None,
    out: Path | None,
    plot: Path | None,
    codes: tuple[str, ...],
    imports: tuple[str, ...],
    as_json: bool,
) -> None:
    """Print the policy that a run of DIRECTORY recommends, write it, or draw it.

    Example: mfbpi policy results/first --seed 0 --out policy.csv
    """
    results = load(directory)
    found = taking.policy(results, taking.one(results.found, agent, env, seed), codes)
    if plot is not None:
        _draw(found, plot, codes, imports)
    if out is not None:
        found.write(out)
        tell(f"written: {out}")
    if as_json:
        show_json(found.as_dict())
    elif out is None and plot is None:
        _print(found)


def _print(found: Policy) -> None:
    rows = [(name, action) for _, name, _, action in found.rows()]
    show_table(("state", "action"), rows[:PRINTED], right=() if found.state_names else ("state",))
    if len(rows) > PRINTED:
        note(f"{len(rows) - PRINTED} more states; `out` FILE has all")
    say(f"{found.task.label}: {len(rows)} states, {found.n_actions} actions.")


def _draw(found: Policy, file: Path, codes: tuple[str, ...], imports: tuple[str, ...]) -> None:
    from mfbpi.instances import drawing
    from mfbpi.results.learnt import places

    where = places.environment(found.task, codes, imports)
    model = where.model
    if model is None:
        raise UsageError(f"environment {found.task.environment.shown} has no model to draw")
    if len(found.table) != model.n_states:
        raise UsageError(
            f"the policy has {len(found.table)} states; the environment has {model.n_states}"
        )
    figure = drawing.policy(
        model, found.task.discount, found.table, where.positions, where.state_names
    )
    drawing.write(figure, file)
    tell(f"plot: {file}")
