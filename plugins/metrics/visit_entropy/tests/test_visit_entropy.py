from __future__ import annotations

import numpy as np
import pytest

from mfbpi_lib_tabular.testing import in_rooms, measure_after
from mfbpi_metric_visit_entropy.metric import VisitEntropy, visit_entropy


@pytest.fixture
def metric() -> VisitEntropy:
    """The metric over four rooms of which the last is locked, before the first step."""
    return in_rooms(VisitEntropy)


@pytest.mark.parametrize(
    ("counts", "n_cells", "expected"),
    [
        ([5, 5, 5, 5], 4, 1.0),
        ([2, 2, 0, 0], 4, 0.5),  # log 2 / log 4
        ([2, 1, 1, 0], 4, 0.75),  # (1/2 log 2 + 2 * 1/4 log 4) / log 4
        ([0, 8, 0, 0], 4, 0.0),
        ([8], 1, 1.0),
    ],
)
def test_by_hand(counts: list[int], n_cells: int, expected: float) -> None:
    """Entropies that can be computed by hand."""
    assert visit_entropy(counts, n_cells) == pytest.approx(expected, abs=1e-15)


def test_column(metric: VisitEntropy) -> None:
    """Two visits each of two of the three rooms that can be visited: log 2 / log 3."""
    expected = np.log(2) / np.log(3)

    assert measure_after(metric, [0, 2, 2, 0]) == {"visit_entropy": pytest.approx(expected)}


def test_arrays(metric: VisitEntropy) -> None:
    """Visits of all cells, as a copy."""
    measure_after(metric, [0, 2, 2])
    visits = metric.arrays()["visits"]
    visits[:] += 1

    assert visits.tolist() == [2, 1, 3, 1]
    assert metric.arrays()["visits"].tolist() == [1, 0, 2, 0]
