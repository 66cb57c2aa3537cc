"""Carries out the studies of an experiment: directory, progress, table, figures, summary."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import pyarrow as pa
import pyarrow.compute as pc

from mfbpi_core.errors import UsageError
from mfbpi_core.experiment import Experiment
from mfbpi_core.registry import Registry
from mfbpi_core.specs import load_object
from mfbpi_lib_statistics.intervals import LEVEL, t_interval
from mfbpi_run import figures, provenance, studies, table
from mfbpi_run.exit_codes import INTERRUPTED
from mfbpi_run.interrupt import Interrupts
from mfbpi_run.output import show_json, show_table
from mfbpi_run.session import Settings
from mfbpi_run.store import Store, atomic_write, create_first, default_directories

#: The table of a study.
STUDY = "study.parquet"

#: What tells one line of the summary from another.
_KEY = ("env", "discount", "quantity", "k", "constraint", "at")

#: Longer summaries are left to the table.
_SHOWN_LINES = 200


def carry_out(registry: Registry, name: str, experiment: Experiment, settings: Settings) -> int:
    """Tabulate every instance; returns the exit code.

    Raises:
        UsageError: when the directory holds a study already and ``if_exists`` is ``"fail"``.
    """
    instances = [(study, each) for study in experiment.studies for each in studies.subjects(study)]
    if settings.dry_run:
        _show_plan(name, len(instances), settings)
        return 0
    with Interrupts().handled():
        directory = settings.out or create_first(default_directories([name], ["study"]))
        with Store(directory).writing():
            try:
                content = _table(registry, instances, directory / STUDY, settings)
            except KeyboardInterrupt:
                click.echo("interrupted: nothing was written", err=True)
                return INTERRUPTED
            figures.draw(experiment.figures, content, directory)
    _show(content, experiment, directory, settings)
    return 0


def _show_plan(name: str, count: int, settings: Settings) -> None:
    if settings.as_json:
        show_json({"experiment": name, "instances": count})
    else:
        click.echo(f"{name}: {count} instances would be tabulated")


def _table(
    registry: Registry, instances: list[tuple[Any, Any]], path: Path, settings: Settings
) -> pa.Table:
    """The table that is there, or a new one, written whole at the end."""
    if path.exists() and settings.if_exists == "fail":
        raise UsageError(
            f"{path.parent} already holds a study; add --if-exists resume to draw its figures "
            "again or --if-exists overwrite to compute all again, or choose another --out"
        )
    if path.exists() and settings.if_exists == "resume":
        return table.read(path)
    rows: list[studies.Record] = []
    with _shown(settings) as track:
        for study, subject in track(instances):
            rows.extend(studies.records(registry, study, subject))
    origin = {"schema_version": table.SCHEMA_VERSION, **provenance.describe(registry.plugins)}
    content = table.with_provenance(studies.to_table(rows), origin)
    atomic_write(path, table.to_bytes(content))
    return content


@contextmanager
def _shown(settings: Settings) -> Iterator[Any]:
    """A function that shows progress over a list on standard error, where someone sees it."""
    if not (settings.progress and sys.stderr.isatty()):
        yield iter
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        yield bar.track


def _show(content: pa.Table, experiment: Experiment, directory: Path, settings: Settings) -> None:
    lines = list(_summary(content))
    finding = load_object(experiment.finding)(content) if experiment.finding else ""
    if settings.as_json:
        texts = {"finding": finding, "notes": experiment.notes}
        show_json({"out": str(directory), **texts, "summary": lines})
        return
    if len(lines) <= _SHOWN_LINES:
        rows = [tuple(_cell(value) for value in line.values()) for line in lines]
        caption = (
            f"Mean over n draws with its {100 * LEVEL:g} % t-interval; infinite values are left "
            "out. at: the bound at whose optimal allocation the value is taken."
        )
        show_table(tuple(lines[0]), rows, caption=caption, right=("mean", "n"))
    for text in filter(None, (finding, experiment.notes)):
        click.echo(text)
    click.echo(f"table: {directory / STUDY}")


def _summary(content: pa.Table) -> Iterator[dict[str, Any]]:
    """One line for each quantity of each environment, over its draws."""
    finite = content.filter(pc.is_valid(content["value"]))
    groups: dict[tuple[Any, ...], list[float]] = {}
    for row in finite.select([*_KEY, "value"]).to_pylist():
        groups.setdefault(tuple(row[name] for name in _KEY), []).append(row["value"])
    for key, values in groups.items():
        interval = t_interval(values, bounds=(0.0, math.inf))  # none of them is negative
        ends = None if interval.low is None else [interval.low, interval.high]
        yield {
            **dict(zip(_KEY, key, strict=True)),
            "mean": interval.mean,
            "interval": ends,
            "n": interval.n,
        }


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return f"[{value[0]:.6g}, {value[1]:.6g}]"
    return f"{value:.7g}" if isinstance(value, float) else str(value)
