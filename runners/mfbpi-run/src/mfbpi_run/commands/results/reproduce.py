"""``mfbpi reproduce``: a task run again from its provenance, and compared."""

from __future__ import annotations

import click

from mfbpi.api.reproducing import Reproduced, reproduce
from mfbpi.results.storage.places import Place
from mfbpi_run.command import PLACE, Command
from mfbpi_run.exit_codes import FAILED
from mfbpi_run.screen.output import note, say, show_json


@click.command(
    cls=Command,
    name="reproduce",
    epilog="Exit codes: 0 the same, bit for bit; 1 different, or the task failed; 2 bad usage.",
)
@click.argument("file", type=PLACE, metavar="FILE")
@click.option(
    "--agent",
    metavar="./FILE.py:CLASS",
    help="Where the agent is, if it has no packaging; its content must be what it was.",
)
@click.option("--env", "environment", metavar="./FILE.py:CLASS", help="Likewise.")
@click.option(
    "--code",
    "codes",
    multiple=True,
    metavar="./FILE.py:CLASS",
    help="Where a metric, a stopping rule or a bound is, likewise; repeatable.",
)
@click.option(
    "--import",
    "imports",
    multiple=True,
    metavar="MODULE",
    help="Module that the file may ask to import; repeatable.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def again(
    file: Place,
    agent: str | None,
    environment: str | None,
    codes: tuple[str, ...],
    imports: tuple[str, ...],
    as_json: bool,
) -> int:
    """Run the task of FILE (DIR/<task_id>.parquet) again, and say what differs.

    Programs with another version, the platform, and every number but the time that it took.
    """
    found = reproduce(file, agent, environment, code=codes, imports=imports)
    if as_json:
        _show_json(found)
    else:
        _show(found)
    return 0 if found.is_same else FAILED


def _show(found: Reproduced) -> None:
    for program in found.programs:
        note(program)
    if found.replicas > 1:
        note(f"it ran together with {found.replicas - 1} other seeds then, and alone now")
    if found.failure:
        say(f"{found.task.label}: failed now: {found.failure}")
        return
    for difference in found.differences:
        say(difference)
    if found.n_different > len(found.differences):
        say(f"and {found.n_different - len(found.differences)} more")
    verdict = f"{found.n_different} differences" if found.n_different else "the same, bit for bit"
    say(f"{found.task.label}: {found.n_rows} rows, {verdict}")


def _show_json(found: Reproduced) -> None:
    show_json(
        {
            "task_id": found.task.task_id,
            "task": found.task.label,
            "rows": found.n_rows,
            "same": found.is_same,
            "different": found.n_different,
            "differences": list(found.differences),
            "programs": list(found.programs),
            "replicas": found.replicas,
            "failure": found.failure,
        }
    )
