"""Results as an object: rows with their configurations, the summary, the arrays, the failures."""

from __future__ import annotations

import functools
import html
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mfbpi.notices import warn
from mfbpi.results import failures as failing
from mfbpi.results import frames
from mfbpi.results import summary as summaries
from mfbpi.results.collected import Found, collected, once_each
from mfbpi.results.comparing.compared import Compared
from mfbpi.results.failures import Failure, failures_in
from mfbpi.results.learnt.learnt import Learnt
from mfbpi.results.storage import reading, table
from mfbpi.results.storage.directory import Store
from mfbpi.results.storage.places import Place, parse
from mfbpi.results.storage.reading import Result
from mfbpi.results.summary import Summary
from mfbpi_core.data.task import Task
from mfbpi_core.errors import UsageError
from mfbpi_core.plugins.registry import Registry

if TYPE_CHECKING:
    from mfbpi.results.drawing.plots import Kind, Plots, Statistic


@attrs.frozen(kw_only=True, eq=False)
class Array:
    """An array that a metric has kept, at the end of a run; ``values`` has its shape."""

    agent: str
    env: str
    seed: int
    metric: str
    name: str
    values: npt.NDArray[np.float64]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Results(Learnt, Compared):
    """What one or several directories hold.

    Attributes:
        directories: where the results are.
        found: each task that is done, by agent, environment and seed.
        failures: the tasks that failed, with their causes.
    """

    directories: tuple[Place, ...]
    found: tuple[Result, ...]
    failures: tuple[Failure, ...]

    @property
    def directory(self) -> Place:
        """Where the results are.

        Raises:
            UsageError: where they are in several places.
        """
        if len(self.directories) != 1:
            raise UsageError(
                f"these results are in {len(self.directories)} directories; see `directories`"
            )
        return self.directories[0]

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks that are done."""
        return tuple(each.task for each in self.found)

    @functools.cached_property
    def table(self) -> pa.Table:
        """The rows, with the configuration as columns ``agent.<key>`` and ``env.<key>``."""
        if not self.found:
            return table.ROWS.empty_table()
        return frames.with_configuration(collected(self.found), self.found)

    def to_pandas(self) -> Any:
        """:attr:`table` as a pandas data frame; raises :class:`UsageError` without pandas."""
        return frames.frame(self.table)

    def summary(self) -> Summary:
        """The last value of every metric, over seeds: mean, 95 % t-interval, n.

        Its ``notes`` say which runs failed, and so are in no mean.
        """
        found = summaries.summarise(self.files, summaries.ranges(Registry.discover()))
        return attrs.evolve(found, notes=[*failing.noted(self.failures, self.tasks), *found.notes])

    @property
    def files(self) -> list[Place]:
        """The file of each task that is done."""
        return [self.file(task) for task in self.tasks]

    def certificate(self, task: Task) -> Place | None:
        """The certificate of a run that a stopping rule has stopped, for ``mfbpi.verify``."""
        path = self.file(task, ".certificate.json")
        return path if path.exists() else None

    def file(self, task: Task, suffix: str = ".parquet") -> Place:
        """Where a table of a task is; what no directory has is said to be in the last."""
        for directory in self.directories:
            store = Store(directory)
            places = (store.path(task.task_id, suffix), directory / f"{task.task_id}{suffix}")
            for place in places:  # the second one in the layout of earlier versions
                if place.exists():
                    return place
        return places[0]

    def arrays(self, metric: str | None = None, name: str | None = None) -> list[Array]:
        """The arrays that metrics have kept, run with ``arrays=True``.

        Args:
            metric: those of this metric alone.
            name: those of this name alone.
        """
        return [
            each
            for task in self.tasks
            if task.arrays
            for each in arrays_of(task, self.file(task, ".arrays.parquet"))
            if metric in (None, each.metric) and name in (None, each.name)
        ]

    def plot(
        self,
        *,
        metrics: str | Sequence[str] = (),
        kinds: Kind | Sequence[Kind] = (),
        statistic: Statistic = "mean",
    ) -> Plots:
        """Curves, final scores, stopping times, maps of visits; see :func:`plots.plot`.

        Args:
            metrics: columns, or metrics all of whose columns are drawn, one or several; all of
                them if empty.
            kinds: one or several of ``"curves"``, ``"scores"``, ``"stops"`` and ``"maps"``; all of
                them if empty.
            statistic: ``"mean"`` or ``"median"`` over seeds.
        """
        from mfbpi.results.drawing import plots  # they need this module

        return plots.plot(self, metrics=metrics, kinds=kinds, statistic=statistic)

    def __repr__(self) -> str:
        where = ", ".join(map(str, self.directories))
        failed = f", {len(self.failures)} failed" if self.failures else ""
        return f"<Results of {len(self.found)} tasks{failed}: {where}>"

    def _repr_html_(self) -> str:
        """The summary, as a notebook shows it, below what these results are."""
        return f"<p>{html.escape(repr(self))}</p>{self.summary()._repr_html_()}"


def arrays_of(task: Task, file: Place) -> Iterator[Array]:
    """The arrays in the file of a task; raises :class:`ResultError` where that is none."""
    for row in reading.read(file, table.ARRAYS, task.task_id).content.to_pylist():
        yield Array(
            agent=row["agent"],
            env=row["env"],
            seed=row["seed"],
            metric=row["metric"],
            name=row["array"],
            values=np.array(row["values"], dtype=np.float64).reshape(row["shape"]),
        )


def load(*directories: str | Place) -> Results:
    """Read what runs have written, in one or several directories.

    Raises:
        UsageError: when none is given, or one of them holds no results.

    Example:
        >>> import mfbpi
        >>> written = mfbpi.run(
        ...     agents=["uniform"], environments=["riverswim"], seeds=0, steps=200,
        ...     out="results/loaded", executor="serial",
        ... )
        >>> [task.label for task in mfbpi.load("results/loaded").tasks]
        ['uniform on riverswim, seed 0']
    """
    if not directories:
        raise UsageError("no directory is given; give one or several")
    places = tuple(parse(directory) for directory in directories)
    found = once_each([each for place in places for each in Found.read(place).results])
    done = {each.task.task_id for each in found}
    failures = [each for place in places for each in failures_in(place)]
    return Results(
        directories=places,
        found=tuple(found),
        failures=tuple(each for each in failures if each.task.task_id not in done),
    )


def of_tasks(directory: Place, tasks: Sequence[Task]) -> Results:
    """What became of these tasks in a directory that has just been written to."""
    wanted = {task.task_id for task in tasks}
    store = Store(directory)
    problems: list[str] = []
    paths = [path for path in store.rows() if path.stem in wanted]
    found = once_each(list(reading.read_all(paths, problems)))
    for problem in problems:
        warn(problem)
    missing = wanted - {each.task.task_id for each in found}  # a kill may leave an old report
    failures = [each for each in failures_in(directory) if each.task.task_id in missing]
    return Results(directories=(directory,), found=tuple(found), failures=tuple(failures))
