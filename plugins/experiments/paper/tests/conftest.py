"""Tables of results as the runner writes them, made up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

AGENTS = ("psrl", "mf_bpi", "somebody")


@pytest.fixture
def runs() -> Callable[..., pa.Table]:
    """Scores of three agents in two families; scores by seed may be given for all of them."""

    def make(scores: tuple[float, ...] = (0.2, 1.0, 0.9), metric: str = "value_ratio") -> pa.Table:
        rows = [
            {"agent": agent, "env": env, "seed": seed, "step": step, "metric": metric}
            | {"value": score if step else 0.0}
            for agent in AGENTS
            for env in ("riverswim(n_states=10)", "riverswim(n_states=5)", "ring")
            for seed, score in enumerate(scores)
            for step in range(0, 40_001, 200)
        ]
        names = ("agent", "env", "metric")
        columns: dict[str, Any] = {name: [row[name] for row in rows] for name in rows[0]}
        encoded = {name: pa.array(columns[name]).dictionary_encode() for name in names}
        return pa.table({**columns, **encoded})

    return make


@pytest.fixture
def study() -> Callable[..., pa.Table]:
    """A table of a study with these rows of quantity, at, env, replicate and value."""

    def make(*rows: tuple[str, str | None, str, int | None, float | None]) -> pa.Table:
        names = ("quantity", "at", "env", "replicate", "value")
        records = [
            {
                "discount": 0.95,
                "constraint": "generative",
                "k": None,
                **dict(zip(names, row, strict=True)),
            }
            for row in rows
        ]
        kinds = {"replicate": pa.int64(), "value": pa.float64(), "k": pa.int64()}
        return pa.table(
            {
                name: pa.array([record[name] for record in records], kinds.get(name))
                for name in records[0]
            }
        )

    return make
