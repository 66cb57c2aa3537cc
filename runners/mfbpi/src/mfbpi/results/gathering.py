"""The runs of several directories in one table, with labels that tell them apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mfbpi.notices import warn
from mfbpi.results import reading, table
from mfbpi.results.directory import Store
from mfbpi.results.reading import Result, ResultError
from mfbpi_core.data.task import Task
from mfbpi_core.errors import UsageError

#: The numbers of a run.
_NUMBERS = ("seed", "step", "metric", "value")


@attrs.frozen(kw_only=True, eq=False)
class Kept:
    """An array that a run kept."""

    agent: str
    env: str
    metric: str
    name: str
    values: npt.NDArray[np.float64]


@attrs.frozen(kw_only=True, eq=False)
class Runs:
    """Runs of one directory or several, each task once.

    Attributes:
        rows: agent, env, seed, step, metric and value of each measurement.
        kept: the arrays.
    """

    rows: pa.Table
    kept: list[Kept]


@attrs.frozen(kw_only=True, eq=False)
class _Found:
    """One run, and the directory it lies in."""

    task: Task
    rows: pa.Table
    directory: Path

    @property
    def place(self) -> tuple[str, str, int]:
        """What figures know a run by."""
        return self.task.agent.shown, self.task.environment.shown, self.task.seed


def gather(directories: Sequence[Path], *, arrays: bool = True) -> Runs:
    """Read the runs of these directories.

    Where runs of several directories have the same agent, environment and seed, the names of the
    directories stand before those of the agents.

    Args:
        directories: each holds results.
        arrays: whether arrays are read too.

    Raises:
        UsageError: when a directory holds no results, or two runs cannot be told apart.
    """
    once: dict[str, _Found] = {}
    for directory in dict.fromkeys(directories):
        for each in _read(directory):
            once.setdefault(each.task.task_id, each)
    found = sorted(once.values(), key=lambda each: (*each.place, each.task.task_id))
    prefixes = _prefixes(found)
    parts = [_named(each, prefixes[each.directory]) for each in found]
    kept = [
        array
        for each in found
        if arrays and each.task.arrays
        for array in _kept(each, prefixes[each.directory])
    ]
    return Runs(rows=pa.concat_tables(parts), kept=kept)


def _read(directory: Path) -> Iterator[_Found]:
    """Each run of a directory; files that are no results are warned of."""
    problems: list[str] = []
    n_found = 0
    for result in reading.read_all(Store(directory).rows(), problems):
        n_found += 1
        yield _found(result, directory)
    for problem in problems:
        warn(problem)
    if not n_found:
        raise UsageError(f"{directory} holds no results; give a directory that `mfbpi run` wrote")


def _found(result: Result, directory: Path) -> _Found:
    numbers = result.content.select(list(_NUMBERS)).replace_schema_metadata(None)
    plain = numbers.set_column(2, "metric", numbers["metric"].cast(pa.string()))
    return _Found(task=result.task, rows=plain, directory=directory)


def _named(found: _Found, prefix: str) -> pa.Table:
    """The rows with the labels of agent and environment."""
    agent, env, _ = found.place
    n_rows = found.rows.num_rows
    labelled = found.rows.add_column(0, "env", pa.array([env] * n_rows, pa.string()))
    return labelled.add_column(0, "agent", pa.array([prefix + agent] * n_rows, pa.string()))


def _prefixes(found: Sequence[_Found]) -> dict[Path, str]:
    """What stands before the agents of each directory: nothing, or its name."""
    directories = {each.directory: None for each in found}
    if not _meet(found):
        return dict.fromkeys(directories, "")
    names = {directory: directory.resolve().name for directory in directories}
    unique = len(set(names.values())) == len(names)
    return {directory: f"{names[directory] if unique else directory}: " for directory in names}


def _meet(found: Sequence[_Found]) -> bool:
    """Whether runs of several directories have one place; raises where those of one have."""
    places: dict[tuple[str, str, int], list[_Found]] = {}
    for each in found:
        places.setdefault(each.place, []).append(each)
    for (agent, env, seed), runs in places.items():
        own = [each.directory for each in runs]
        for directory in own:
            if own.count(directory) > 1:
                raise UsageError(
                    f"{directory} holds {own.count(directory)} runs of {agent} on {env} with seed "
                    f"{seed}, of different settings, which a figure cannot tell apart; move them "
                    "to directories of their own"
                )
    return any(len(runs) > 1 for runs in places.values())


def _kept(found: _Found, prefix: str) -> Iterator[Kept]:
    """The arrays of a run; a file that cannot be read is warned of."""
    path = Store(found.directory).path(found.task.task_id, ".arrays.parquet")
    try:
        content = reading.read(path, table.ARRAYS).content
    except ResultError as error:
        warn(f"{error}; it is left out")
        return
    agent, env, _ = found.place
    for row in content.select(["metric", "array", "shape", "values"]).to_pylist():
        values: Any = np.array(row["values"], dtype=np.float64).reshape(row["shape"])
        yield Kept(
            agent=prefix + agent, env=env, metric=row["metric"], name=row["array"], values=values
        )
