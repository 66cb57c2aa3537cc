from __future__ import annotations

import numpy as np
import pytest

from mfbpi_lib_tabular.testing import in_rooms, measure_after
from mfbpi_metric_t_avg.metric import VisitFrequency, t_avg_median, t_avg_std


@pytest.fixture
def metric() -> VisitFrequency:
    """The metric over four rooms of which the last is locked, before the first step."""
    return in_rooms(VisitFrequency)


@pytest.mark.parametrize(
    ("counts", "total", "median", "std"),
    [
        ([0, 10], 10, 0.5, 0.5),
        ([6, 3, 1], 10, 0.3, np.sqrt((0.36 + 0.09 + 0.01) / 3 - 1 / 9)),
        ([5, 5, 0, 0], 10, 0.25, 0.25),
        ([2, 2, 2, 2], 8, 0.25, 0.0),
        ([7], 7, 1.0, 0.0),
    ],
)
def test_by_hand(counts: list[int], total: int, median: float, std: float) -> None:
    """Medians and standard deviations of the population that can be computed by hand."""
    assert t_avg_median(counts, total) == pytest.approx(median, abs=1e-15)
    assert t_avg_std(counts, total) == pytest.approx(std, abs=1e-15)


def test_columns(metric: VisitFrequency) -> None:
    """Visits 3, 1, 0 of 4 steps: t_avg = 3/4, 1/4, 0; the locked room is left out."""
    measured = measure_after(metric, [0, 0, 1, 0])

    assert measured == {
        "t_avg_median": pytest.approx(0.25),
        "t_avg_std": pytest.approx(np.sqrt((9 / 16 + 1 / 16) / 3 - 1 / 9)),
    }


def test_arrays(metric: VisitFrequency) -> None:
    """Visits of all cells, as a copy."""
    measure_after(metric, [0, 2, 2])
    visits = metric.arrays()["visits"]
    visits[:] += 1

    assert visits.tolist() == [2, 1, 3, 1]
    assert metric.arrays()["visits"].tolist() == [1, 0, 2, 0]
