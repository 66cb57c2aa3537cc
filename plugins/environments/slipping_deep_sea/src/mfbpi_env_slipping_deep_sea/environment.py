"""DeepSea with slips: sink through an N x N grid, where only N moves right in a row pay.

Dynamics, from cell (0, 0), with the actions 0 and 1:

- in each cell one of the two actions means right and the other left, fixed by ``mapping_seed``;
- with probability ``slip`` the other action is executed; the agent's own stays the one it chose;
- a move leads one row down and one column left or right, within the grid;
- executing right costs 0.01 / N; left is free;
- after N moves the episode terminates, with an observation of zeros;
- the large reward, 1, is paid for executing right in the corner cell (N - 1, N - 1).

Variant ``"published"``, the law of the authors' code: the mapping is drawn for each column, and
the large reward is paid when the last move ends in the last column.

The observation is the N x N grid, float32, with a 1 in the present cell.

Sources: Osband et al. 2020, "Behaviour Suite for Reinforcement Learning", whose ``DeepSea`` class
is used here; Russo & Proutiere 2023, "Model-Free Active Exploration in Reinforcement Learning",
numerical experiments and appendix on environments.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core import Cells, RunProtocol, TabularMDP, Transitions, parameter
from mfbpi_core.data.arrays import Array
from mfbpi_core.data.one_hot import marked_cells
from mfbpi_core.data.plain import StateDict
from mfbpi_core.errors import CheckpointError
from mfbpi_core.running.generators import restore_generator, state_with_seeds
from mfbpi_env_slipping_deep_sea.model import (
    LARGE_REWARD,
    cells_of,
    deep_sea_mdp,
    optimal_values,
)
from mfbpi_lib_bsuite.environment import BsuiteEnvironment

#: Episodes for each row: the paper runs 100 N.
EPISODES_PER_ROW = 100

#: Episodes between evaluations.
EPISODES_PER_EVALUATION = 10

#: bsuite's cost of moving right in every row.
UNSCALED_MOVE_COST = 0.01


@attrs.frozen(kw_only=True)
class Config:
    """Parameters of DeepSea with slips."""

    size: int = parameter(10, "rows and columns N, and steps of an episode", ge=2, source="paper")
    slip: float = parameter(
        0.05, "probability that the other action is executed", ge=0, le=1, source="paper"
    )
    mapping_seed: int = parameter(
        42, "seed of what the actions mean", ge=0, lt=2**32, source="bsuite's sweep"
    )
    variant: str = parameter(
        "paper", "reward law and action mapping", choices=("paper", "published")
    )


class SlippingDeepSea(BsuiteEnvironment):
    """DeepSea with slips; see the module for its dynamics.

    Every step draws one uniform number from the environment's generator, whatever happens.

    Attributes:
        features: what the words promise is said in :mod:`mfbpi_core.contracts.features`.
        size: N.
        right: int [N, N], the action that means right in each cell; never changes.
    """

    features = frozenset({"deep_sea", "episodes", "one_hot"})

    def __init__(self, config: Config) -> None:
        # bsuite takes half a second to import: only who builds the environment pays for it.
        from mfbpi_env_slipping_deep_sea import law

        super().__init__(law.build(config.variant, config.size, config.mapping_seed))
        self.config = config
        self.size = config.size
        self.right: npt.NDArray[np.int64] = self.raw._action_mapping
        self.max_episode_steps = config.size
        self.reward_range = (-self.move_cost, LARGE_REWARD - self.move_cost)
        self.protocol = RunProtocol(
            episodes=EPISODES_PER_ROW * config.size,
            eval_every=EPISODES_PER_EVALUATION * config.size,
        )
        self.positions = cells_of(config.size)
        self._slip = config.slip
        self._rng = np.random.default_rng()

    @property
    def move_cost(self) -> float:
        """Cost of executing right once."""
        return UNSCALED_MOVE_COST / self.size

    @functools.cached_property
    def model(self) -> TabularMDP:
        """The exact model, slips included; see :mod:`mfbpi_env_slipping_deep_sea.model`."""
        return deep_sea_mdp(
            self.right,
            self.config.slip,
            self.move_cost,
            rewards_last_column=self.config.variant == "published",
        )

    @functools.cached_property
    def optimal_return(self) -> float:
        """Largest expected return of an episode, undiscounted, by dynamic programming."""
        return float(optimal_values(self.model)[0])

    @functools.cached_property
    def cells(self) -> Cells:
        """The grid, row N + column; the lower triangle can be reached.

        The zeros that end an episode are in no cell; they map to cell 0, where the next starts.
        """
        reachable = np.tri(self.size, dtype=np.bool_).reshape(-1)
        return Cells(count=self.size**2, index=_cell_numbers, reachable=reachable)

    def succeeded(self, transitions: Transitions) -> npt.NDArray[np.bool_]:
        """Which steps were paid the large reward, bool [n]; at most one in an episode, its last."""
        return transitions.rewards > LARGE_REWARD / 2.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, object] | None = None
    ) -> tuple[npt.NDArray[np.float32], dict[str, object]]:
        """Start an episode in cell (0, 0); see :meth:`mfbpi_core.Environment.reset`."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        return super().reset(seed=seed, options=options)

    def _take(self, action: int) -> Any:
        slipped = self._rng.random() < self._slip
        return self.raw.step(1 - action if slipped else action)

    def state_dict(self) -> StateDict:
        """The place in the grid and the random streams."""
        return {**super().state_dict(), "rng": state_with_seeds(self._rng, ".rng")}

    def load_state_dict(self, state: StateDict) -> None:
        """Restore what :meth:`state_dict` returned.

        Raises:
            CheckpointError: when it was saved from a DeepSea whose actions mean something else.
        """
        if not np.array_equal(state["raw"][0]["values"]["_action_mapping"], self.right):
            raise CheckpointError(
                "the state was saved from a DeepSea of another size, mapping_seed or variant; "
                f"load it into one with its parameters (these are {self.config})"
            )
        super().load_state_dict(state)
        self.right = self.raw._action_mapping
        restore_generator(self._rng, state["rng"])


def _cell_numbers(observations: Array) -> npt.NDArray[np.int64]:
    """Positions of the ones in a batch [n, N, N]; 0 for the zeros that end an episode."""
    return marked_cells(observations) % math.prod(observations.shape[1:])
