"""What environments promise with features that are named after a family of environments.

An environment that lists such a word in ``features`` has these attributes besides its contract;
the conformance kit looks for them.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from mfbpi_core.contracts.environment import Cells
from mfbpi_core.data.transitions import Transitions


class Episodic(Protocol):
    """What ``"episodes"`` promises: every episode ends.

    Attributes:
        max_episode_steps: after so many steps at the latest.
    """

    max_episode_steps: int


class Sea(Protocol):
    """What ``"deep_sea"`` promises.

    Attributes:
        size: N.
        right: int [N, N], the action that means right in each cell.
    """

    size: int
    right: npt.NDArray[np.int64]

    @property
    def optimal_return(self) -> float:
        """G*, the largest expected return of an episode."""

    @property
    def cells(self) -> Cells:
        """The grid, numbered row by row."""

    def succeeded(self, transitions: Transitions) -> npt.NDArray[np.bool_]:
        """Which steps were paid the large reward, bool [n]."""


class Pole(Protocol):
    """What ``"cartpole"`` promises."""

    @property
    def cells(self) -> Cells:
        """A grid over several variables, numbered in C order."""

    @property
    def grid(self) -> dict[str, npt.NDArray[np.float64]]:
        """The axes of the grid in their order, each variable with its n + 1 cell edges."""

    def upright(self, transitions: Transitions) -> npt.NDArray[np.bool_]:
        """Which steps reached an upright state, bool [n]."""
