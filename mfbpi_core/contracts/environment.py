"""The contract of an environment: Gymnasium's signatures, and an optional exact model."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

import attrs
import numpy as np
import numpy.typing as npt

from mfbpi_core.data.arrays import Array
from mfbpi_core.data.mdp import TabularMDP
from mfbpi_core.data.plain import StateDict
from mfbpi_core.data.problem import Observation, ObservationKind
from mfbpi_core.running.state import copied

#: What compiled rollouts take: arrays that share the environment's state, a named tuple that is
#: not looked into here, and the environment's own generator.
Simulator = tuple[tuple[object, ...], np.random.Generator]

#: Steps between evaluations where the environment's protocol does not say.
DEFAULT_EVAL_EVERY = 200


@attrs.frozen(kw_only=True)
class RunProtocol:
    """The published way to run an environment: the runner's defaults.

    Attributes:
        horizon: number of steps T; None where runs are counted in episodes.
        episodes: number of episodes; None where runs are counted in steps.
        eval_every: steps between evaluations.
        discount: gamma.
        seeds: number of independent runs.
    """

    horizon: int | None = None
    episodes: int | None = None
    eval_every: int = DEFAULT_EVAL_EVERY
    discount: float = 0.99
    seeds: int = 10


@attrs.frozen(kw_only=True)
class Cells:
    """A fixed partition of the observations, over which exploration is counted.

    Attributes:
        count: number of cells.
        index: maps a batch of observations, [n, ...], to cell numbers, int64 [n].
        reachable: bool [count], cells in which an action can be taken at all; every cell if None.
    """

    count: int
    index: Callable[[Array], npt.NDArray[np.int64]]
    reachable: npt.NDArray[np.bool_] | None = None


class Environment(ABC):
    """A Markov decision process that can be interacted with.

    Built from its ``Config`` alone: ``factory(config)``. All its randomness comes from one
    generator, made by ``reset(seed=...)``; ``reset()`` without a seed goes on with it.
    Module-level generators are never touched.

    Attributes:
        n_actions: number of actions A.
        n_states: number of states S where observations are integers 0..S-1, else None.
        observation_shape: shape of one observation, ``()`` for integer states.
        reward_range: declared lowest and highest reward.
        max_episode_steps: longest possible episode; None where episodes need not end.
        protocol: how the environment is run when the user does not say.
        state_names: what its integer states are called; None for their numbers.
        action_names: the same for actions.
        lacking: what it does not provide, to why, or to what would make it, for messages.
        positions: int64 [S, 2], row and column of each state in a picture, -1 for none; None where
            states have no places.
    """

    #: What it offers beyond "states" or "arrays", "cells" and "model": words of
    #: :mod:`mfbpi_core.plugins.capabilities`, or those that its spec declares.
    features: ClassVar[frozenset[str]] = frozenset()

    n_actions: int
    n_states: int | None = None
    observation_shape: tuple[int, ...] = ()
    reward_range: tuple[float, float] = (0.0, 1.0)
    max_episode_steps: int | None = None
    protocol: RunProtocol = RunProtocol(horizon=10_000)
    state_names: tuple[str, ...] | None = None
    action_names: tuple[str, ...] | None = None
    positions: npt.NDArray[np.int64] | None = None
    lacking: Mapping[str, str] = MappingProxyType({})

    @abstractmethod
    def reset(
        self, *, seed: int | None = None, options: dict[str, object] | None = None
    ) -> tuple[Observation, dict[str, object]]:
        """Start an episode.

        Args:
            seed: restarts the environment's generator; None goes on with the present one.
            options: none are defined; environments may document their own.

        Returns:
            The first observation and an info dictionary.
        """

    @abstractmethod
    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, object]]:
        """Take an action.

        Returns:
            ``(observation, reward, terminated, truncated, info)``. ``terminated``: the task
            ended and nothing follows. ``truncated``: a limit cut the interaction.

        Raises:
            ActionError: for anything but an integer in 0..A-1, naming that range.
        """

    @property
    def model(self) -> TabularMDP | None:
        """The exact model, for bounds and metrics; agents never see it."""
        return None

    @property
    def simulator(self) -> Simulator | None:
        """A compiled simulator that shares this environment's state and generator, or None.

        The loop hands it to :meth:`Agent.advance`. Its steps are those of :meth:`step`, bit for
        bit.
        """
        return None

    @property
    def observation(self) -> Observation:
        """What the environment shows now; asked for only where there is a simulator."""
        raise NotImplementedError(f"{type(self).__name__} has a simulator and no `observation`")

    @property
    def cells(self) -> Cells | None:
        """The partition over which exploration is counted, or None."""
        return None

    @property
    def made_of(self) -> tuple[Path | str, ...]:
        """Files, and modules by name, beside its plugin that say what it is.

        Results name what these hold, so that runs of other contents are known as such.
        """
        return ()

    def picture(self) -> npt.NDArray[np.uint8] | None:
        """A picture of the present moment, uint8 [height, width, 3], or None for the usual one."""
        return None

    @property
    def observation_kind(self) -> ObservationKind:
        """States, arrays, or arrays that are one-hot, which is a feature."""
        if self.n_states is not None:
            return "states"
        return "one_hot" if "one_hot" in self.features else "arrays"

    @property
    def provides(self) -> frozenset[str]:
        """What agents and metrics may rely on: compared with their ``needs``."""
        offered = {
            "states": self.n_states is not None,
            "arrays": self.n_states is None,
            "cells": self.cells is not None,
            "model": self.model is not None,
        }
        return frozenset(name for name, present in offered.items() if present) | self.features

    def state_dict(self) -> StateDict:
        """Everything that interaction changes, as a copy; loading it goes on bit for bit.

        The default copies every attribute.

        Raises:
            CheckpointError: by default, when a generator is held of a class derived from numpy's,
                which would be copied as one of numpy's.
        """
        return copied(vars(self), type(self).__name__)

    def load_state_dict(self, state: StateDict) -> None:
        """Restore what :meth:`state_dict` returned."""
        vars(self).update(copy.deepcopy(state))
