"""What factories return is looked at before an agent meets it."""

import math

import numpy as np
import pytest

from mfbpi_core.data import exact
from mfbpi_core.errors import PluginError
from mfbpi_core.plugins.kinds import KINDS
from mfbpi_core.testing.worlds.instances import ModelEnvironment, two_state_chain


def built(**changes):
    """The kit's environment with other attributes."""
    environment = ModelEnvironment(two_state_chain())
    vars(environment).update(changes)
    return environment


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"n_actions": 0}, "n_actions is 0; expected an integer of 1 or more$"),
        ({"n_actions": None}, "n_actions is None; expected"),
        ({"n_actions": 2.0}, r"n_actions is 2\.0; expected"),
        ({"n_states": 3.0}, r"n_states is 3\.0; expected an integer of 1 or more, or None"),
        ({"n_states": True}, "n_states is True; expected"),
        ({"max_episode_steps": -1}, "max_episode_steps is -1; expected"),
        ({"max_episode_steps": 0}, "max_episode_steps is 0; expected"),
        ({"reward_range": None}, "reward_range is None; expected the lowest"),
        ({"reward_range": (1, 0)}, r"reward_range is \(1, 0\); expected"),
        ({"reward_range": (0.0, math.nan)}, r"reward_range is \(0\.0, nan\); expected"),
        ({"reward_range": (0.0, 0.5, 1.0)}, "reward_range is .*; expected"),
    ],
)
def test_impossible_sizes_are_refused(changes, says):
    """The message names the factory, the attribute and what it is."""
    with pytest.raises(PluginError, match=f"^toy:Make: {says}"):
        KINDS["environment"].factory.check_built("toy:Make", built(**changes))


def test_environment_without_actions_is_refused():
    """An attribute that was never set is one of the faults."""
    environment = built()
    del environment.n_actions

    with pytest.raises(PluginError, match="n_actions is None"):
        KINDS["environment"].factory.check_built("toy:Make", environment)


def test_numbers_of_numpy_are_sizes():
    """Scalars of any type, no limit, and ranges without an end."""
    KINDS["environment"].factory.check_built(
        "toy:Make", built(n_actions=np.int32(2), n_states=np.uint8(2))
    )
    KINDS["environment"].factory.check_built(
        "toy:Make", built(max_episode_steps=None, n_states=None)
    )
    KINDS["environment"].factory.check_built(
        "toy:Make", built(reward_range=[-math.inf, np.float32(1.0)])
    )


def test_limits_of_short_numbers_keep_their_room():
    """A range in float32 has the limits of the same numbers in float64, without an overflow."""
    assert exact.limits(np.float32(0.0), np.float32(1.0)) == exact.limits(0.0, 1.0)
