"""Visit frequencies: the share of the steps that a cell gets, its median and dispersion.

    t_avg(c) = N(c) / t,    t_avg_median = median_c t_avg(c),
    t_avg_std = sqrt(mean_c (t_avg(c) - mean_c' t_avg(c'))^2),

with N(c) the visits of cell c and t the number of steps taken; c runs over the cells that can be
visited, visited or not. A visit is the observation in which an action is taken, so that all
t_avg(c) sum to 1. The standard deviation is that of the population, not of a sample, and lies in
[0, 1/2].

Source: Russo & Proutiere 2023, "Model-Free Active Exploration in Reinforcement Learning",
numerical experiments.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mfbpi_core.data.arrays import Array
from mfbpi_lib_tabular.learning.visits import VisitMetric, Visits


def t_avg_median(counts: npt.ArrayLike, total: int) -> float:
    """Median of visits / steps, in [0, 1].

    Args:
        counts: [m] visits of each cell that can be visited.
        total: number of steps taken, 1 or more.
    """
    return float(np.median(np.asarray(counts) / total))


def t_avg_std(counts: npt.ArrayLike, total: int) -> float:
    """Population standard deviation of visits / steps, in [0, 1/2]; arguments as above."""
    return float(np.std(np.asarray(counts) / total))


class VisitFrequency(VisitMetric):
    """The metric ``t_avg``; left out before the first step."""

    def describe(self, visits: Visits) -> dict[str, float]:
        """Columns ``t_avg_median`` and ``t_avg_std``."""
        counts = visits.counts[visits.reachable]
        return {
            "t_avg_median": t_avg_median(counts, visits.total),
            "t_avg_std": t_avg_std(counts, visits.total),
        }

    def arrays(self) -> dict[str, Array]:
        """``visits``: int64 [cells], visits of each cell."""
        return {"visits": self.visits.counts.copy()}
