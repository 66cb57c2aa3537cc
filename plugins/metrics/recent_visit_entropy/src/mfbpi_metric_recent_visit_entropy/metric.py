"""Recent-visit entropy: how evenly the cells were visited of late.

    p(c) = L(c) / sum_c' L(c'),    recent_visit_entropy = -sum_c p(c) log p(c) / log C,

with L(c) the number of the step, from 1, in which cell c was last visited (0 if never) and C the
number of cells that can be visited. A visit is the observation in which an action is taken. The
value is near 1 when every cell was visited recently; cells that were never visited, or only long
ago, lower it. With a single cell that can be visited it is 1 by definition.

Source: Russo & Proutiere 2023, "Model-Free Active Exploration in Reinforcement Learning",
numerical experiments.
"""

from __future__ import annotations

import numpy.typing as npt

from mfbpi_core.data.arrays import Array
from mfbpi_lib_tabular.learning.visits import VisitMetric, Visits, normalised_entropy


def recent_visit_entropy(last: npt.ArrayLike, n_cells: int) -> float:
    """Normalised entropy of the last visit times, in [0, 1].

    Args:
        last: [m] step of the last visit of each cell, counted from 1; 0 if never visited.
        n_cells: number of cells C that can be visited.

    Raises:
        ValueError: when nothing was visited, or more than C cells were.
    """
    return normalised_entropy(last, n_cells)


class RecentVisitEntropy(VisitMetric):
    """The metric ``recent_visit_entropy``; left out before the first step."""

    def describe(self, visits: Visits) -> dict[str, float]:
        """Column ``recent_visit_entropy``."""
        return {"recent_visit_entropy": recent_visit_entropy(visits.last, visits.n_reachable)}

    def arrays(self) -> dict[str, Array]:
        """``last_visit``: int64 [cells], step of the last visit, from 1; 0 if never visited."""
        return {"last_visit": self.visits.last.copy()}
