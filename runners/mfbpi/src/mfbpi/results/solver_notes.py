"""What results say of solvers that failed: an agent goes on, and the reader must know."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from mfbpi.results.storage import table
from mfbpi.results.storage.places import Place


def failures(files: Iterable[Place]) -> list[str]:
    """One line for each agent and environment in which a solver failed.

    Args:
        files: results; of each the metadata alone is parsed.
    """
    counts: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for file in files:
        _, schema = table.look(file)
        origin = table.origin_of(schema)
        profile, task = origin.get("agent_profile", {}), table.task_in(origin)
        failed, runs = (int(_number(profile, f"solver_{name}")) for name in ("failures", "runs"))
        key = task.agent.shown, task.environment.shown
        counts.setdefault(key, []).append((failed, runs))
    return [_line(*key, found) for key, found in counts.items() if any(n for n, _ in found)]


def _number(profile: Any, name: str) -> float:
    """A number of a profile, as files of others hold it: zero where there is none."""
    value = profile.get(name, 0) if isinstance(profile, dict) else 0
    return value if type(value) in (int, float) and math.isfinite(value) else 0


def _line(agent: str, env: str, found: list[tuple[int, int]]) -> str:
    failed, runs = (sum(column) for column in zip(*found, strict=True))
    hit = sum(n > 0 for n, _ in found)
    return (
        f"{failed} of {runs} re-solves of {agent} on {env} failed, in {hit} of {len(found)} runs; "
        "it followed the best allocation known"
    )
