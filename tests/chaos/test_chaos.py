"""A few kills of a grid with arrays; ``make chaos`` has more of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.chaos import Chaos


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["process", "shards", "ray"])
def test_killed_grid_resumes_to_the_same_tables(mode: str, tmp_path: Path) -> None:
    """Five kills of driver or workers: rows and arrays are those of an undisturbed run."""
    chaos = Chaos.prepared(tmp_path, 5, mode)
    for _ in range(5):
        chaos.kill()
    chaos.settle()

    assert sum(chaos.counts.values()) == 5
