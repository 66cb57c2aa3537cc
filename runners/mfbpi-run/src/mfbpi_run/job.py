"""Carries out a plan for a command: progress, what it says at the end, and the exit code."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from mfbpi.execute import session
from mfbpi.execute.session import Carried, Interrupted, StoppedError
from mfbpi.execute.settings import Execution
from mfbpi.plan.grid import TaskPlan
from mfbpi.results.storage.places import Place
from mfbpi_core.plugins.registry import Registry
from mfbpi_core.text import one_line
from mfbpi_run.exit_codes import FAILED, INTERRUPTED
from mfbpi_run.flags import spelled
from mfbpi_run.screen import report
from mfbpi_run.screen.output import tell
from mfbpi_run.screen.progress import Progress


@attrs.frozen(kw_only=True)
class Shown:
    """What a command shows.

    Attributes:
        dry_run: show the plan and do nothing.
        as_json: print JSON instead of tables.
        progress: whether a progress bar may be shown.
        resume_command: the command that continues in a directory, for messages.
        finish: called with the directory once every task is done.
    """

    dry_run: bool = False
    as_json: bool = False
    progress: bool = True
    resume_command: Callable[[Place], str]
    finish: Callable[[Place], None] | None = None


def run(registry: Registry, plan: TaskPlan, execution: Execution, shown: Shown) -> int:
    """Run a plan; returns the exit code.

    Raises:
        UsageError: when it cannot be run as asked.
    """
    if shown.dry_run:
        report.show_plan(session.preview(registry, plan, execution), shown.as_json)
        return 0
    try:
        carried = session.carry_out(registry, plan, execution, Progress(visible=shown.progress))
    except Interrupted as end:
        tell(_stopped("interrupted", end, shown))
        return INTERRUPTED
    except StoppedError as end:
        tell(_stopped(f"error: {spelled(one_line(str(end)))}", end, shown))
        return FAILED
    return _ended(registry, carried, shown)


def _ended(registry: Registry, carried: Carried, shown: Shown) -> int:
    report.show_results(registry, carried, shown.as_json)
    if carried.failed:
        return FAILED
    if shown.finish is not None:
        shown.finish(carried.store.directory)
    return 0


def _stopped(why: str, end: Interrupted | StoppedError, shown: Shown) -> str:
    return (
        f"{why}: {end.done} of {end.total} tasks done; "
        f"continue with: {shown.resume_command(end.directory)}"
    )
