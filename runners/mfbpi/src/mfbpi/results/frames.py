"""Tables as data frames, and configurations as columns of tables."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from mfbpi.results.storage.reading import Result
from mfbpi_core.errors import UsageError


def frame(content: pa.Table) -> Any:
    """The table as a pandas data frame.

    Raises:
        UsageError: where pandas is not installed.
    """
    try:
        return content.to_pandas()
    except ImportError as error:
        raise UsageError(
            f"a data frame needs pandas, which cannot be imported ({error}); install it, or take "
            "the pyarrow table"
        ) from error


def with_configuration(content: pa.Table, found: Sequence[Result]) -> pa.Table:
    """The rows of some results, in their order, with a column for each parameter.

    ``agent.<key>`` and ``env.<key>``; null where an agent or an environment has no such parameter.
    """
    rows = pa.array([i for i, each in enumerate(found) for _ in range(each.content.num_rows)])
    described = {
        "agent": [each.task.agent.config for each in found],
        "env": [each.task.environment.config for each in found],
    }
    for role, configs in described.items():
        for key in keys(configs):
            values = column([config.get(key) for config in configs])
            content = content.append_column(f"{role}.{key}", values.take(rows.cast(pa.int64())))
    return content


def keys(configs: Iterable[Mapping[str, object]]) -> list[str]:
    """Every key once, in the order of the first that has it."""
    return list(dict.fromkeys(key for config in configs for key in config))


def column(values: Sequence[object]) -> pa.Array:
    """The values in one type; as JSON where they have none in common."""
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if value is None else json.dumps(value) for value in values])
