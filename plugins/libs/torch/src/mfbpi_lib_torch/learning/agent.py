"""The deep agents as agents: one replica of a learner."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from mfbpi_core import Agent, Problem, Transition
from mfbpi_core.data.plain import StateDict
from mfbpi_core.data.problem import Observation
from mfbpi_core.errors import CheckpointError, ConfigError
from mfbpi_core.running.state import take_over
from mfbpi_lib_torch.config import DeepConfig
from mfbpi_lib_torch.device import resolve
from mfbpi_lib_torch.experience.memory import MOST_ACTIONS
from mfbpi_lib_torch.learning import owned
from mfbpi_lib_torch.learning.learner import AnyLearner

#: Key of the learner in a saved state.
LEARNER = "learner"

#: That of what a subclass has for itself.
OWN = "own"


class DeepAgent(Agent[DeepConfig]):
    """An agent that is one replica; subclasses name their learner."""

    learner_type: ClassVar[type[AnyLearner]]

    def __init__(self, problem: Problem, config: DeepConfig, rng: np.random.Generator) -> None:
        super().__init__(problem, config, rng)
        self.learner = self.learner_type(problem, config, [rng])

    @classmethod
    def check(cls, problem: Problem, config: DeepConfig) -> None:
        """Refuse a device that this machine does not have, and a run that would never learn."""
        resolve(config.device)
        if config.buffer_size < config.batch_size:
            raise ConfigError(
                f"parameter buffer_size is {config.buffer_size}, and batch_size is "
                f"{config.batch_size}; expected a buffer that can hold a batch: the agent would "
                "never learn"
            )
        if problem.n_actions > MOST_ACTIONS:
            raise ConfigError(
                f"{problem.environment or 'the environment'} has {problem.n_actions} actions; "
                f"expected {MOST_ACTIONS} at most, which the replay buffer can number"
            )

    def select_action(self, observation: Observation) -> int:
        """Sampling rule."""
        return self.learner.select_actions([observation])[0]

    def update(self, transition: Transition) -> None:
        """Store the transition and learn from a batch."""
        self.learner.update([transition])

    def recommend(self, observation: Observation) -> int:
        """Recommendation rule."""
        return self.learner.recommend(observation)

    def state_dict(self) -> StateDict:
        """Networks, moments, target copies, replay buffer, generators and schedules.

        What a subclass has for itself is added as far as it is plain: see ``own``.
        """
        own = owned.of(self, self._not_own())
        return {LEARNER: self.learner.state_dict(), **({OWN: own} if own else {})}

    def load_state_dict(self, state: StateDict) -> None:
        """Restore :meth:`state_dict`, saved on whatever device."""
        known = isinstance(state, dict) and LEARNER in state
        if not known or not set(state) <= {LEARNER, OWN}:
            raise CheckpointError(
                f"the saved state is {state!s:.80}; expected only {LEARNER!r} in it, and {OWN!r} "
                "for what a subclass has for itself"
            )
        own = state.get(OWN, {})
        owned.check(self, own, self._not_own())
        self.learner.load_state_dict(state[LEARNER])
        take_over(vars(self), own)

    def _not_own(self) -> set[str]:
        """Attributes that are given, and generators that are in the learner's state."""
        drawn = [*self.learner.rngs, *(lane.rng for lane in self.learner.lanes)]
        of_learner = {id(rng) for rng in drawn}
        shared = {name for name, value in vars(self).items() if id(value) in of_learner}
        return {"problem", "config", "learner", *shared}
