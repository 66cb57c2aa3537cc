"""``mfbpi certify``: is the best policy identified by a log that somebody else collected?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

from mfbpi.api.certifying import Certified
from mfbpi.api.certifying import certify as certify_log
from mfbpi.execute.working import compiled
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.plugins.registry import Registry
from mfbpi_run.command import PATH, Command
from mfbpi_run.exit_codes import FAILED
from mfbpi_run.screen.output import say, show_json, show_table

#: Pairs that are listed.
_SHOWN = 20


@click.command(cls=Command, name="certify")
@click.argument("log", type=PATH)
@click.option("--states", "n_states", type=int, required=True, help="S: states are 0 to S - 1.")
@click.option("--actions", "n_actions", type=int, required=True, help="A.")
@click.option("--discount", type=float, required=True, help="gamma, between 0 and 1.")
@click.option("--delta", type=float, default=0.1, show_default=True, help="Risk.")
@click.option("--epsilon", type=float, default=0.0, show_default=True, help="Accepted loss.")
@click.option("--scope", default="all", show_default=True, help="all, visited or initial.")
@click.option(
    "--reward-range", type=(float, float), default=(0.0, 1.0), show_default=True, help="Declared."
)
@click.option("--terminal", type=int, multiple=True, help="A state that ends the task; repeatable.")
@click.option("--out", type=PATH, metavar="FILE.json", help="Write the certificate.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def certify(log: Path, out: Path | None, as_json: bool, **asked: Any) -> int:
    """Judge a LOG, Parquet or CSV: is a policy identified, and if not, what is missing?

    Columns: s, a, r, s' (or next_state), terminated, maybe episode; one row a step, all steps, in
    order. Exit code 0: identified; 1: not.

    Example: mfbpi certify log.csv --states 5 --actions 2 --discount 0.95
    """
    compiled.find_place(Registry.discover())
    found = certify_log(log, **asked)
    if out is not None:
        found.write(out)
    if as_json:
        show_json(_plain(found))
    else:
        _show(found)
    return 0 if found.identified else FAILED


def _plain(found: Certified) -> JsonObject:
    return {
        "identified": found.identified,
        "policy": None if found.policy is None else found.policy.tolist(),
        "certified_gap": found.gap,
        "reason": found.reason,
        "more": found.more.tolist(),
        "forecast": found.forecast,
        "batch": found.batch.tolist(),
    }


def _show(found: Certified) -> None:
    """The verdict, the policy, and what is missing."""
    verdict = "identified" if found.identified else "not identified"
    say(f"{verdict}: {found.reason}; the policy loses at most {found.gap:.6g}.")
    if found.policy is not None:
        say(f"policy: {' '.join(str(action) for action in found.policy)}")
    pairs = np.argwhere(found.more > 0)
    if not len(pairs):
        return
    order = np.argsort([-found.more[s, a] for s, a in pairs], kind="stable")[:_SHOWN]
    rows = [
        (str(s), str(a), f"{found.more[s, a]:,}", f"{found.batch[s, a]:,}") for s, a in pairs[order]
    ]
    columns = ("more samples", "of these first")
    show_table(("state", "action", *columns), rows, right=columns)
    enough = "would be enough if frequencies stay" if found.forecast else "would be a beginning"
    say(f"{int(found.more.sum()):,} samples more, of {len(pairs)} pairs, {enough}.")
    if found.batch.sum() < found.more.sum():
        say(f"Collect {int(found.batch.sum()):,} of them first, then certify all data again.")
