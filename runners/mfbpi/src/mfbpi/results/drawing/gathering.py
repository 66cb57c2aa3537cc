"""Runs as figures see them: rows and arrays, with labels that tell the runs apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs
import pyarrow as pa

from mfbpi.results.loaded import Array, Results, arrays_of
from mfbpi.results.storage.places import Place
from mfbpi.results.storage.reading import Result
from mfbpi_core.errors import UsageError

#: The numbers of a run.
_NUMBERS = ("seed", "step", "metric", "value")


@attrs.frozen(kw_only=True, eq=False)
class Runs:
    """Runs of one directory or several.

    Attributes:
        rows: agent, env, seed, step, metric and value of each measurement.
        arrays: what metrics have kept.
    """

    rows: pa.Table
    arrays: list[Array]


@attrs.frozen(kw_only=True, eq=False)
class _Run:
    """One run, and the directory it lies in."""

    result: Result
    directory: Place

    @property
    def place(self) -> tuple[str, str, int]:
        """What figures know a run by."""
        task = self.result.task
        return task.agent.shown, task.environment.shown, task.seed


def gather(results: Results, *, arrays: bool = True) -> Runs:
    """The runs, with the names of their directories before those of agents where need be.

    That is where runs of several directories have the same agent, environment and seed.

    Args:
        results: at least one run.
        arrays: whether arrays are read too.

    Raises:
        UsageError: when two runs cannot be told apart.
    """
    found = [
        _Run(result=result, directory=file.parent)
        for result, file in zip(results.found, results.files, strict=True)
    ]
    prefixes = _prefixes(found)
    parts = [_named(each, prefixes[each.directory]) for each in found]
    kept = [
        array
        for each in found
        if arrays and each.result.task.arrays
        for array in _kept(results, each, prefixes[each.directory])
    ]
    return Runs(rows=pa.concat_tables(parts), arrays=kept)


def _named(run: _Run, prefix: str) -> pa.Table:
    """The rows with the labels of agent and environment."""
    agent, env, _ = run.place
    rows = run.result.content.select(list(_NUMBERS)).replace_schema_metadata(None)
    plain = rows.set_column(2, "metric", rows["metric"].cast(pa.string()))
    labelled = plain.add_column(0, "env", pa.array([env] * rows.num_rows, pa.string()))
    agents = pa.array([prefix + agent] * rows.num_rows, pa.string())
    return labelled.add_column(0, "agent", agents)


def _prefixes(found: Sequence[_Run]) -> dict[Place, str]:
    """What stands before the agents of each directory: nothing, or its name."""
    directories = {each.directory: None for each in found}
    if not _meet(found):
        return dict.fromkeys(directories, "")
    names = {directory: directory.resolve().name for directory in directories}
    unique = len(set(names.values())) == len(names)
    return {directory: f"{names[directory] if unique else directory}: " for directory in names}


def _meet(found: Sequence[_Run]) -> bool:
    """Whether runs of several directories have one place; raises where those of one have."""
    places: dict[tuple[str, str, int], list[Place]] = {}
    for each in found:
        places.setdefault(each.place, []).append(each.directory)
    for (agent, env, seed), directories in places.items():
        for directory in directories:
            if directories.count(directory) > 1:
                raise UsageError(
                    f"{directory} holds {directories.count(directory)} runs of {agent} on {env} "
                    f"with seed {seed}, of different settings, which a figure cannot tell apart; "
                    "move them to directories of their own"
                )
    return any(len(directories) > 1 for directories in places.values())


def _kept(results: Results, run: _Run, prefix: str) -> Iterator[Array]:
    task = run.result.task
    for array in arrays_of(task, results.file(task, ".arrays.parquet")):
        yield attrs.evolve(array, agent=prefix + task.agent.shown, env=task.environment.shown)
