"""Carries out the studies of an experiment: directory, progress, table, figures, summary."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mfbpi_core.errors import UsageError
from mfbpi_core.experiment import Experiment
from mfbpi_core.registry import Registry
from mfbpi_run import figures, manifest, provenance, studies, table
from mfbpi_run.exit_codes import FAILED, INTERRUPTED
from mfbpi_run.interrupt import Interrupts
from mfbpi_run.output import say, show_json, tell
from mfbpi_run.session import Settings
from mfbpi_run.store import STUDY, Store, create_first, default_directories
from mfbpi_run.study_summary import show_summary, summarise


def carry_out(registry: Registry, name: str, experiment: Experiment, settings: Settings) -> int:
    """Tabulate every instance; returns the exit code.

    Raises:
        UsageError: when the directory holds a study already, and ``if_exists`` is ``"fail"`` or
            it is another study.
    """
    if settings.dry_run:
        _show_plan(name, len(_instances(experiment)), settings)
        return 0
    with Interrupts().handled():
        directory = settings.out or create_first(default_directories([name], ["study"]))
        store = Store(directory)
        with store.writing():
            try:
                content = _table(registry, experiment, store, settings)
            except KeyboardInterrupt:
                tell("interrupted: no table was written")
                return INTERRUPTED
            figures.draw(experiment.figures, content, directory)
    return _show(content, experiment, directory, settings)


def _instances(experiment: Experiment) -> list[tuple[Any, Any]]:
    return [(study, each) for study in experiment.studies for each in studies.subjects(study)]


def _show_plan(name: str, count: int, settings: Settings) -> None:
    if settings.as_json:
        show_json({"experiment": name, "instances": count})
    else:
        say(f"{name}: {count} instances would be tabulated")


def _table(
    registry: Registry, experiment: Experiment, store: Store, settings: Settings
) -> pa.Table:
    """The table that is there, or a new one, written whole at the end."""
    path = store.directory / STUDY
    definition = {
        f"study {number}": studies.definition(registry, study)
        for number, study in enumerate(experiment.studies, start=1)
    }
    _refuse_others(store, experiment)
    if path.exists() and settings.if_exists == "fail":
        raise UsageError(
            f"{store.directory} already holds a study; add --if-exists resume to draw its figures "
            "again or --if-exists overwrite to compute all again, or choose another --out"
        )
    if path.exists() and settings.if_exists == "resume":
        content = _read(path)
        before = table.provenance(content).get("studies", {})
        manifest.refuse_differences(store.directory, {"studies": before}, {"studies": definition})
        return content
    rows = _rows(registry, experiment, settings)
    origin = {
        "schema_version": table.SCHEMA_VERSION,
        "studies": definition,
        **provenance.describe(registry.plugins),
    }
    content = table.with_provenance(studies.to_table(rows), origin)
    store.write(path, table.to_bytes(content))
    return content


def _refuse_others(store: Store, experiment: Experiment) -> None:
    """Refuse a directory of runs, or one of an earlier version with the figures beside the table.

    Raises:
        UsageError: saying which of them it is.
    """
    if store.rows() or manifest.read(store.directory):
        raise UsageError(f"{store.directory} holds runs; choose another directory with --out")
    beside = [f"{stem}.png" for stem in experiment.figures]
    if any((store.directory / name).exists() for name in beside):
        raise UsageError(
            f"{store.directory} was written by an earlier version, with figures beside the table; "
            "choose another directory with --out"
        )


def _read(path: Path) -> pa.Table:
    try:
        content = table.read(path)
        if content.schema.remove_metadata() != studies.SCHEMA:
            raise ValueError(f"its columns are {', '.join(content.column_names)}")
        table.provenance(content)
    except Exception as error:  # a file may hold anything
        raise UsageError(
            f"{path} is not a study of mfbpi ({error}); compute it again with --if-exists "
            "overwrite, or choose another --out"
        ) from error
    return content


def _rows(registry: Registry, experiment: Experiment, settings: Settings) -> list[studies.Record]:
    rows: list[studies.Record] = []
    with _shown(settings) as track:
        for study, subject in track(_instances(experiment)):
            rows.extend(studies.records(registry, study, subject))
    return rows


@contextmanager
def _shown(settings: Settings) -> Iterator[Any]:
    """A function that shows progress over a list on standard error, where someone sees it."""
    if not (settings.progress and sys.stderr.isatty()):
        yield iter
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(file=sys.stderr), transient=True) as bar:
        yield bar.track


def _show(content: pa.Table, experiment: Experiment, directory: Path, settings: Settings) -> int:
    """Print the summary; returns the exit code."""
    lines = list(summarise(content))
    finding = figures.derived(experiment.finding, content) if experiment.finding else ""
    failed = pc.sum(pc.equal(content["status"], "failed")).as_py() or 0
    if settings.as_json:
        texts = {"finding": finding, "notes": experiment.notes}
        show_json({"out": str(directory), "failed": failed, **texts, "summary": lines})
    else:
        show_summary(lines)
        for text in filter(None, (finding, experiment.notes)):
            say(text)
        say(f"table: {directory / STUDY}")
    if failed:
        what = "1 value" if failed == 1 else f"{failed} values"
        tell(f"{what} could not be computed: see the column reason of the table")
    return FAILED if failed else 0
