"""Dispersion of the last visit times: whether some cells were given up, or never found.

    t_visit(c) = L(c) / t,    t_visit_std = sqrt(mean_c (t_visit(c) - mean_c' t_visit(c'))^2),

with L(c) the number of the step, from 1, in which cell c was last visited (0 if never) and t the
number of steps taken; c runs over the cells that can be visited, visited or not. A visit is the
observation in which an action is taken. t_visit lies in [0, 1] and its standard deviation (that of
the population, not of a sample) in [0, 1/2]; small is good: every cell is still being visited.

Source: Russo & Proutiere 2023, "Model-Free Active Exploration in Reinforcement Learning",
numerical experiments.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mfbpi_core.data.arrays import Array
from mfbpi_lib_tabular.learning.visits import VisitMetric, Visits


def t_visit_std(last: npt.ArrayLike, total: int) -> float:
    """Population standard deviation of last visit / steps, in [0, 1/2].

    Args:
        last: [m] step of the last visit of each cell that can be visited, counted from 1; 0 if
            never visited.
        total: number of steps taken, 1 or more.
    """
    return float(np.std(np.asarray(last) / total))


class LastVisitTime(VisitMetric):
    """The metric ``t_visit``; left out before the first step."""

    def describe(self, visits: Visits) -> dict[str, float]:
        """Column ``t_visit_std``."""
        return {"t_visit_std": t_visit_std(visits.last[visits.reachable], visits.total)}

    def arrays(self) -> dict[str, Array]:
        """``last_visit``: int64 [cells], step of the last visit, from 1; 0 if never visited."""
        return {"last_visit": self.visits.last.copy()}
