"""Tables of results that figures are drawn from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pyarrow as pa
import pytest

Row = tuple[str, str, int, int, str, float]


@pytest.fixture
def table() -> Callable[[Iterable[Row]], pa.Table]:
    """Makes a table of rows (agent, env, seed, step, metric, value)."""

    def make(rows: Iterable[Row]) -> pa.Table:
        names = ("agent", "env", "seed", "step", "metric", "value")
        columns: list[Any] = list(zip(*rows, strict=True))
        return pa.table(dict(zip(names, map(list, columns), strict=True)))

    return make


@pytest.fixture
def grid(table: Any) -> Callable[[Iterable[str], Iterable[str], int], pa.Table]:
    """Makes runs of agents on environments, so many seeds each, with scores that rise to 1."""

    def make(agents: Iterable[str], environments: Iterable[str], n_seeds: int) -> pa.Table:
        return table(
            (agent, env, seed, step, "score", step / 1000 * (1.0 - 0.1 * seed / n_seeds))
            for agent in agents
            for env in environments
            for seed in range(n_seeds)
            for step in range(0, 1001, 200)
        )

    return make
