"""RiverSwim: the model row by row, and the interaction with it."""

import numpy as np
import pytest

from mfbpi_core.errors import ConfigError
from mfbpi_env_riverswim.environment import LEFT, RIGHT, Config, RiverSwim, riverswim


def test_model_of_four_states():
    """Every row of the four-state river, written out."""
    mdp = riverswim(4)
    right = [[0.7, 0.3, 0, 0], [0.1, 0.6, 0.3, 0], [0, 0.1, 0.6, 0.3], [0, 0, 0.7, 0.3]]
    left = [[1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]

    np.testing.assert_allclose(mdp.transitions[:, RIGHT], right, rtol=1e-15, atol=0)
    np.testing.assert_allclose(mdp.transitions[:, LEFT], left, rtol=1e-15, atol=0)
    assert mdp.mean_rewards.tolist() == [[0.05, 0], [0, 0], [0, 0], [0, 1]]
    assert mdp.reward_law == "bernoulli"
    assert mdp.initial.tolist() == [1, 0, 0, 0]
    assert not mdp.terminal.any()


def test_protocol_is_that_of_the_paper():
    """T = 10^4 |S| steps, evaluated every 200, discount 0.99, 10 seeds."""
    protocol = RiverSwim(Config(n_states=20)).protocol

    assert (protocol.horizon, protocol.eval_every) == (200_000, 200)
    assert (protocol.discount, protocol.seeds) == (0.99, 10)


def test_walk_never_ends():
    """The task is continuing: no step terminates or truncates."""
    environment = RiverSwim(Config())
    environment.reset(seed=0)

    ends = [environment.step(t % 2)[2:4] for t in range(500)]

    assert set(ends) == {(False, False)}


def test_one_state_is_refused():
    """A river has at least two states."""
    with pytest.raises(ConfigError, match="n_states is 1; expected int >= 2"):
        Config(n_states=1)
