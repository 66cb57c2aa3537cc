"""Carries out the studies of an experiment: directory, table, figures."""

from __future__ import annotations

from typing import Any

import attrs
import pyarrow as pa
import pyarrow.compute as pc

from mfbpi.execute.events import Observer
from mfbpi.execute.interrupt import Interrupts
from mfbpi.execute.settings import Execution
from mfbpi.instances import studies
from mfbpi.results import frames
from mfbpi.results.drawing import figures
from mfbpi.results.storage import manifest, provenance, table
from mfbpi.results.storage.directory import STUDY, Store, create_first, default_directories
from mfbpi.results.storage.places import Place
from mfbpi.results.storage.used import Used
from mfbpi_core.contracts.experiment import Experiment, InstanceStudy
from mfbpi_core.errors import UsageError
from mfbpi_core.plugins.registry import Registry


@attrs.frozen(kw_only=True, eq=False)
class Tabulated:
    """A study that was carried out.

    Attributes:
        content: its table.
        store: the directory.
        figures: the files drawn.
    """

    content: pa.Table
    store: Store
    figures: list[Place]

    @property
    def table(self) -> pa.Table:
        """The table, one number a row."""
        return self.content

    @property
    def directory(self) -> Place:
        """Where it is."""
        return self.store.directory

    def to_pandas(self) -> Any:
        """The table as a pandas data frame; raises :class:`UsageError` without pandas."""
        return frames.frame(self.content)

    @property
    def path(self) -> Place:
        """The file of the table."""
        return self.store.directory / STUDY

    @property
    def n_failed(self) -> int:
        """Number of values that could not be computed."""
        return pc.sum(pc.equal(self.content["status"], "failed")).as_py() or 0


def instances(experiment: Experiment) -> list[tuple[InstanceStudy, studies.StudyPoint]]:
    """Each study with each of its instances."""
    return [(study, each) for study in experiment.studies for each in studies.subjects(study)]


def tabulate(
    registry: Registry,
    name: str,
    experiment: Experiment,
    execution: Execution,
    observer: Observer | None = None,
) -> Tabulated:
    """Tabulate every instance, and draw the figures.

    Raises:
        UsageError: when the directory holds a study already, and ``if_exists`` is ``"fail"`` or
            it is another study.
        KeyboardInterrupt: after Ctrl-C; no table is written then.
    """
    with Interrupts().handled():
        directory = execution.out or create_first(default_directories([name], ["study"]))
        store = Store(directory)
        with store.writing():
            content = _table(registry, experiment, store, execution, observer or Observer())
            drawn = figures.draw(experiment.figures, content, directory)
    return Tabulated(content=content, store=store, figures=drawn)


def _table(
    registry: Registry,
    experiment: Experiment,
    store: Store,
    execution: Execution,
    observer: Observer,
) -> pa.Table:
    """The table that is there, or a new one, written whole at the end."""
    path = store.directory / STUDY
    definition = {
        f"study {number}": studies.definition(registry, study)
        for number, study in enumerate(experiment.studies, start=1)
    }
    _refuse_others(store, experiment)
    if path.exists() and execution.if_exists == "fail":
        raise UsageError(
            f"{store.directory} already holds a study; add `if_exists='resume'` to draw its "
            "figures again or `if_exists='overwrite'` to compute all again, or choose another `out`"
        )
    if path.exists() and execution.if_exists == "resume":
        content = _read(path)
        before = table.provenance(content).get("studies", {})
        manifest.refuse_differences(store.directory, {"studies": before}, {"studies": definition})
        return content
    rows = _rows(registry, experiment, observer)
    origin = {
        "schema_version": table.SCHEMA_VERSION,
        "studies": definition,
        **provenance.describe(Used(tuple(registry.plugins))),
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
        raise UsageError(f"{store.directory} holds runs; choose another directory with `out`")
    beside = [f"{stem}.png" for stem in experiment.figures]
    if any((store.directory / name).exists() for name in beside):
        raise UsageError(
            f"{store.directory} was written by an earlier version, with figures beside the table; "
            "choose another directory with `out`"
        )


def _read(path: Place) -> pa.Table:
    try:
        content = table.read(path)
        if content.schema.remove_metadata() != studies.SCHEMA:
            raise ValueError(f"its columns are {', '.join(content.column_names)}")
        table.provenance(content)
    except Exception as error:  # a file may hold anything
        raise UsageError(
            f"{path} is not a study of mfbpi ({error}); compute it again with "
            "`if_exists='overwrite'`, or choose another `out`"
        ) from error
    return content


def _rows(registry: Registry, experiment: Experiment, observer: Observer) -> list[studies.Record]:
    rows: list[studies.Record] = []
    for study, subject in observer.tracked(instances(experiment)):
        rows.extend(studies.records(registry, study, subject))
    return rows
