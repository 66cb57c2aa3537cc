from __future__ import annotations

import numpy as np
import pytest

from mfbpi_lib_tabular.testing import in_rooms, measure_after
from mfbpi_metric_recent_visit_entropy.metric import RecentVisitEntropy, recent_visit_entropy


@pytest.fixture
def metric() -> RecentVisitEntropy:
    """The metric over four rooms of which the last is locked, before the first step."""
    return in_rooms(RecentVisitEntropy)


@pytest.mark.parametrize(
    ("last", "n_cells", "expected"),
    [
        ([0, 4, 0, 4], 4, 0.5),  # log 2 / log 4
        ([4, 2, 2, 0], 4, 0.75),  # (1/2 log 2 + 2 * 1/4 log 4) / log 4
        ([0, 8, 0, 0], 4, 0.0),
        ([8], 1, 1.0),
    ],
)
def test_by_hand(last: list[int], n_cells: int, expected: float) -> None:
    """Entropies that can be computed by hand."""
    assert recent_visit_entropy(last, n_cells) == pytest.approx(expected, abs=1e-15)


def test_column(metric: RecentVisitEntropy) -> None:
    """Last visits in steps 1 and 3, so p = 1/4, 3/4, over the three rooms within reach."""
    expected = (0.25 * np.log(4) + 0.75 * np.log(4 / 3)) / np.log(3)

    assert measure_after(metric, [1, 0, 0]) == {"recent_visit_entropy": pytest.approx(expected)}


def test_times_are_counted_from_one(metric: RecentVisitEntropy) -> None:
    """A cell visited in the first step only is a visited cell."""
    assert measure_after(metric, [1, 0])["recent_visit_entropy"] > 0.0


def test_arrays(metric: RecentVisitEntropy) -> None:
    """Last visits of all cells, as a copy."""
    measure_after(metric, [0, 2, 2])
    last = metric.arrays()["last_visit"]
    last[:] += 1

    assert last.tolist() == [2, 1, 4, 1]
    assert metric.arrays()["last_visit"].tolist() == [1, 0, 3, 0]
