"""A table with one row for each task: configuration, durations, and why it failed if it did."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pyarrow as pa

from mfbpi.results import frames
from mfbpi.results.collecting.entries import Entries
from mfbpi.results.failures import Failure
from mfbpi_core.data.plain import JsonObject

_ABOUT = (
    ("horizon", pa.int64()),
    ("episodes", pa.int64()),
    ("eval_every", pa.int64()),
    ("discount", pa.float64()),
    ("n_rows", pa.int64()),
    ("learning_s", pa.float64()),
    ("metrics_s", pa.float64()),
    ("total_s", pa.float64()),
    ("replicas", pa.int64()),
)


def runs_table(entries: Entries, failures: Sequence[Failure]) -> pa.Table:
    """Every task that is done, then those that failed.

    Columns: task_id, agent, env, seed, status, cause, then settings and durations, then
    ``agent.<key>`` and ``env.<key>``, null where there is no such parameter.
    """
    names = entries.listed
    failed = [each.task for each in failures]
    about = [e.about for e in names] + [(*entries.about(t), 0, *4 * (None,)) for t in failed]
    columns: dict[str, pa.Array] = {
        "task_id": pa.array([e.task_id for e in names] + [t.task_id for t in failed], pa.string()),
        "agent": _text([e.agent for e in names] + [t.agent.shown for t in failed]),
        "env": _text([e.env for e in names] + [t.environment.shown for t in failed]),
        "seed": pa.array([e.seed for e in names] + [t.seed for t in failed], pa.int64()),
        "status": _text(["done"] * len(names) + ["failed"] * len(failed)),
        "cause": pa.array([None] * len(names) + [f.cause for f in failures], pa.string()),
    }
    for index, (name, kind) in enumerate(_ABOUT, start=2):
        columns[name] = pa.array([each[index] for each in about], kind)
    configs = [json.loads(text) for text in entries.configs]
    for index, role in enumerate(("agent", "env")):
        numbers = [each[index] for each in about]
        columns |= _parameters(role, configs, numbers)
    return pa.table(columns)


def _parameters(
    role: str, configs: Sequence[JsonObject], numbers: Sequence[int]
) -> dict[str, pa.Array]:
    """A column for each parameter of the configurations with these numbers."""
    used = sorted(set(numbers))
    place = {number: index for index, number in enumerate(used)}
    indices = pa.array([place[number] for number in numbers], pa.int64())
    own = [configs[number] for number in used]
    return {
        f"{role}.{key}": frames.column([config.get(key) for config in own]).take(indices)
        for key in frames.keys(own)
    }


def _text(values: Sequence[str]) -> pa.Array:
    return pa.array(values, pa.string()).dictionary_encode()
