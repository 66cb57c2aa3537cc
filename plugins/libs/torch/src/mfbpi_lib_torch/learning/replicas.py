"""Replicas of a deep agent: their networks are one batch, which is faster on a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from mfbpi_core import Agent, Problem, Replicas, Transition
from mfbpi_core.data.plain import StateDict
from mfbpi_core.data.problem import Observation
from mfbpi_core.errors import UsageError
from mfbpi_lib_torch.config import DeepConfig
from mfbpi_lib_torch.learning.learner import AnyLearner


class Replica(Agent[DeepConfig]):
    """One replica as an agent, for metrics: it recommends, and is not stepped on its own."""

    def __init__(self, learner: AnyLearner, number: int) -> None:
        super().__init__(learner.problem, learner.config, learner.rngs[number])
        self._learner = learner
        self._number = number

    def select_action(self, observation: Observation) -> int:  # noqa: ARG002 - refused
        """Refused: replicas act together."""
        raise UsageError("a replica does not act on its own; use select_actions of its replicas")

    def update(self, transition: Transition) -> None:  # noqa: ARG002 - refused
        """Refused: replicas learn together."""
        raise UsageError("a replica does not learn on its own; use update of its replicas")

    def recommend(self, observation: Observation) -> int:
        """Recommendation rule of this replica."""
        return self._learner.recommend(observation, self._number)

    def state_dict(self) -> StateDict:
        """Nothing: replicas are saved together."""
        return {}

    def load_state_dict(self, state: StateDict) -> None:
        """Nothing, as :meth:`state_dict`."""


class DeepReplicas(Replicas[DeepConfig]):
    """The replicas of one learner; subclasses name its type."""

    learner_type: ClassVar[type[AnyLearner]]

    def __init__(
        self, problem: Problem, config: DeepConfig, rngs: Sequence[np.random.Generator]
    ) -> None:
        super().__init__(problem, config, rngs)
        self.learner = self.learner_type(problem, config, rngs)
        self.agents = [Replica(self.learner, r) for r in range(len(rngs))]

    @classmethod
    def advice(cls, config: DeepConfig) -> str:
        """That a CPU gains nothing: it computes one member after the other anyway."""
        if config.device != "cpu":
            return ""
        return (
            "replicas on a CPU cost as much together as one after the other; they are for GPUs "
            "(device=cuda). Use jobs to fill the cores"
        )

    def select_actions(self, observations: Sequence[Observation]) -> list[int]:
        """Sampling rule."""
        return self.learner.select_actions(observations)

    def update(self, transitions: Sequence[Transition]) -> None:
        """Store the transitions and learn from a batch of each replica."""
        self.learner.update(transitions)

    def state_dict(self) -> StateDict:
        """That of the learner, with a lane for each replica."""
        return self.learner.state_dict()

    def load_state_dict(self, state: StateDict) -> None:
        """Restore :meth:`state_dict`, saved on whatever device."""
        self.learner.load_state_dict(state)
