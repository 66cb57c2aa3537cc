"""Visit counts and last visit times over a fixed partition of the observations into cells.

The cells are those that the environment declares (:class:`mfbpi_core.Cells`); for integer states
they are the states. A cell is *visited* by the observation in which an action is taken, so that
the counts sum to the number of steps, and the observation after the last step does not count yet.
Memory is two integers a cell, whatever the number of steps.

Source: Russo & Proutiere 2023, "Model-Free Active Exploration in Reinforcement Learning",
exploration metrics of the numerical experiments. There the cells of continuous observations span
the ranges met by all agents that are compared; here the ranges are the environment's, so that an
agent's numbers do not depend on its rivals.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mfbpi_core import Snapshot
from mfbpi_core.contracts.configured import C
from mfbpi_core.contracts.environment import Environment
from mfbpi_core.contracts.metric import Metric, cells_of
from mfbpi_core.data.arrays import Array, IntArray
from mfbpi_core.data.plain import StateDict
from mfbpi_core.data.problem import Problem
from mfbpi_core.data.transitions import Transitions
from mfbpi_core.errors import PluginError


class Tally(NamedTuple):
    """The visits of a few steps; several metrics add the same one."""

    counts: IntArray  # [C], visits of each cell
    last: IntArray  # [C], number of the step of the last visit, from 1; 0 if not visited
    total: int  # steps


class Visits:
    """How often and how recently each of C cells was visited.

    Args:
        n_cells: number of cells C.
        reachable: bool [C], cells that can be visited; all of them if None.

    Attributes:
        counts: int64 [C], visits of each cell; they sum to ``total``.
        last: int64 [C], number of the step of the last visit, 1 to ``total``; 0 if never visited.
        total: number of steps seen.
        reachable: bool [C].

    Raises:
        PluginError: when ``reachable`` is not a mask over the cells with a true entry.
    """

    def __init__(self, n_cells: int, reachable: npt.ArrayLike | None = None) -> None:
        mask = np.ones(n_cells, dtype=np.bool_) if reachable is None else np.array(reachable)
        if mask.dtype != np.bool_ or mask.shape != (n_cells,) or not mask.any():
            raise PluginError(
                f"the reachable cells are {mask.dtype} of shape {mask.shape} with "
                f"{np.count_nonzero(mask)} set; expected a boolean mask of shape ({n_cells},) "
                "with one set or more"
            )
        self.counts = np.zeros(n_cells, dtype=np.int64)  # visits[c]
        self.last = np.zeros(n_cells, dtype=np.int64)  # step of the last visit[c], from 1
        self.total = 0
        self.reachable = mask

    @property
    def n_reachable(self) -> int:
        """Number of cells that can be visited."""
        return int(np.count_nonzero(self.reachable))

    def observe(self, cells: npt.ArrayLike) -> None:
        """Count the cells of the next n steps; as :meth:`tally` and :meth:`add`."""
        self.add(self.tally(cells))

    def tally(self, cells: npt.ArrayLike) -> Tally:
        """Count the cells of n steps, integers [n] in the order of the steps, from nothing.

        Raises:
            PluginError: for a number that is no cell, or a cell declared unreachable.
        """
        visited = self._checked(np.asarray(cells))
        counts = np.bincount(visited, minlength=len(self.counts))
        last = np.zeros(len(self.counts), dtype=np.int64)
        # Where a cell occurs more than once, NumPy keeps the last assignment: the latest step.
        last[visited] = np.arange(1, len(visited) + 1)
        return Tally(counts, last, len(visited))

    def add(self, tally: Tally) -> None:
        """Add the steps that come after those seen so far."""
        self.counts += tally.counts
        self.last = np.where(tally.last > 0, self.total + tally.last, self.last)
        self.total += tally.total

    def _checked(self, cells: Array) -> IntArray:
        n_cells = len(self.counts)
        if cells.ndim != 1 or cells.dtype.kind not in "iu":
            raise PluginError(
                f"the cells of a batch are {cells.dtype} of shape {cells.shape}; "
                "expected one integer for each observation"
            )
        outside = (cells < 0) | (cells >= n_cells)
        if outside.any():
            raise PluginError(
                f"an observation maps to cell {cells[outside][0]}; expected 0 to {n_cells - 1}"
            )
        forbidden = ~self.reachable[cells]
        if forbidden.any():
            raise PluginError(
                f"cell {cells[forbidden][0]} was visited, but the environment declares it "
                "unreachable; correct Cells.reachable"
            )
        return cells.astype(np.int64, copy=False)


class VisitMetric(Metric[C]):
    """Base of the metrics that describe visits; a subclass defines :meth:`describe`.

    Attributes:
        visits: the visits so far.

    Raises:
        RequirementError: when the environment declares no cells.
    """

    def __init__(
        self, problem: Problem, environment: Environment, config: C, rng: np.random.Generator
    ) -> None:
        super().__init__(problem, environment, config, rng)
        cells = cells_of(environment)
        self.visits = Visits(cells.count, cells.reachable)

    def observe(self, transitions: Transitions) -> None:
        """Count the cells in which the actions were taken."""
        tally = transitions.once(
            (Tally, self.environment),
            lambda: self.visits.tally(self.visited_cells(transitions)),
        )
        self.visits.add(tally)

    def measure(self, snapshot: Snapshot) -> dict[str, float]:  # noqa: ARG002
        """Describe the visits so far; nothing before the first step."""
        return self.describe(self.visits) if self.visits.total else {}

    @abstractmethod
    def describe(self, visits: Visits) -> dict[str, float]:
        """The columns, for one visit or more."""

    def state_dict(self) -> StateDict:
        """The counts, last visit times and number of steps, as copies."""
        visits = self.visits
        return {"counts": visits.counts.copy(), "last": visits.last.copy(), "total": visits.total}

    def load_state_dict(self, state: StateDict) -> None:
        """Restore what :meth:`state_dict` returned."""
        self.visits.counts[:] = state["counts"]
        self.visits.last[:] = state["last"]
        self.visits.total = state["total"]


def normalised_entropy(weights: npt.ArrayLike, n_cells: int) -> float:
    """-sum_c p(c) log p(c) / log C, with p proportional to the weights and 0 log 0 = 0.

    With a single cell no distribution is more even than another: the value is 1 by definition.

    Args:
        weights: [m] numbers of 0 or more, with a positive one; cells left out have weight 0.
        n_cells: number of cells C over which the weights could have spread, at least the number
            of positive weights.

    Returns:
        A number in [0, 1]: 0 for one cell with all the weight, 1 for equal weights in all C.

    Raises:
        ValueError: when no weight is positive, or more than C are.
    """
    array = np.asarray(weights, dtype=np.float64)
    positive = array[array > 0.0]
    if not 1 <= len(positive) <= n_cells:
        raise ValueError(f"{len(positive)} weights are positive; expected 1 to {n_cells}")
    if n_cells == 1:
        return 1.0
    p = positive / positive.sum()
    entropy = float(-(p * np.log(p)).sum() / np.log(n_cells))
    return min(max(0.0, entropy), 1.0)  # rounding alone can leave [0, 1], by some 1e-16
