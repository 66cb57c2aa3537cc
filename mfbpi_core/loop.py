"""The only interaction loop: agent and environment advance, metrics observe and measure."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping

import attrs

from mfbpi_core.agent import Agent
from mfbpi_core.environment import Environment
from mfbpi_core.errors import PluginError
from mfbpi_core.metric import Metric
from mfbpi_core.seeding import Streams
from mfbpi_core.types import Row, Snapshot, Transition, Transitions

#: Longest chunk held in memory, whatever the evaluation interval: steps, and bytes.
MAX_CHUNK_STEPS, MAX_CHUNK_BYTES = 50_000, 2**26


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


def longest_chunk(environment: Environment) -> int:
    """Steps that fit into a chunk: two observations of eight-byte numbers weigh most."""
    bytes_per_step = 2 * 8 * math.prod(environment.observation_shape)
    return max(1, min(MAX_CHUNK_STEPS, MAX_CHUNK_BYTES // bytes_per_step))


@attrs.define(kw_only=True)
class Run:
    """One run, from step 0 to its horizon.

    Attributes:
        environment: where the agent acts.
        agent: the agent.
        metrics: by name.
        columns: by metric name, the columns it may return.
        streams: the random streams of the run.
        horizon: number of steps.
        episodes: stop after so many episodes, if sooner.
        eval_every: steps between evaluations.
        learning_s: seconds spent acting and learning so far.
        metrics_s: seconds spent in metrics so far.
    """

    environment: Environment
    agent: Agent
    metrics: Mapping[str, Metric]
    columns: Mapping[str, frozenset[str]]
    streams: Streams
    horizon: int
    episodes: int | None = None
    eval_every: int
    learning_s: float = 0.0
    metrics_s: float = 0.0

    def rows(self) -> Iterator[Row]:
        """Run, yielding measurements at step 0, every ``eval_every`` steps and at the end.

        Raises:
            PluginError: when a metric returns an undeclared column or a number that is not
                finite.
        """
        interaction = Interaction(self.environment, self.agent, self.streams.integer("env"))
        yield from self._measure(interaction)
        while not self._ended(interaction):
            self._advance(interaction)
            yield from self._measure(interaction)

    def _ended(self, interaction: Interaction) -> bool:
        done = self.episodes is not None and interaction.episode >= self.episodes
        return done or interaction.step >= self.horizon

    def _advance(self, interaction: Interaction) -> None:
        """Advance to the next evaluation point, in chunks of bounded size."""
        following = (interaction.step // self.eval_every + 1) * self.eval_every
        target = min(following, self.horizon)
        longest = longest_chunk(self.environment)
        while interaction.step < target and not self._ended(interaction):
            left = None if self.episodes is None else self.episodes - interaction.episode
            started = time.perf_counter()
            chunk = interaction.advance(min(target - interaction.step, longest), left)
            learned = time.perf_counter()
            for metric in self.metrics.values():
                metric.observe(chunk)
            self.learning_s += learned - started
            self.metrics_s += time.perf_counter() - learned

    def _measure(self, interaction: Interaction) -> list[Row]:
        started = time.perf_counter()
        snapshot = Snapshot(
            step=interaction.step,
            episode=interaction.episode,
            agent=self.agent,
            streams=self.streams,
        )
        measured = [
            (column, value)
            for name, metric in self.metrics.items()
            for column, value in self._checked(name, metric.measure(snapshot)).items()
        ]
        self.metrics_s += time.perf_counter() - started
        return [
            Row(
                step=interaction.step,
                episode=interaction.episode,
                metric=column,
                value=value,
                elapsed_s=self.learning_s + self.metrics_s,
            )
            for column, value in measured
        ]

    def _checked(self, name: str, values: dict[str, float]) -> dict[str, float]:
        for column, value in values.items():
            if column not in self.columns[name]:
                raise PluginError(f"metric {name} returned {column!r}, which its spec lacks")
            if not math.isfinite(value):
                raise PluginError(
                    f"metric {name} returned {column}={value}; expected a finite number "
                    "(leave out what does not apply)"
                )
        return values
