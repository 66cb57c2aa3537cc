"""A few kills of a grid with arrays; ``make chaos`` has more of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos import ground
from tests.chaos.chaos import Chaos
from tests.chaos.grid import MODES


@pytest.mark.slow
@pytest.mark.parametrize("place", ground.PLACES)
@pytest.mark.parametrize("mode", MODES)
def test_killed_grid_resumes_to_the_same_tables(mode: str, place: str, tmp_path: Path) -> None:
    """Five kills of driver or workers: rows and arrays are those of an undisturbed run."""
    with ground.prepared(tmp_path, mode, place, seed=5) as where:
        chaos = Chaos.prepared(where, 5)
        for _ in range(5):
            chaos.kill()
        chaos.settle()
        chaos.report()

    assert sum(chaos.counts.values()) == 5
