"""Several replicas of an agent in one process, each in an environment of its own, in lockstep."""

from __future__ import annotations

from collections.abc import Sequence

from mfbpi_core import Agent, Environment, Transition, Transitions
from mfbpi_core.errors import UsageError
from mfbpi_core.types import Observation
from mfbpi_lib_torch.learner import Learner


class Replica(Agent):
    """One replica as an agent, for metrics: it recommends, and is not stepped on its own."""

    def __init__(self, learner: Learner, number: int) -> None:
        super().__init__(learner.problem, learner.config, learner.rngs[number])
        self._learner = learner
        self._number = number

    def select_action(self, observation: Observation) -> int:  # noqa: ARG002 - refused
        """Refused: replicas act together."""
        raise UsageError("a replica does not act on its own; advance all of them with Replicas")

    def update(self, transition: Transition) -> None:  # noqa: ARG002 - refused
        """Refused: replicas learn together."""
        raise UsageError("a replica does not learn on its own; advance all of them with Replicas")

    def recommend(self, observation: Observation) -> int:
        """Recommendation rule of this replica."""
        return self._learner.recommend(observation, self._number)


class Replicas:
    """R environments and a learner for as many replicas.

    The steps of each replica are those that an agent alone would take with the same generator in
    the same environment, up to the rounding of batched products.

    Args:
        learner: for R replicas.
        environments: R environments; reset here, once with their seed and afterwards without.
        seeds: R seeds of the environments.
    """

    def __init__(
        self, learner: Learner, environments: Sequence[Environment], seeds: Sequence[int]
    ) -> None:
        self.learner = learner
        self.environments = list(environments)
        self.agents = [Replica(learner, r) for r in range(len(self.environments))]
        self.step = 0
        pairs = zip(self.environments, seeds, strict=True)
        self._observations = [e.reset(seed=seed)[0] for e, seed in pairs]

    def advance(self, n_steps: int) -> list[Transitions]:
        """Take ``n_steps`` steps in every environment; the transitions of each replica."""
        steps: list[list[Transition]] = [[] for _ in self.environments]
        for _ in range(n_steps):
            for taken, transition in zip(steps, self._one_step(), strict=True):
                taken.append(transition)
        chunks = [Transitions.from_steps(self.step, taken) for taken in steps]
        self.step += n_steps
        return chunks

    def _one_step(self) -> list[Transition]:
        actions = self.learner.select_actions(self._observations)
        transitions = []
        for r, environment in enumerate(self.environments):
            following, reward, terminated, truncated, _ = environment.step(actions[r])
            transitions.append(
                Transition(
                    self._observations[r], actions[r], reward, following, terminated, truncated
                )
            )
            ended = terminated or truncated
            self._observations[r] = environment.reset()[0] if ended else following
        self.learner.update(transitions)
        return transitions
