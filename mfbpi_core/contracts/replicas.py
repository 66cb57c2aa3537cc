"""The contract of replicas: agents that differ in their seed alone, and act and learn at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic

import numpy as np

from mfbpi_core.contracts.agent import Agent
from mfbpi_core.contracts.configured import C
from mfbpi_core.data.plain import StateDict
from mfbpi_core.data.problem import Observation, Problem
from mfbpi_core.data.transitions import Transition


class Replicas(ABC, Generic[C]):
    """R replicas of an agent, whose computations are done together because that is faster.

    Built by ``factory(problem, config, rngs)``, with one generator for each. A replica must take
    the steps that an agent built with its generator takes on its own, up to the rounding of
    numbers that are computed together.

    Attributes:
        agents: the replicas, in the order of their generators; they recommend, and are not stepped
            on their own. What they share is saved here, and what one has for itself with it.
    """

    agents: Sequence[Agent]

    def __init__(self, problem: Problem, config: C, rngs: Sequence[np.random.Generator]) -> None:
        self.problem = problem
        self.config = config
        self.rngs = list(rngs)

    @classmethod
    def advice(cls, config: C) -> str:  # noqa: ARG003 - for subclasses
        """What a user should know who asks for replicas with these parameters, or nothing."""
        return ""

    @abstractmethod
    def select_actions(self, observations: Sequence[Observation]) -> list[int]:
        """Sampling rule: the action of each replica from its observation."""

    @abstractmethod
    def update(self, transitions: Sequence[Transition]) -> None:
        """Learning rule: the transition that each replica has just made."""

    @abstractmethod
    def state_dict(self) -> StateDict:
        """Everything that learning changes, as a copy: loading it later resumes bit for bit."""

    @abstractmethod
    def load_state_dict(self, state: StateDict) -> None:
        """Restore what :meth:`state_dict` returned; ``state`` itself is not kept or changed."""
