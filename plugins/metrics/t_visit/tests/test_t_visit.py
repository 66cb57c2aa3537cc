from __future__ import annotations

import numpy as np
import pytest

from mfbpi_lib_tabular.testing import in_rooms, measure_after
from mfbpi_metric_t_visit.metric import LastVisitTime, t_visit_std


@pytest.fixture
def metric() -> LastVisitTime:
    """The metric over four rooms of which the last is locked, before the first step."""
    return in_rooms(LastVisitTime)


@pytest.mark.parametrize(
    ("last", "total", "expected"),
    [
        ([0, 10], 10, 0.5),  # 0 and 1: the largest possible
        ([10, 5, 0], 10, np.sqrt(1 / 6)),  # deviations 1/2, 0, 1/2
        ([10, 9, 8, 7], 10, np.sqrt(0.0125)),  # deviations .15, .05, .05, .15
        ([3], 10, 0.0),
    ],
)
def test_by_hand(last: list[int], total: int, expected: float) -> None:
    """Standard deviations of the population that can be computed by hand."""
    assert t_visit_std(last, total) == pytest.approx(expected, abs=1e-15)


def test_column(metric: LastVisitTime) -> None:
    """Last visits 4, 2 and never of 4 steps: t_visit = 1, 1/2, 0; the locked room is left out."""
    expected = np.sqrt(1 / 6)

    assert measure_after(metric, [1, 1, 0, 0]) == {"t_visit_std": pytest.approx(expected)}


def test_arrays(metric: LastVisitTime) -> None:
    """Last visits of all cells, as a copy."""
    measure_after(metric, [0, 2, 2])
    last = metric.arrays()["last_visit"]
    last[:] += 1

    assert last.tolist() == [2, 1, 4, 1]
    assert metric.arrays()["last_visit"].tolist() == [1, 0, 3, 0]
