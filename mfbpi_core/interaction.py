"""The only interaction loop: an agent acts in an environment and learns."""

from __future__ import annotations

import copy
from typing import Any

import attrs

from mfbpi_core.agent import Agent
from mfbpi_core.environment import Environment
from mfbpi_core.types import Transition, Transitions


class Interaction:
    """An agent acting in an environment, advanced a number of steps at a time.

    Args:
        environment: reset here, once with ``seed`` and afterwards without.
        agent: the agent.
        seed: seed of the environment.

    Attributes:
        step: steps taken.
        episode: episodes ended.
        observation: what the environment shows now.
    """

    def __init__(self, environment: Environment, agent: Agent, seed: int) -> None:
        self.environment = environment
        self.agent = agent
        self.step = 0
        self.episode = 0
        self.observation, _ = environment.reset(seed=seed)

    def state_dict(self) -> dict[str, Any]:
        """Where both stand, as a copy: loading it later goes on bit for bit."""
        return {
            "step": self.step,
            "episode": self.episode,
            "observation": copy.deepcopy(self.observation),
            "environment": self.environment.state_dict(),
            "agent": self.agent.state_dict(),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what :meth:`state_dict` returned."""
        self.step = state["step"]
        self.episode = state["episode"]
        self.observation = copy.deepcopy(state["observation"])
        self.environment.load_state_dict(state["environment"])
        self.agent.load_state_dict(state["agent"])

    def advance(self, n_steps: int, n_episodes: int | None = None) -> Transitions:
        """Take ``n_steps`` steps, or fewer if ``n_episodes`` episodes end before.

        Compiled where both sides can and no number of episodes is asked for.
        """
        simulator = self.environment.simulator
        chunk = None
        if simulator is not None and n_episodes is None:
            chunk = self.agent.advance(simulator, n_steps)
        if chunk is None:
            return self._step_by_step(n_steps, n_episodes)
        self.observation = self.environment.observation
        return self._counted(attrs.evolve(chunk, start=self.step))

    def _step_by_step(self, n_steps: int, n_episodes: int | None) -> Transitions:
        steps: list[Transition] = []
        episodes = 0
        while len(steps) < n_steps and (n_episodes is None or episodes < n_episodes):
            transition = self.act(self.agent.select_action(self.observation))
            self.agent.update(transition)
            steps.append(transition)
            episodes += transition.ends_episode
        return self.gathered(steps)

    def act(self, action: int) -> Transition:
        """Take one step in the environment, which the agent is not told and is not counted yet."""
        observation = self.observation
        following, reward, terminated, truncated, _ = self.environment.step(action)
        transition = Transition(observation, action, reward, following, terminated, truncated)
        self.observation = self.environment.reset()[0] if transition.ends_episode else following
        return transition

    def gathered(self, steps: list[Transition]) -> Transitions:
        """Count the latest steps, and put them into columns."""
        return self._counted(Transitions.from_steps(self.step, steps))

    def _counted(self, chunk: Transitions) -> Transitions:
        self.step += len(chunk)
        self.episode += chunk.episodes_ended
        return chunk
