"""Successes and regret in DeepSea.

    successes = number of finished episodes that were paid the large reward,
    regret    = sum over finished episodes e of (G* - G_e),

with G_e the return of episode e, undiscounted, and G* the largest expected return of an episode,
exact for the environment's own law. Both are of the episodes in which the agent learned, slips
included: a regret is realised, not expected, and an episode with a success lowers it. What counts
as a success is the environment's to say (``succeeded``).

Visit times and frequencies over the same cells are the metrics ``t_visit`` and ``t_avg``.

Source: Russo & Proutiere 2023, "Model-Free Active Exploration in Reinforcement Learning",
numerical experiments. The regret there is measured against a return that is not quite optimal.
"""

from __future__ import annotations

from typing import cast

import numpy as np
import numpy.typing as npt

from mfbpi_core import Environment, Metric, NoConfig, Problem, Snapshot, Transitions
from mfbpi_core.contracts.features import Sea
from mfbpi_core.data.arrays import Array
from mfbpi_core.errors import RequirementError


def cumulative(before: float, rewards: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Running totals [n + 1], the first of which is ``before``.

    Added one after the other, so that cutting the rewards into chunks changes no bit.
    """
    return np.cumsum(np.concatenate([[before], np.asarray(rewards, dtype=np.float64)]))


class DeepSea(Metric[NoConfig]):
    """The metric ``deep_sea``.

    Raises:
        RequirementError: for an environment that is no DeepSea.
    """

    def __init__(
        self, problem: Problem, environment: Environment, config: NoConfig, rng: np.random.Generator
    ) -> None:
        super().__init__(problem, environment, config, rng)
        size = self._sea.size
        self.choices = np.zeros((size * size, problem.n_actions), dtype=np.int64)  # N[cell, a]
        self.successes = 0
        self.episodes = 0
        self._total = 0.0  # rewards of all steps
        self._finished = 0.0  # rewards of the finished episodes

    def observe(self, transitions: Transitions) -> None:
        """Count choices, successes and finished episodes, and add up their returns."""
        cells = self.visited_cells(transitions)
        np.add.at(self.choices, (cells, transitions.actions), 1)
        self.successes += int(np.count_nonzero(self._sea.succeeded(transitions)))
        self.episodes += transitions.episodes_ended
        totals = cumulative(self._total, transitions.rewards)
        ends = np.flatnonzero(transitions.terminated | transitions.truncated)
        if ends.size:
            self._finished = float(totals[ends[-1] + 1])
        self._total = float(totals[-1])

    def measure(self, snapshot: Snapshot) -> dict[str, float]:  # noqa: ARG002
        """Columns ``successes`` and ``regret``."""
        regret = self.episodes * self._sea.optimal_return - self._finished
        return {"successes": float(self.successes), "regret": regret}

    def arrays(self) -> dict[str, Array]:
        """``choices`` and ``right``, for maps of the triangle.

        ``choices``: int64 [N, N, 2], how often each action was chosen in cell (row, column), zero
        above the diagonal; ``right``: int64 [N, N], the action that means right there.
        """
        size = self._sea.size
        return {
            "choices": self.choices.reshape(size, size, -1).copy(),
            "right": np.array(self._sea.right, dtype=np.int64),
        }

    @property
    def _sea(self) -> Sea:
        if "deep_sea" not in self.environment.features:
            raise RequirementError(
                f"{type(self.environment).__name__} is no DeepSea; expected an environment with "
                "the feature 'deep_sea', such as slipping_deep_sea"
            )
        return cast(Sea, self.environment)
