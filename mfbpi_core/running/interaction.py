"""The only interaction loop: an agent acts in an environment and learns."""

from __future__ import annotations

import copy
import math

import attrs

from mfbpi_core.contracts.agent import Agent
from mfbpi_core.contracts.environment import Environment
from mfbpi_core.data.plain import StateDict
from mfbpi_core.data.transitions import Transition, Transitions
from mfbpi_core.running import signatures
from mfbpi_core.running.guard import Guard

#: Longest chunk held in memory, whatever the evaluation interval: steps, and bytes.
MAX_CHUNK_STEPS, MAX_CHUNK_BYTES = 50_000, 2**26


def longest_chunk(environment: Environment) -> int:
    """Steps that fit into a chunk: two observations of eight-byte numbers weigh most."""
    bytes_per_step = 2 * 8 * math.prod(environment.observation_shape)
    return max(1, min(MAX_CHUNK_STEPS, MAX_CHUNK_BYTES // bytes_per_step))


class Interaction:
    """An agent acting in an environment, advanced a number of steps at a time.

    Args:
        environment: reset here, once with ``seed`` and afterwards without.
        agent: the agent.
        seed: seed of the environment.
        environment_name: how messages call the environment; by its class if empty.
        agent_name: how they call the agent.

    Attributes:
        step: steps taken.
        episode: episodes ended.
        observation: what the environment shows now.
    """

    def __init__(
        self,
        environment: Environment,
        agent: Agent,
        seed: int,
        *,
        environment_name: str = "",
        agent_name: str = "",
    ) -> None:
        self.environment = environment
        self.agent = agent
        self.step = 0
        self.episode = 0
        self._ahead = 0  # steps taken that are not counted yet
        name = environment_name or f"environment {type(environment).__name__}"
        self._guard = Guard(environment, name, agent_name or f"agent {type(agent).__name__}")
        signatures.check(environment, name)
        self.observation = self._guard.first(environment.reset(seed=seed), 1)

    def state_dict(self) -> StateDict:
        """Where both stand, as a copy: loading it later goes on bit for bit."""
        return {
            "step": self.step,
            "episode": self.episode,
            "observation": copy.deepcopy(self.observation),
            "environment": self.environment.state_dict(),
            "agent": self.agent.state_dict(),
        }

    def load_state_dict(self, state: StateDict) -> None:
        """Restore what :meth:`state_dict` returned.

        Raises:
            PluginError: when the observation is none of this environment: a compiled agent would
                follow it.
        """
        self.step = state["step"]
        self.episode = state["episode"]
        self.observation = self._guard.first((copy.deepcopy(state["observation"]), {}), self.step)
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
        self._guard.length(chunk, n_steps)
        if not self.agent.checks_simulator:
            self._guard.chunk(chunk, self.step)
        self.observation = self.environment.observation
        return self._counted(attrs.evolve(chunk, start=self.step))

    def _step_by_step(self, n_steps: int, n_episodes: int | None) -> Transitions:
        steps: list[Transition] = []
        episodes = 0
        select, update, act = self.agent.select_action, self.agent.update, self.act
        while len(steps) < n_steps and (n_episodes is None or episodes < n_episodes):
            transition = act(select(self.observation))
            update(transition)
            steps.append(transition)
            episodes += transition.ends_episode
        return self.gathered(steps)

    def act(self, action: int) -> Transition:
        """Take one step in the environment, which the agent is not told and is not counted yet.

        Raises:
            PluginError: when the action does not exist, or the environment shows or pays what it
                does not declare; see :class:`mfbpi_core.running.guard.Guard`.
        """
        guard, observation = self._guard, self.observation
        self._ahead += 1
        number = self.step + self._ahead
        if type(action) is not int or not 0 <= action < guard.n_actions:
            action = guard.action(action, observation, number)
        following, reward, terminated, truncated = guard.outcome(
            self.environment.step(action), observation, action, number
        )
        self.observation = following
        if terminated or truncated:
            self.observation = guard.first(self.environment.reset(), number + 1)
        return Transition(observation, action, reward, following, terminated, truncated)

    def gathered(self, steps: list[Transition]) -> Transitions:
        """Count the latest steps, and put them into columns."""
        return self._counted(Transitions.from_steps(self.step, steps))

    def _counted(self, chunk: Transitions) -> Transitions:
        self.step += len(chunk)
        self._ahead = 0
        self.episode += chunk.episodes_ended
        return chunk
