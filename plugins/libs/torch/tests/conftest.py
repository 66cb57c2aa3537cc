"""A small DeepSea with slips, and agents' parts, for the tests of this package."""

from typing import Any

import numpy as np
import pytest

from mfbpi_core import Environment, Problem
from mfbpi_lib_torch.config import DeepConfig
from mfbpi_lib_torch.learning.bootstrapped import BootstrappedDQN
from mfbpi_lib_torch.testing import array_problem


class SmallSea(Environment):
    """Sink through an N x N grid; action 1 means right, 1 is paid at the end of the last column."""

    n_actions = 2
    reward_range = (-0.01, 1.0)

    def __init__(self, size: int = 4, slip: float = 0.05) -> None:
        self.size, self.slip = size, slip
        self.observation_shape = (size, size)
        self.rng = np.random.default_rng()
        self.cell = (0, 0)

    def _observe(self) -> np.ndarray:
        observation = np.zeros(self.observation_shape, dtype=np.float32)
        if self.cell[0] < self.size:
            observation[self.cell] = 1.0
        return observation

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Start an episode."""
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        self.cell = (0, 0)
        return self._observe(), {}

    def step(self, action: int) -> Any:
        """Take a step."""
        right = bool(action) != bool(self.rng.random() < self.slip)
        row, column = self.cell[0] + 1, self.cell[1] + (1 if right else -1)
        self.cell = (row, min(max(column, 0), self.size - 1))
        done = row == self.size
        reward = float(done and self.cell[1] == self.size - 1) - 0.01 * right / self.size
        return self._observe(), reward, done, False, {}


class Features(Environment):
    """Noise in five features, an episode of 7 steps cut by a limit, rewards drawn at random."""

    n_actions = 3
    observation_shape = (5,)

    def __init__(self) -> None:
        self.rng = np.random.default_rng()
        self.elapsed = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Start an episode."""
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        self.elapsed = 0
        return self.rng.normal(size=5).astype(np.float32), {}

    def step(self, action: int) -> Any:
        """Take a step."""
        self.elapsed += 1
        following = self.rng.normal(size=5).astype(np.float32)
        return following, float(self.rng.random()), False, self.elapsed == 7, {}


ENVIRONMENTS = {"sea": SmallSea, "features": Features}


def problem_of(environment: Environment, discount: float = 0.99) -> Problem:
    """The problem that an environment poses; 2-D observations are those of a DeepSea."""
    shape = environment.observation_shape
    name, kind = ("slipping_deep_sea", "one_hot") if len(shape) == 2 else ("", "arrays")
    n_actions = environment.n_actions
    return array_problem(shape, name, discount, n_actions=n_actions, observation_kind=kind)


def small_config(**parameters: Any) -> DeepConfig:
    """Small networks and batches, other parameters by default."""
    small = {"ensemble_size": 4, "hidden": 8, "batch_size": 16, "buffer_size": 300}
    return DeepConfig(**{**small, **parameters})


@pytest.fixture(params=sorted(ENVIRONMENTS))
def environment_type(request: pytest.FixtureRequest) -> type[Environment]:
    """One-hot observations, then features."""
    return ENVIRONMENTS[request.param]


@pytest.fixture
def small_sea() -> type[SmallSea]:
    """The small DeepSea."""
    return SmallSea


@pytest.fixture
def make_problem() -> Any:
    """See :func:`problem_of`."""
    return problem_of


@pytest.fixture
def make_config() -> Any:
    """See :func:`small_config`."""
    return small_config


@pytest.fixture
def make_learner() -> Any:
    """A bootstrapped DQN for an environment, with one replica for each seed."""

    def make(
        environment: Environment,
        seeds: tuple[int, ...] = (0,),
        learner: type[BootstrappedDQN] = BootstrappedDQN,
        **parameters: Any,
    ) -> BootstrappedDQN:
        rngs = [np.random.default_rng(seed) for seed in seeds]
        return learner(problem_of(environment), small_config(**parameters), rngs)

    return make
