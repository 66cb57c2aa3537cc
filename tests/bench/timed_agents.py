"""Deep agents with the time that they take; imports no more than a run of them does."""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

import attrs
import numpy as np

from mfbpi_core import Environment, Interaction, Problem
from mfbpi_env_cartpole_swingup.environment import CartpoleSwingup
from mfbpi_env_cartpole_swingup.environment import Config as CartpoleConfig
from mfbpi_env_slipping_deep_sea.environment import Config as DeepSeaConfig
from mfbpi_env_slipping_deep_sea.environment import SlippingDeepSea

#: The classes of their replicas.
AGENTS = {
    "dbmf_bpi": "DBMFBPIReplicas",
    "bsp": "BSPReplicas",
    "bsp2": "BSP2Replicas",
    "ids": "IDSReplicas",
    "ensemble_ucb": "EnsembleUCBReplicas",
}


def environment_of(name: str, size: int = 50) -> Environment:
    """One of the two environments."""
    if name == "cartpole_swingup":
        return CartpoleSwingup(CartpoleConfig())
    return SlippingDeepSea(DeepSeaConfig(size=size))


class Timed:
    """Replicas of an agent, each in its own environment, with the time that the agent takes."""

    def __init__(
        self, agent: str, environments: list[Environment], name: str, device: str = "cpu"
    ) -> None:
        kind = getattr(import_module(f"mfbpi_agent_{agent}.agent"), AGENTS[agent])
        parameters = import_module(f"mfbpi_agent_{agent}.config")
        problem = Problem(
            n_states=None,
            n_actions=environments[0].n_actions,
            observation_shape=environments[0].observation_shape,
            discount=0.99,
            horizon=100_000,
            environment=name,
            observation_kind=environments[0].observation_kind,
        )
        rngs = [np.random.default_rng(seed) for seed in range(len(environments))]
        settings: Any = attrs.evolve(
            parameters.Config(), device=device, **parameters.preset(problem)
        )
        self.replicas = kind(problem, settings, rngs)
        pairs = zip(environments, self.replicas.agents, strict=True)
        self.interactions = [Interaction(e, a, seed) for seed, (e, a) in enumerate(pairs)]

    def steps(self, n_steps: int) -> list[float]:
        """Milliseconds of each of the next steps, all replicas together."""
        return [self._step() for _ in range(n_steps)]

    def _step(self) -> float:
        observations = [i.observation for i in self.interactions]
        started = time.perf_counter()
        actions = self.replicas.select_actions(observations)
        chosen = time.perf_counter() - started
        transitions = [i.act(a) for i, a in zip(self.interactions, actions, strict=True)]
        started = time.perf_counter()
        self.replicas.update(transitions)
        return (chosen + time.perf_counter() - started) * 1e3
