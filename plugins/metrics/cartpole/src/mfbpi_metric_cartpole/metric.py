"""Upright time of a cartpole, and where it has been.

    upright_time = number of steps so far that reached an upright state,

upright being what the environment rewards (``upright``): high enough, slow enough and near enough
to the centre. The arrays are two-variable marginals of the visits: for every pair of the variables
of the environment's grid, the number of steps that started in each cell of that pair.

Entropies of the visits over all cells are the metrics ``visit_entropy`` and
``recent_visit_entropy``.

Source: Russo & Proutiere 2023, "Model-Free Active Exploration in Reinforcement Learning",
numerical experiments.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import cast

import numpy as np
import numpy.typing as npt

from mfbpi_core import Environment, Metric, NoConfig, Problem, Snapshot, Transitions
from mfbpi_core.contracts.features import Pole
from mfbpi_core.data.arrays import Array
from mfbpi_core.errors import RequirementError


def pair_marginals(
    counts: npt.NDArray[np.int64], names: Sequence[str]
) -> dict[str, npt.NDArray[np.int64]]:
    """Sums of ``counts`` over all but two axes, for every pair of axes, named ``"x|theta"``.

    Args:
        counts: [n_1, ..., n_d] visits of the cells of a grid.
        names: of the d variables.

    Returns:
        For axes i < j, int64 [n_i, n_j].
    """
    axes = range(counts.ndim)
    return {
        f"{names[i]}|{names[j]}": counts.sum(axis=tuple(a for a in axes if a not in (i, j)))
        for i, j in itertools.combinations(axes, 2)
    }


class Cartpole(Metric[NoConfig]):
    """The metric ``cartpole``.

    Raises:
        RequirementError: for an environment that is no cartpole.
    """

    def __init__(
        self, problem: Problem, environment: Environment, config: NoConfig, rng: np.random.Generator
    ) -> None:
        super().__init__(problem, environment, config, rng)
        self.counts = np.zeros(self._pole.cells.count, dtype=np.int64)  # visits[cell]
        self.upright_time = 0

    def observe(self, transitions: Transitions) -> None:
        """Count upright steps and visits."""
        self.upright_time += int(np.count_nonzero(self._pole.upright(transitions)))
        np.add.at(self.counts, self.visited_cells(transitions), 1)

    def measure(self, snapshot: Snapshot) -> dict[str, float]:  # noqa: ARG002
        """Column ``upright_time``."""
        return {"upright_time": float(self.upright_time)}

    def arrays(self) -> dict[str, Array]:
        """Visits by pairs of variables, and the cell edges along each.

        ``"x|theta"`` and so on: int64 [16, 16]; ``"x"`` and so on: float64 [17].
        """
        edges = self._pole.grid
        shape = [len(axis) - 1 for axis in edges.values()]
        marginals = pair_marginals(self.counts.reshape(shape), list(edges))
        return {**marginals, **{name: axis.copy() for name, axis in edges.items()}}

    @property
    def _pole(self) -> Pole:
        if "cartpole" not in self.environment.features:
            raise RequirementError(
                f"{type(self.environment).__name__} is no cartpole; expected an environment with "
                "the feature 'cartpole', such as cartpole_swingup"
            )
        return cast(Pole, self.environment)
