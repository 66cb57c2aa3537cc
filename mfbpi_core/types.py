"""The data that flows between environments, agents, metrics and the runner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import attrs
import numpy as np
import numpy.typing as npt

#: What an environment shows: an integer state, or an array of features.
Observation = Any


@attrs.frozen(kw_only=True)
class Problem:
    """What an agent is told about the problem before its first step; never the model.

    Attributes:
        n_states: number of states S where observations are integers 0..S-1, else None.
        n_actions: number of actions A; actions are integers 0..A-1.
        observation_shape: shape of one observation, ``()`` for integer states.
        discount: gamma, in (0, 1).
        horizon: number of steps the agent will be given.
        reward_range: declared lowest and highest reward.
        environment: name of the environment, so that published settings can be looked up.
    """

    n_states: int | None
    n_actions: int
    observation_shape: tuple[int, ...] = ()
    discount: float
    horizon: int
    reward_range: tuple[float, float] = (0.0, 1.0)
    environment: str = ""

    @property
    def effective_horizon(self) -> float:
        """H = 1 / (1 - gamma), rounded to 9 digits so that gamma = 0.99 gives 100, not 99.99."""
        return round(1.0 / (1.0 - self.discount), 9)


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
    observations: npt.NDArray[Any]
    actions: npt.NDArray[np.int64]
    rewards: npt.NDArray[np.float64]
    next_observations: npt.NDArray[Any]
    terminated: npt.NDArray[np.bool_]
    truncated: npt.NDArray[np.bool_]

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


@attrs.frozen(kw_only=True)
class Row:
    """One measured number of one run."""

    step: int
    episode: int
    metric: str
    value: float
    elapsed_s: float


@attrs.frozen(kw_only=True)
class Outcome:
    """What became of one task.

    Attributes:
        task_id: the task.
        status: ``"done"`` or ``"failed"``.
        tables: file suffix (``".parquet"``) to file content, for a task that is done.
        error: traceback or cause, for a task that failed.
        cause: the same on one line, where it is known.
    """

    task_id: str
    status: Literal["done", "failed"]
    tables: Mapping[str, bytes] = attrs.field(factory=dict)
    error: str = ""
    cause: str = ""
