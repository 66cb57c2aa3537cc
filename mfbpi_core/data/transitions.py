"""Steps of an interaction: one, or many in columns."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core.data.arrays import Array
from mfbpi_core.data.problem import Observation

T = TypeVar("T")


@attrs.frozen
class Transition:
    """One step: ``action`` chosen at ``observation`` led to ``next_observation``.

    ``terminated`` says that the task ended there (nothing follows, its value is zero);
    ``truncated`` that the interaction was cut (what would follow still counts).
    """

    observation: Observation
    action: int
    reward: float
    next_observation: Observation
    terminated: bool = False
    truncated: bool = False

    @property
    def ends_episode(self) -> bool:
        """Whether the episode ended with this step, for either reason."""
        return self.terminated or self.truncated


@attrs.frozen(kw_only=True, eq=False)
class Transitions:
    """Columns of n consecutive steps, the first of which is step number ``start``.

    Attributes:
        start: number of steps taken before these.
        observations: [n] integers or [n, ...] features.
        actions: int64 [n].
        rewards: float64 [n].
        next_observations: like ``observations``.
        terminated: bool [n].
        truncated: bool [n].
    """

    start: int
    observations: Array
    actions: npt.NDArray[np.int64]
    rewards: npt.NDArray[np.float64]
    next_observations: Array
    terminated: npt.NDArray[np.bool_]
    truncated: npt.NDArray[np.bool_]
    _made: dict[Hashable, Any] = attrs.field(factory=dict, init=False, repr=False)

    def columns(self) -> dict[str, int | Array]:
        """What was given, by name: ``start`` and the columns."""
        given = (field.name for field in attrs.fields(Transitions) if field.init)
        return {name: getattr(self, name) for name in given}

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What several metrics need of these steps, made for the first that asks.

        Args:
            key: tells it from all else that is made of them.
            make: makes it; nobody changes what it returns.
        """
        if key not in self._made:
            self._made[key] = make()
        made: T = self._made[key]
        return made

    @classmethod
    def from_steps(cls, start: int, steps: list[Transition]) -> Transitions:
        """Gather single transitions into columns."""
        return cls(
            start=start,
            observations=np.array([t.observation for t in steps]),
            actions=np.array([t.action for t in steps], dtype=np.int64),
            rewards=np.array([t.reward for t in steps], dtype=np.float64),
            next_observations=np.array([t.next_observation for t in steps]),
            terminated=np.array([t.terminated for t in steps], dtype=np.bool_),
            truncated=np.array([t.truncated for t in steps], dtype=np.bool_),
        )

    def __len__(self) -> int:
        return len(self.actions)

    @property
    def episodes_ended(self) -> int:
        """Number of these steps that ended an episode."""
        return int(np.count_nonzero(self.terminated | self.truncated))
