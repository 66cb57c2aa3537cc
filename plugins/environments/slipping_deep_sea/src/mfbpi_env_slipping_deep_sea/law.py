"""bsuite's DeepSea, and the law of the published code built on it; importing it takes bsuite."""

from __future__ import annotations

from typing import Any

import numpy as np
from bsuite.environments.deep_sea import DeepSea

from mfbpi_env_slipping_deep_sea.model import LARGE_REWARD


class PublishedDeepSea(DeepSea):  # type: ignore[misc] # bsuite ships no types
    """DeepSea as in the code published with Russo & Proutiere 2023.

    The action that means right is drawn for each column, not for each cell, and the large reward
    is paid when the last move ends in the last column, whatever the cell it started from.
    """

    def __init__(self, size: int, mapping_seed: int) -> None:
        super().__init__(size=size, mapping_seed=mapping_seed)
        by_column = np.random.RandomState(mapping_seed).binomial(1, 0.5, size)  # [N]
        self._action_mapping = np.tile(by_column, (size, 1))  # [N, N]

    def _step(self, action: int) -> Any:
        went_right = action == self._action_mapping[self._row, self._column]
        timestep = super()._step(action)
        succeeded = timestep.last() and self._column == self._size - 1
        reward = LARGE_REWARD if succeeded else 0.0
        if went_right:
            reward -= self._unscaled_move_cost / self._size
        return timestep._replace(reward=reward)


def build(variant: str, size: int, mapping_seed: int) -> DeepSea:
    """bsuite's DeepSea for ``"paper"``, :class:`PublishedDeepSea` for ``"published"``."""
    if variant == "paper":
        return DeepSea(size=size, mapping_seed=mapping_seed)
    return PublishedDeepSea(size, mapping_seed)
