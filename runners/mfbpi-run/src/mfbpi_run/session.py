"""Carries out a plan: directory, workers, progress, results, and the exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import attrs

from mfbpi_core.errors import ExecutorError
from mfbpi_core.executor import Executor, Work
from mfbpi_core.registry import Registry
from mfbpi_core.text import one_line
from mfbpi_run import build, manifest, report, together
from mfbpi_run.checkpoint import Checkpoints
from mfbpi_run.driver import Record, execute
from mfbpi_run.exit_codes import FAILED, INTERRUPTED
from mfbpi_run.interrupt import Interrupts
from mfbpi_run.opening import Opening
from mfbpi_run.options import CHECKPOINT_EVERY_S
from mfbpi_run.output import tell, warn
from mfbpi_run.plan import Plan
from mfbpi_run.progress import Progress
from mfbpi_run.store import Store, StoreError, create_first, default_directories

IfExists = Literal["fail", "resume", "overwrite"]


@attrs.frozen(kw_only=True)
class Settings:
    """How a plan is carried out.

    Attributes:
        out: directory of the results; None for a new one.
        if_exists: what to do where it holds results.
        executor: name of the executor.
        jobs: tasks at the same time; None for one per core.
        replicas: seeds that run together in one process, where the agent has replicas.
        task_timeout: most seconds for a task; None for no limit.
        dry_run: show the plan and do nothing.
        as_json: print JSON instead of tables.
        progress: whether a progress bar may be shown.
        checkpoint_every: seconds between checkpoints of a long run; 0 for none.
        resume_command: the command that continues in a directory, for messages.
        finish: called with the directory once every task is done.
    """

    out: Path | None = None
    if_exists: IfExists = "fail"
    executor: str = "process"
    jobs: int | None = None
    replicas: int = 1
    task_timeout: float | None = None
    dry_run: bool = False
    as_json: bool = False
    progress: bool = True
    checkpoint_every: float = CHECKPOINT_EVERY_S
    resume_command: Callable[[Path], str]
    finish: Callable[[Path], None] | None = None


def carry_out(registry: Registry, plan: Plan, settings: Settings) -> int:
    """Run a plan; returns the exit code.

    Raises:
        UsageError: when it cannot be run as asked.
    """
    for message in (*plan.warnings, *together.warnings(registry, plan.tasks, settings.replicas)):
        warn(message)
    executor = build.executor(registry, settings.executor, settings.jobs or available_cores())
    if settings.task_timeout is not None:
        executor.limit_time(settings.task_timeout)
    candidates = default_directories(plan.agents, [site.environment.shown for site in plan.sites])
    if settings.dry_run:
        store = Store(settings.out or next(path for path in candidates if not path.exists()))
        plan, records = Opening(store, settings.if_exists, touch=False).settle(plan)
        report.show_plan(plan, records, store, settings.as_json)
        return 0
    interrupts = Interrupts()
    with interrupts.handled():
        store = Store(settings.out or create_first(candidates))
        with store.writing():
            return _run(registry, plan, settings, executor, store, interrupts)


def _run(
    registry: Registry,
    plan: Plan,
    settings: Settings,
    executor: Executor,
    store: Store,
    interrupts: Interrupts,
) -> int:
    plan, records = Opening(store, settings.if_exists, touch=True).settle(plan)
    manifest.record(store.directory, plan.manifest())
    pending = [record.task for record in records if record.status == "pending"]
    works = together.grouped(registry, pending, settings.replicas)
    progress = _progress(records, works, executor, settings)
    try:
        with progress:
            checkpoints = _checkpoints(settings, store)
            records = execute(executor, records, works, store, progress, interrupts, checkpoints)
    except KeyboardInterrupt:
        tell(_stopped("interrupted", progress, settings, store))
        return INTERRUPTED
    except (StoreError, ExecutorError) as error:
        tell(_stopped(f"error: {one_line(str(error))}", progress, settings, store))
        return FAILED
    report.show_results(registry, plan, records, store, settings.as_json)
    if progress.failed:
        return FAILED
    if settings.finish is not None:
        settings.finish(store.directory)
    return 0


def _checkpoints(settings: Settings, store: Store) -> Checkpoints | None:
    if settings.checkpoint_every <= 0:
        return None
    return Checkpoints(
        directory=store.directory,
        every_s=settings.checkpoint_every,
        resume=settings.if_exists == "resume",
    )


def _progress(
    records: Sequence[Record], works: Sequence[Work], executor: Executor, settings: Settings
) -> Progress:
    side_by_side = max((len(together.tasks_of(work)) for work in works), default=1)
    return Progress(
        total=len(records),
        kept=sum(record.status == "kept" for record in records),
        jobs=(executor.jobs or 1) * side_by_side,
        visible=settings.progress and sys.stderr.isatty(),
    )


def _stopped(why: str, progress: Progress, settings: Settings, store: Store) -> str:
    return (
        f"{why}: {progress.done} of {progress.total} tasks done; "
        f"continue with: {settings.resume_command(store.directory)}"
    )


def available_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
