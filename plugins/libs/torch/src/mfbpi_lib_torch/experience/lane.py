"""What a replica has for itself: generators, replay buffer, and the point it has reached."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from mfbpi_lib_torch.experience.replay import Replay
from mfbpi_lib_torch.stateful import COUNTED, Stateful


class Lane(Stateful):
    """One replica of an agent, apart from its networks.

    An algorithm that remembers more extends it, with the names of what it adds in ``saved``.

    Attributes:
        rng: the replica's stream; exploration and masks draw from it.
        replay: its transitions.
        steps: steps taken.
    """

    saved: ClassVar[tuple[str, ...]] = ("rng", "replay", "steps")

    def __init__(self, rng: np.random.Generator, replay: Replay) -> None:
        self.rng = rng
        self.replay = replay
        self.steps = 0

    def ranges(self) -> dict[str, tuple[float, float]]:
        """Steps are counted from 0."""
        return {"steps": COUNTED}

    def explores(self, c: float, t: int) -> bool:
        """Whether to act uniformly: with probability eps_t = c / (c + t)."""
        return bool(c > 0 and self.rng.random() < c / (c + t))

    def mask(self, shape: tuple[int, ...], probability: float) -> npt.NDArray[np.bool_]:
        """Truths, each true with the given probability."""
        mask: npt.NDArray[np.bool_] = self.rng.random(shape, dtype=np.float32) < probability
        return mask
