"""What a deep agent refuses before a run starts."""

import numpy as np
import pytest

from mfbpi_core import Interaction
from mfbpi_core.errors import ConfigError
from mfbpi_lib_torch.experience.memory import MOST_ACTIONS
from mfbpi_lib_torch.learning.agent import DeepAgent
from mfbpi_lib_torch.learning.bootstrapped import BootstrappedDQN
from mfbpi_lib_torch.testing import array_problem


class Made(DeepAgent):
    """One replica of the bootstrapped learner."""

    learner_type = BootstrappedDQN


def test_a_buffer_smaller_than_a_batch(make_config):
    """The agent would act for ever on its first weights, and say nothing."""
    config = make_config(batch_size=16, buffer_size=15)
    with pytest.raises(ConfigError, match=r"buffer_size is 15, and batch_size is 16.*never learn"):
        Made.check(array_problem(), config)


def test_a_buffer_of_one_batch_learns(make_config, make_problem, environment_type):
    """The smallest that is allowed."""
    config = make_config(batch_size=16, buffer_size=16)
    problem = make_problem(environment_type())
    Made.check(problem, config)
    agent = Made(problem, config, np.random.default_rng(1))
    Interaction(environment_type(), agent, seed=2).advance(30)
    assert agent.learner.updates == 15


def test_more_actions_than_the_buffer_numbers(make_config):
    """Beyond, an action would be stored as another, or not at all."""
    Made.check(array_problem(n_actions=MOST_ACTIONS), make_config())
    with pytest.raises(ConfigError, match="expected 32768 at most"):
        Made.check(array_problem(n_actions=MOST_ACTIONS + 1), make_config())
