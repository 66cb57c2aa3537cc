"""What ``mfbpi run`` says at the end: the plan, or the summary of the results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

from mfbpi.execute.driver import Record
from mfbpi.execute.session import Carried
from mfbpi.plan.grid import Site
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.plugins.registry import Registry
from mfbpi_run.screen.output import note, say, show_json, show_table

if TYPE_CHECKING:
    from mfbpi.results.summary import Summary

_PLAN_COLUMNS = ("agent", "env", "seeds", "steps", "episodes", "eval-every", "discount", "metrics")


def show_plan(carried: Carried, as_json: bool) -> None:
    """Print what a run would do."""
    plan, records, store = carried.plan, carried.records, carried.store
    if as_json:
        tasks = [{**_record(r), "task": r.task.as_dict()} for r in records]
        show_json({"out": str(store.directory), "tasks": tasks})
        return
    rows = [(agent, *_site_cells(site)) for agent in plan.agents for site in plan.sites]
    kept = sum(record.has_rows for record in records)
    done = f", of which {kept} are done" if kept else ""
    show_table(_PLAN_COLUMNS, rows, right=_PLAN_COLUMNS[3:7], wrap=("metrics",))
    say(f"{len(records)} tasks{done}; results would go to {store.directory}")


def _site_cells(site: Site) -> tuple[object, ...]:
    return (
        site.environment.shown,
        seeds_text(site.seeds),
        site.horizon,
        "" if site.episodes is None else site.episodes,
        site.eval_every,
        f"{site.discount:g}",
        ", ".join(metric.name for metric in site.metrics) or "none applies",
    )


def seeds_text(seeds: Sequence[int]) -> str:
    """Seeds in the notation of the command line."""
    if len(seeds) > 1 and list(seeds) == list(range(seeds[0], seeds[-1] + 1)):
        return f"{seeds[0]}:{seeds[-1] + 1}"
    return ",".join(map(str, seeds))


def show_results(registry: Registry, carried: Carried, as_json: bool) -> None:
    """Print the summary over seeds and where the results are."""
    # Imported here so that the first task starts before scipy is loaded.
    from mfbpi.results import solver_notes, summary

    plan, records, store = carried.plan, carried.records, carried.store
    files = [r.file for r in records if r.has_rows and r.file is not None]
    found = summary.summarise(files, summary.ranges(registry))
    skipped = found.skipped if plan.metrics_asked_for else ()
    for message in (*found.notes, *skipped, *solver_notes.failures(files)):
        note(message)
    if as_json:
        tasks = [_record(record) for record in records]
        listed = [attrs.asdict(line) for line in found.lines]
        stops = {"stops": [attrs.asdict(each) for each in found.stops]} if found.stops else {}
        show_json({"out": str(store.directory), "tasks": tasks, "summary": listed, **stops})
        return
    if found.lines:
        _show_summary(found)
    for each in found.stops:
        say(str(each))
    counts = Counter(record.status for record in records)
    totals = ", ".join(f"{count} {status}" for status, count in counts.items())
    say(f"{len(records)} tasks: {totals}; results: {store.directory}")


def _show_summary(found: Summary) -> None:
    from mfbpi.results.summary import COLUMNS

    rows = [line.cells for line in found.lines]
    show_table(COLUMNS, rows, caption=found.caption, right=("step", "mean", "n"))


def _record(record: Record) -> JsonObject:
    return {
        "task_id": record.task.task_id,
        "agent": record.task.agent.shown,
        "env": record.task.environment.shown,
        "seed": record.task.seed,
        "status": record.status,
        "file": None if record.file is None else str(record.file),
    }
