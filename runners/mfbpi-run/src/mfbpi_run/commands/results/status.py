"""``mfbpi status``: how far the runs of a directory have come, seen from elsewhere."""

from __future__ import annotations

import sys
import time

import attrs
import click

from mfbpi.results.state import duration, pace
from mfbpi.results.status import Running, Status, status
from mfbpi.results.storage.places import Place
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.text import one_line, visible
from mfbpi_run.command import PLACE, Command
from mfbpi_run.screen.output import say, show_json, show_table
from mfbpi_run.screen.streams import output

#: Tasks listed one by one; beyond, they are counted.
_SHOWN = 40

_EVERY_S = 5.0


@click.command(cls=Command, name="status")
@click.argument("directory", type=PLACE, metavar="DIRECTORY")
@click.option("--watch", is_flag=True, help="Look again and again, as long as something runs.")
@click.option(
    "--every",
    type=click.FloatRange(min=0.1),
    default=_EVERY_S,
    show_default=True,
    metavar="SECONDS",
    help="With --watch: how often.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")
def look(directory: Place, watch: bool, every: float, as_json: bool) -> None:
    """Tell how far the runs in DIRECTORY have come, from any machine that sees it."""
    found = status(directory)
    while watch and found.is_going_on:
        _show(found, as_json, clear=True)
        time.sleep(every)
        found = status(directory)
    _show(found, as_json, clear=watch)


def _show(found: Status, as_json: bool, clear: bool) -> None:
    if as_json:
        show_json(_data(found))
        return
    if clear and sys.stdout.isatty():
        click.clear()
    for line in _lines(found):
        say(visible(line))
    if found.running:
        columns = ("task", "step", "of", "steps/s", "left", "heard")
        rows = [_cells(each) for each in found.running[:_SHOWN]]
        show_table(columns, rows, right=columns[1:], wrap=("task",))
    for failure in found.failed[:_SHOWN]:
        say(f"failed: {visible(failure.task.label)}: {one_line(failure.cause)}")
    for what, count in (("running", len(found.running)), ("failed", len(found.failed))):
        if count > _SHOWN:
            say(f"and {count - _SHOWN} more {what}")
    output().flush()


def _lines(found: Status) -> list[str]:
    of = f"{found.done}" if found.planned is None else f"{found.done} of {found.planned}"
    counts = f"{found.directory}: {of} tasks done, {len(found.failed)} failed"
    if found.is_going_on:
        counts += f", {found.at_once} running{pace(found.per_s, found.waiting)}"
    elif found.waiting:
        counts += f", {found.waiting} missing; nothing is running"
    lines = [counts, *found.shards] if found.waiting else [counts]
    if found.silent:
        plural = "processes have" if found.silent > 1 else "process has"
        lines.append(f"{found.silent} {plural} ended without a word, perhaps killed; resume it")
    return lines


def _cells(each: Running) -> tuple[str, ...]:
    left = "" if each.left_s is None else duration(each.left_s)
    speed = f"{each.steps_per_s:.4g}"
    return (
        visible(each.label),
        str(each.step),
        str(each.horizon),
        speed,
        left,
        f"{duration(each.heard_s)} ago",
    )


def _data(found: Status) -> JsonObject:
    running = [{**attrs.asdict(each), "left_s": each.left_s} for each in found.running]
    failed = [
        {"task_id": f.task.task_id, "task": f.task.label, "cause": f.cause} for f in found.failed
    ]
    names = ("planned", "done", "at_once", "per_s", "left_s", "silent")
    return {
        "directory": str(found.directory),
        **{name: getattr(found, name) for name in names},
        "shards": list(found.shards),
        "running": running,
        "failed": failed,
    }
