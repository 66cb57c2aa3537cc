"""A task run again from its own provenance, and compared with what is there."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import attrs
import pyarrow as pa

from mfbpi.execute.found import Found
from mfbpi.execute.working import compiled
from mfbpi.execute.working.worker import run_task
from mfbpi.plan import own, trust
from mfbpi.results.storage import places, provenance, reading, table
from mfbpi.results.storage.places import Place
from mfbpi.results.storage.reading import ResultError
from mfbpi_core.contracts.parameters.bounds import bound_field
from mfbpi_core.data.plain import JsonObject
from mfbpi_core.data.task import PluginRef, Task
from mfbpi_core.errors import UsageError
from mfbpi_core.plugins import assembly
from mfbpi_core.plugins.registry import Registry

#: Column that no two runs have in common.
_TIME = "elapsed_s"

#: Differences that are listed one by one; beyond, they are counted.
SHOWN = 10


@attrs.frozen(kw_only=True, eq=False)
class Reproduced:
    """What became of a task the second time.

    Attributes:
        task: the task.
        n_rows: how many rows the file has.
        programs: what has another version now, or is another platform, in words.
        differences: rows that differ, in words, the first of them.
        n_different: how many rows differ.
        replicas: how many seeds ran together the first time; this time, the task runs alone.
        failure: why it failed this time; empty if it did not.
    """

    task: Task
    n_rows: int
    programs: tuple[str, ...]
    differences: tuple[str, ...]
    n_different: int
    replicas: int
    failure: str

    @property
    def is_same(self) -> bool:
        """Whether every number is the same, bit for bit."""
        return not self.failure and self.n_different == 0


def reproduce(
    file: str | Place,
    agent: str | None = None,
    environment: str | None = None,
    *,
    code: own.Code = (),
    imports: Collection[str] = (),
) -> Reproduced:
    """Run a task again from the provenance in the file of its rows, and compare the numbers.

    Only plugins that are installed are run, whatever the file says.

    Args:
        file: ``DIR/<task_id>.parquet``.
        agent: ``"./FILE.py:CLASS"``, where the agent has no packaging: from where it is taken is
            for the reader to say, never for the file. Its content must be the same.
        environment: likewise.
        code: likewise, of whatever kind: metrics, a stopping rule, bounds. One or several, as
            names or as classes of this session; those that this session has run need no saying.
        imports: modules that the file may ask to import, such as that of an own environment of
            Gymnasium; none if empty.

    Raises:
        UsageError: when the file is none of a task, or names a plugin that is not there.

    Example:
        >>> import mfbpi
        >>> ended = mfbpi.run(
        ...     "q_learning", "riverswim", seeds=0, steps=200, out="results/again",
        ...     executor="serial",
        ... )
        >>> mfbpi.reproduce(ended.files[0]).is_same
        True
    """
    before = _read(places.parse(file))
    registry = Registry.discover()
    compiled.find_place(registry)
    _take_in(registry, before.task, agent, environment, code)
    trust.check(assembly.find(registry, "environment", before.task.environment), imports)
    outcome = run_task(before.task.to_json(), find_plugins=Found.already(registry))
    programs = tuple(_programs(before.origin))
    found: list[str] = []
    if outcome.status == "done":
        now = table.from_bytes(outcome.tables[".parquet"])
        programs = tuple(_programs(before.origin, table.provenance(now)))
        found = list(_differences(before.content, now))
    return Reproduced(
        task=before.task,
        n_rows=before.content.num_rows,
        programs=programs,
        differences=tuple(found[:SHOWN]),
        n_different=len(found),
        replicas=_replicas(before.origin),
        failure=outcome.cause or outcome.error.strip(),
    )


def _read(file: Place) -> reading.Result:
    try:
        return reading.read(file)
    except ResultError as error:
        raise UsageError(
            f"{error}; give the file of one task, such as DIR/0123456789abcdef.parquet"
        ) from error


def _take_in(
    registry: Registry,
    task: Task,
    agent: str | None,
    environment: str | None,
    code: own.Code,
) -> None:
    """Find what a task needs; what has no packaging only where the caller says it is."""
    own.take_in_all(registry, code)
    for kind, given, ref in (
        ("agent", agent, task.agent),
        ("environment", environment, task.environment),
    ):
        if given is not None:
            own.find(registry, kind, given)
        own.require_known(registry, kind, ref.name, field=kind)
    judges = [("metric", ref) for ref in task.metrics]
    if task.stop is not None:
        judges.append(("stopping_rule", task.stop.rule))
    for kind, ref in judges:
        own.require_known(registry, kind, ref.name, field="code")
    for kind, ref in [("agent", task.agent), *judges]:
        for name in _bounds(registry, kind, ref):
            own.require_known(registry, "bound", name, field="code")


def _bounds(registry: Registry, kind: str, ref: PluginRef) -> Iterator[str]:
    """The bound that a plugin's parameters name, if they name one."""
    field = bound_field(registry.get(kind, ref.name).load_config())
    name = None if field is None else ref.config.get(field)
    if isinstance(name, str):
        yield name


def _replicas(origin: JsonObject) -> int:
    """How many seeds ran together, as a file says; 1 where it says nothing of use."""
    told = origin.get("replicas")
    return told if type(told) is int else 1


def _programs(before: JsonObject, now: JsonObject | None = None) -> Iterator[str]:
    """What is other than it was: versions, source revision, platform."""
    made_with = {group: dict(before.get(group, {})) for group in provenance.GROUPS}
    if now is None:  # it has failed; what the file alone names is not looked at
        made_with["made_of"] = {}
    own_now = provenance.installed(made_with, (now or {}).get("made_of", {}))
    yield from provenance.changes(made_with, own_now)
    for group in ("git", "platform"):
        then, here = before.get(group, {}), (now or {}).get(group, {})
        for key in sorted(then.keys() & here.keys()):
            if then[key] != here[key]:
                yield f"{group} {key} {then[key]} then and {here[key]} now"


def _differences(before: pa.Table, now: pa.Table) -> Iterator[str]:
    """The rows that differ; NaN does not occur in them."""
    then, here = (
        {(row["step"], row["metric"]): row for row in each.drop_columns([_TIME]).to_pylist()}
        for each in (before, now)
    )
    for key in sorted(then.keys() | here.keys()):
        step, metric = key
        if key not in here or key not in then:
            yield f"{metric} at step {step} is there {'then' if key in then else 'now'} only"
        elif then[key] != here[key]:
            for name in ("value", "episode"):
                old, new = then[key][name], here[key][name]
                if old != new:
                    yield f"{metric} at step {step}: {name} {old!r} then and {new!r} now"
