from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mfbpi_metric_allocation.metric import total_variation


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ([[0.5, 0.5], [0.0, 0.0]], [[0.5, 0.5], [0.0, 0.0]], 0.0),
        ([[1.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.5, 0.5]], 1.0),
        ([[0.4, 0.3], [0.2, 0.1]], [[0.25, 0.25], [0.25, 0.25]], 0.2),
    ],
)
def test_total_variation_by_hand(one: Any, other: Any, distance: float) -> None:
    """Equal, disjoint, and in between: 0.15 + 0.05 lies above."""
    assert total_variation(one, other) == pytest.approx(distance)


def test_total_variation_never_leaves_its_range() -> None:
    """Rounding must not make disjoint distributions more than 1 apart."""
    tenths = np.full(10, 0.1 + 1e-17)
    one, other = np.append(tenths, np.zeros(10)), np.append(np.zeros(10), tenths)

    assert total_variation(one * (1.0 + 4e-16), other) <= 1.0
