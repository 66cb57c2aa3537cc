"""Problems and batches for the tests of deep agents; nothing but tests imports this module."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from mfbpi_core import Problem, Transition
from mfbpi_core.data.arrays import Array
from mfbpi_lib_torch.config import DeepConfig
from mfbpi_lib_torch.experience.memory import Batch
from mfbpi_lib_torch.learning import paths
from mfbpi_lib_torch.learning.agent import DeepAgent
from mfbpi_lib_torch.learning.bootstrapped import BootstrappedDQN
from mfbpi_lib_torch.networks.ensemble import Inputs


def array_problem(
    shape: tuple[int, ...] = (3,), environment: str = "", discount: float = 0.99, **others: Any
) -> Problem:
    """A problem with that observation; two actions unless given."""
    settings = {"n_states": None, "n_actions": 2, "horizon": 1000, **others}
    return Problem(observation_shape=shape, environment=environment, discount=discount, **settings)


def small_learner(
    agent: type[DeepAgent], config: DeepConfig, path: str, shape: tuple[int, ...]
) -> Any:
    """The learner of an agent, on a path; observations of two axes are one-hot."""
    kind = "one_hot" if len(shape) == 2 else "array"
    problem = array_problem(shape, discount=0.9, observation_kind=kind)
    learner = agent(problem, config, np.random.default_rng(0)).learner
    learner.take(path)
    return learner


class Plain(DeepAgent):
    """Bootstrapped DQN as an agent."""

    learner_type = BootstrappedDQN


def plain_learner(path: str, shape: tuple[int, ...], agent: type[DeepAgent] = Plain) -> Any:
    """A small one, on a path; observations of two axes are one-hot."""
    return small_learner(agent, DeepConfig(ensemble_size=3, hidden=6, batch_size=8), path, shape)


def learnt(learner: Any, shape: tuple[int, ...], steps: int = 40) -> Any:
    """The same, after steps between observations drawn at random."""
    rng = np.random.default_rng(1)
    for _ in range(steps):
        x, y = drawn_observation(rng, shape), drawn_observation(rng, shape)
        learner.update([Transition(x, int(rng.integers(2)), rng.random(), y)])
    return learner


def drawn_observation(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Features, or a cell of two axes."""
    if len(shape) == 1:
        return rng.normal(size=shape).astype(np.float32)
    cells = np.zeros(shape, dtype=np.float32)
    cells.flat[rng.integers(cells.size)] = 1.0
    return cells


def first_actions(
    agent: type[DeepAgent], config: type[DeepConfig], shape: tuple[int, ...], steps: int = 500
) -> list[list[int]]:
    """What a small agent does on each path, from and to observations drawn at random."""
    small = config(ensemble_size=3, hidden=6, batch_size=8)
    return [_acted(small_learner(agent, small, path, shape), shape, steps) for path in paths.ALL]


def _acted(learner: Any, shape: tuple[int, ...], steps: int) -> list[int]:
    rng, actions = np.random.default_rng(1), list[int]()
    x = drawn_observation(rng, shape)
    for _ in range(steps):
        actions += learner.select_actions([x])
        y, ends = drawn_observation(rng, shape), bool(rng.random() < 0.2)
        learner.update([Transition(x, actions[-1], rng.random(), y, terminated=ends)])
        x = y
    return actions


def hand_batch() -> Batch:
    """Two transitions: actions 1 and 0, rewards 1 and 2, the second terminates; gamma = 1/2."""
    return Batch(
        both=Inputs(),
        now=Inputs(),
        priors={},
        actions=torch.tensor([[[1, 0]]]),
        rewards=torch.tensor([[[1.0, 2.0]]]),
        discounts=torch.tensor([[[0.5, 0.0]]]),
        mask=None,
    )
