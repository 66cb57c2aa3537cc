"""What ``mfbpi run`` says at the end: the plan, or the summary of the results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import attrs
import click

from mfbpi_core.registry import Registry
from mfbpi_run.driver import Record
from mfbpi_run.output import show_json, show_table
from mfbpi_run.plan import Plan, Site
from mfbpi_run.store import Store

_PLAN_COLUMNS = ("agent", "env", "seeds", "steps", "episodes", "eval-every", "discount", "metrics")

_SUMMARY_COLUMNS = ("agent", "env", "metric", "step", "mean", "95 % interval", "n")


def show_plan(plan: Plan, records: Sequence[Record], store: Store, as_json: bool) -> None:
    """Print what a run would do."""
    if as_json:
        tasks = [{**_record(r), "task": attrs.asdict(r.task)} for r in records]
        show_json({"out": str(store.directory), "tasks": tasks})
        return
    rows = [(agent, *_site_cells(site)) for agent in plan.agents for site in plan.sites]
    kept = sum(record.has_rows for record in records)
    done = f", of which {kept} are done" if kept else ""
    show_table(_PLAN_COLUMNS, rows, right=_PLAN_COLUMNS[3:7])
    click.echo(f"{len(records)} tasks{done}; results would go to {store.directory}")


def _site_cells(site: Site) -> tuple[Any, ...]:
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


def show_results(
    registry: Registry, plan: Plan, records: Sequence[Record], store: Store, as_json: bool
) -> None:
    """Print the summary over seeds and where the results are."""
    # Imported here so that the first task starts before scipy is loaded.
    from mfbpi_run import summary

    files = [r.file for r in records if r.has_rows and r.file is not None]
    lines, notes = summary.summarise(files, summary.ranges(registry))
    for note in notes if plan.metrics_asked_for else []:
        click.echo(f"note: {note}", err=True)
    if as_json:
        tasks = [_record(record) for record in records]
        listed = [attrs.asdict(line) for line in lines]
        show_json({"out": str(store.directory), "tasks": tasks, "summary": listed})
        return
    if lines:
        _show_summary(lines)
    counts = Counter(record.status for record in records)
    totals = ", ".join(f"{count} {status}" for status, count in counts.items())
    click.echo(f"{len(records)} tasks: {totals}; results: {store.directory}")


def _show_summary(lines: Sequence[Any]) -> None:
    from mfbpi_run import summary

    rows = [(x.agent, x.env, x.metric, x.step, f"{x.mean:.4g}", x.interval, x.n) for x in lines]
    single = f" {summary.SINGLE}" if any(line.n == 1 for line in lines) else ""
    show_table(
        _SUMMARY_COLUMNS, rows, caption=summary.CAPTION + single, right=("step", "mean", "n")
    )


def _record(record: Record) -> dict[str, Any]:
    return {
        "task_id": record.task.task_id,
        "agent": record.task.agent.shown,
        "env": record.task.environment.shown,
        "seed": record.task.seed,
        "status": record.status,
        "file": None if record.file is None else str(record.file),
    }
