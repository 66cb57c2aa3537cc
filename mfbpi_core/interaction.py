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
    """

    def __init__(self, environment: Environment, agent: Agent, seed: int) -> None:
        self.environment = environment
        self.agent = agent
        self.step = 0
        self.episode = 0
        self._observation, _ = environment.reset(seed=seed)

    def state_dict(self) -> dict[str, Any]:
        """Where both stand, as a copy: loading it later goes on bit for bit."""
        return {
            "step": self.step,
            "episode": self.episode,
            "observation": copy.deepcopy(self._observation),
            "environment": self.environment.state_dict(),
            "agent": self.agent.state_dict(),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what :meth:`state_dict` returned."""
        self.step = state["step"]
        self.episode = state["episode"]
        self._observation = copy.deepcopy(state["observation"])
        self.environment.load_state_dict(state["environment"])
        self.agent.load_state_dict(state["agent"])

    def advance(self, n_steps: int, n_episodes: int | None = None) -> Transitions:
        """Take ``n_steps`` steps, or fewer if ``n_episodes`` episodes end before.

        Compiled where both sides can and no number of episodes is asked for.
        """
        chunk = None
        simulator = self.environment.simulator
        if simulator is not None and n_episodes is None:
            chunk = self.agent.advance(simulator, n_steps)
        if chunk is None:
            chunk = self._step_by_step(n_steps, n_episodes)
        else:
            chunk = attrs.evolve(chunk, start=self.step)
            self._observation = self.environment.observation
        self.step += len(chunk)
        self.episode += chunk.episodes_ended
        return chunk

    def _step_by_step(self, n_steps: int, n_episodes: int | None) -> Transitions:
        steps: list[Transition] = []
        episodes = 0
        while len(steps) < n_steps and (n_episodes is None or episodes < n_episodes):
            transition = self._one_step()
            steps.append(transition)
            episodes += transition.terminated or transition.truncated
        return Transitions.from_steps(self.step, steps)

    def _one_step(self) -> Transition:
        observation = self._observation
        action = self.agent.select_action(observation)
        following, reward, terminated, truncated, _ = self.environment.step(action)
        transition = Transition(observation, action, reward, following, terminated, truncated)
        self.agent.update(transition)
        ended = terminated or truncated
        self._observation = self.environment.reset()[0] if ended else following
        return transition
