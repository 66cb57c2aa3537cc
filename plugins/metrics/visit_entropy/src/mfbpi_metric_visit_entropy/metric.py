"""Visit entropy: how evenly the cells were visited over the whole run.

    p(c) = N(c) / sum_c' N(c'),    visit_entropy = -sum_c p(c) log p(c) / log C,

with N(c) the visits of cell c and C the number of cells that can be visited. A visit is the
observation in which an action is taken. The value is 1 when all cells are visited equally often
and 0 when a single one ever is; with a single cell that can be visited it is 1 by definition.

Source: Russo & Proutiere 2023, "Model-Free Active Exploration in Reinforcement Learning",
numerical experiments.
"""

from __future__ import annotations

import numpy.typing as npt

from mfbpi_core.data.arrays import Array
from mfbpi_lib_tabular.learning.visits import VisitMetric, Visits, normalised_entropy


def visit_entropy(counts: npt.ArrayLike, n_cells: int) -> float:
    """Normalised entropy of the visit frequencies, in [0, 1].

    Args:
        counts: [m] visits of each cell, one at least.
        n_cells: number of cells C that can be visited.

    Raises:
        ValueError: when nothing was visited, or more than C cells were.
    """
    return normalised_entropy(counts, n_cells)


class VisitEntropy(VisitMetric):
    """The metric ``visit_entropy``; left out before the first step."""

    def describe(self, visits: Visits) -> dict[str, float]:
        """Column ``visit_entropy``."""
        return {"visit_entropy": visit_entropy(visits.counts, visits.n_reachable)}

    def arrays(self) -> dict[str, Array]:
        """``visits``: int64 [cells], visits of each cell."""
        return {"visits": self.visits.counts.copy()}
