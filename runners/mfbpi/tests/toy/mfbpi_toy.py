# ruff: noqa: D102, D103 - the contracts say what methods and hooks do
"""A plugin for tests, with one thing of each kind, each as small as can be."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import numpy as np

from mfbpi_core import (
    Agent,
    AgentSpec,
    Column,
    Environment,
    EnvironmentSpec,
    Executor,
    ExecutorSpec,
    Metric,
    MetricSpec,
    Outcome,
    Problem,
    RunProtocol,
    Snapshot,
    Task,
    Transition,
    Transitions,
    hookimpl,
    parameter,
)
from mfbpi_core.contracts.executor import RunTask

Step = tuple[int, float, bool, bool, dict[str, Any]]


@attrs.frozen(kw_only=True)
class RingConfig:
    """Parameters of the ring and of the lap."""

    n_states: int = parameter(3, "number of states", ge=2, source="the test")
    slip: float = parameter(0.1, "probability of staying", ge=0.0, le=1.0)


class Ring(Environment):
    """A walk round a ring; the reward is the toss of a coin."""

    protocol = RunProtocol(horizon=60, eval_every=20, discount=0.9, seeds=2)

    def __init__(self, config: RingConfig) -> None:
        self.n_states = self._size = config.n_states
        self.n_actions = 2
        self._slip = config.slip
        self._rng = np.random.default_rng(0)
        self._state = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self._state = 0
        return 0, {}

    def step(self, action: int) -> Step:
        moved = self._rng.random() >= self._slip
        self._state = (self._state + moved * (1 if action else -1)) % self._size
        return self._state, float(self._rng.random() < 0.5), False, False, {}


class Lap(Ring):
    """A ring with episodes of five steps, each cut by a time limit."""

    max_episode_steps = 5
    protocol = RunProtocol(episodes=4, eval_every=5, discount=0.9, seeds=1)
    _clock = 0

    def step(self, action: int) -> Step:
        self._clock = (self._clock + 1) % 5
        state, reward, _, _, info = super().step(action)
        return state, reward, False, self._clock == 0, info


class Broken(Ring):
    """An environment that cannot be built."""

    def __init__(self, config: RingConfig) -> None:
        raise ValueError("the ring is broken")


@attrs.frozen(kw_only=True)
class BiasedConfig:
    """Parameters of the biased agent."""

    bias: float = parameter(0.5, "probability of action 1", ge=0.0, le=1.0, source="Table 1")
    fail_at_seed: int = parameter(-1, "seed at which it raises", ge=-1)
    die_at_seed: int = parameter(-1, "seed at which it kills its process", ge=-1)
    sleep_s: float = parameter(0.0, "seconds that each choice takes", ge=0.0)


@attrs.frozen(kw_only=True)
class PlainConfig:
    """Parameters of the plain agent."""

    bias: float = parameter(0.5, "probability of action 1", ge=0.0, le=1.0)
    weight: int = parameter(1, "of no consequence", ge=1)


class Plain(Agent):
    """Draws its actions and always recommends action 1."""

    def select_action(self, observation: int) -> int:
        return int(self.rng.random() < self.config.bias)

    def update(self, transition: Transition) -> None:
        pass

    def recommend(self, observation: int) -> int:
        return 1


class Biased(Plain):
    """The same, but it can be made to be slow, to raise, and to kill its process."""

    def __init__(self, problem: Problem, config: BiasedConfig, rng: np.random.Generator) -> None:
        super().__init__(problem, config, rng)
        seed = rng.bit_generator.seed_seq.entropy  # type: ignore[attr-defined]
        if seed == config.fail_at_seed:
            raise RuntimeError(f"seed {seed} fails, see /home/somebody/secret/notes.txt")
        if seed == config.die_at_seed:
            os.kill(os.getpid(), 9)

    def select_action(self, observation: int) -> int:
        time.sleep(self.config.sleep_s)
        return super().select_action(observation)


class Rate(Metric):
    """Mean reward so far; nothing before the first step."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._rewards: list[float] = []

    def observe(self, transitions: Transitions) -> None:
        self._rewards.extend(transitions.rewards)

    def measure(self, snapshot: Snapshot) -> dict[str, float]:
        return {"rate": float(np.mean(self._rewards))} if self._rewards else {}

    def arrays(self) -> dict[str, Any]:
        return {"rewards": np.array([self._rewards])}


class Noise(Metric):
    """A draw from the evaluation stream."""

    def measure(self, snapshot: Snapshot) -> dict[str, float]:
        return {"noise": float(snapshot.rng().random())}


class Aim(Metric):
    """Needs an allocation, which no toy agent has."""

    def measure(self, snapshot: Snapshot) -> dict[str, float]:
        assert snapshot.allocation is not None
        return {"aim": float(snapshot.allocation.max())}


class Inline(Executor):
    """Runs tasks here, the last first."""

    def map(self, run: RunTask, tasks: Sequence[Task]) -> Iterator[Outcome]:
        for task in reversed(tasks):
            yield run(task.to_json())


class Forgetful(Executor):
    """Runs the first task only."""

    def map(self, run: RunTask, tasks: Sequence[Task]) -> Iterator[Outcome]:
        yield run(tasks[0].to_json())


class Interrupted(Executor):
    """Is interrupted after the first task."""

    def map(self, run: RunTask, tasks: Sequence[Task]) -> Iterator[Outcome]:
        yield run(tasks[0].to_json())
        raise KeyboardInterrupt


@hookimpl
def mfbpi_agents() -> Iterator[AgentSpec]:
    yield AgentSpec(
        name="biased",
        factory="mfbpi_toy:Biased",
        config="mfbpi_toy:BiasedConfig",
        summary="Draws its actions.",
        reference="Nobody 1900",
    )
    yield AgentSpec(name="plain", factory="mfbpi_toy:Plain", config="mfbpi_toy:PlainConfig")
    yield AgentSpec(name="needy", factory="mfbpi_toy:Plain", needs={"model"})


@hookimpl
def mfbpi_environments() -> Iterator[EnvironmentSpec]:
    ring = "mfbpi_toy:RingConfig"
    yield EnvironmentSpec(
        name="ring", factory="mfbpi_toy:Ring", config=ring, argument="n_states", summary="A ring."
    )
    yield EnvironmentSpec(name="lap", factory="mfbpi_toy:Lap", config=ring)
    yield EnvironmentSpec(name="broken", factory="mfbpi_toy:Broken", config=ring)


@hookimpl
def mfbpi_metrics() -> Iterator[MetricSpec]:
    rate = Column(name="rate", low=0.0, high=1.0, summary="mean reward")
    yield MetricSpec(name="rate", factory="mfbpi_toy:Rate", columns=(rate,))
    yield MetricSpec(name="double", factory="mfbpi_toy:Rate", columns=(rate,), default=False)
    yield MetricSpec(
        name="noise", factory="mfbpi_toy:Noise", columns=(Column(name="noise"),), default=False
    )
    yield MetricSpec(
        name="aim", factory="mfbpi_toy:Aim", columns=(Column(name="aim"),), needs={"allocation"}
    )
    yield MetricSpec(
        name="deep", factory="mfbpi_toy:Rate", columns=(Column(name="deep"),), needs={"pixels"}
    )


@hookimpl
def mfbpi_executors() -> Iterator[ExecutorSpec]:
    for name in ("inline", "forgetful", "interrupted"):
        yield ExecutorSpec(name=name, factory=f"mfbpi_toy:{name.capitalize()}")
